use super::*;
use crate::model::GroupState;

const NOW: Timestamp = Timestamp(1_796_119_200_000);
const HOUR: i64 = 3_600_000;

fn row(partition: i32, current: Option<i64>, to: i64, time: Option<i64>) -> ResetRow {
    ResetRow {
        topic: "orders".to_owned(),
        topic_id: None,
        partition,
        current_offset: current,
        current_metadata: None,
        requested: None,
        new_offset: Some(to),
        new_timestamp: time.map(Timestamp),
        log_start_offset: Some(100),
        log_end_offset: Some(200),
        last_stable_offset: Some(200),
        lag_before: None,
        lag_after: None,
        rereads: None,
        skips: None,
        action: Action::Move,
        reason: None,
        outcome: None,
        read_back: None,
        error: None,
        new_metadata: None,
    }
}

fn kept(policy: &str, ms: &str, bytes: &str) -> Option<TopicRetention> {
    let settings = [("cleanup.policy", policy), ("retention.ms", ms), ("retention.bytes", bytes)];
    TopicRetention::of(&settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
}

fn warned(rows: &[ResetRow], retention: Option<TopicRetention>, times: &[(i32, i64)]) -> Vec<String> {
    let topics = BTreeMap::from([("orders".to_owned(), retention.ok_or_else(|| "no right to ask".to_owned()))]);
    let times =
        times.iter().map(|&(partition, ms)| (TopicPartition::new("orders", partition), Timestamp(ms))).collect();
    records("g", rows, &topics, &times, NOW).into_iter().map(|warning| warning.message).collect()
}

#[test]
fn a_record_is_kept_until_its_time_and_the_retention() {
    let week = kept("compact,delete", "604800000", "-1");
    // 6 days and 20 hours old: four hours are left. The other is two days old.
    let old = NOW.0 - 6 * 24 * HOUR - 20 * HOUR;
    let rows = [row(0, Some(150), 140, Some(NOW.0 - 48 * HOUR)), row(1, Some(150), 103, Some(old))];
    let messages = warned(&rows, week, &[]);
    assert_eq!(messages.len(), 1, "{messages:?}");
    for part in ["`orders-1` goes to 103, 3 offsets after the log start", "2026-12-01T14:00:00.000Z", "604800000"] {
        assert!(messages[0].contains(part), "{part}: {}", messages[0]);
    }
    assert!(warned(&rows[..1], week, &[]).is_empty());
    // Past its time, with one more that is as close.
    let older = [row(0, Some(150), 100, Some(old - 5 * HOUR)), row(1, Some(150), 103, Some(old))];
    let messages = warned(&older, week, &[]);
    assert!(messages[0].contains("at any moment") && messages[0].contains("1 more partition"), "{messages:?}");
    // By size too.
    assert!(warned(&rows, kept("delete", "604800000", "1000"), &[])[0].contains("`retention.bytes` = 1000"));
}

#[test]
fn without_a_limit_or_a_way_back_nothing_is_said() {
    let rows = [row(0, Some(150), 100, Some(1))];
    assert!(warned(&rows, kept("compact", "1", "-1"), &[]).is_empty());
    assert!(warned(&rows, kept("delete", "-1", "-1"), &[]).is_empty());
    let end = [row(0, Some(150), 200, None)];
    assert!(warned(&end, kept("delete", "1", "-1"), &[]).is_empty());
    assert!(warned(&end, None, &[]).is_empty());
    assert!(warned(&rows, None, &[])[0].contains("is not known: no right to ask"));
}

#[test]
fn a_time_that_nobody_told_is_not_made_up() {
    let day = kept("delete", "86400000", "-1");
    let start = [row(0, Some(150), 100, None), row(1, Some(150), 190, None)];
    assert_eq!(to_look_up(&start, 5), [TopicPartition::new("orders", 0)]);
    let messages = warned(&start, day, &[]);
    assert!(
        messages.len() == 1 && messages[0].contains("`orders-0`") && messages[0].contains("not looked up"),
        "{messages:?}"
    );
    let messages = warned(&start, day, &[(0, NOW.0 - 23 * HOUR)]);
    assert!(messages[0].contains("2026-12-01T11:00:00.000Z"), "{messages:?}");
    let many: Vec<ResetRow> = (0..9).map(|partition| row(partition, None, 100, None)).collect();
    assert_eq!(to_look_up(&many, 5).len(), 5);
}

#[test]
fn commits_are_kept_from_each_write_or_from_when_the_group_became_empty() {
    let group = |is_simple, state| GroupDescription {
        group: "g".to_owned(),
        group_type: GroupType::Classic,
        state,
        is_simple,
        assignor: None,
        coordinator: None,
        members: Vec::new(),
    };
    let said = |group: GroupDescription, minutes| commits(&group, &minutes).map(|warning| warning.message);
    let simple = said(group(true, GroupState::Empty), Ok(10080)).unwrap();
    assert!(simple.contains("kept for 7d from each write"), "{simple}");
    let classic = said(group(false, GroupState::Empty), Ok(10080)).unwrap();
    assert!(classic.contains("Kafka does not tell") && classic.contains("10080"), "{classic}");
    assert!(said(group(true, GroupState::Empty), Err("refused".to_owned())).unwrap().contains("not known: refused"));
    assert_eq!(said(group(false, GroupState::Stable), Ok(10080)), None);
}

#[test]
fn a_streams_application_is_told_by_its_topics() {
    let topics = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect());
    let message = |names| streams("app", &topics(names)).map(|warning| warning.message);
    let found = message(&["app-counts-changelog", "app-by-key-repartition", "orders"]).unwrap();
    assert!(found.contains("`app-counts-changelog`, `app-by-key-repartition`"), "{found}");
    assert_eq!(message(&["application-counts-changelog", "app-orders", "changelog"]), None);
    assert_eq!(streams("app", &Err("no".to_owned())), None);
}

#[test]
fn partitions_without_a_commit_are_named() {
    let warnings = without_commit("g", &[row(0, Some(5), 7, None), row(1, None, 7, None), row(2, None, 7, None)]);
    assert_eq!(
        warnings[0].message,
        "partitions 1, 2 of `orders` have no commit of `g` (added since, or never read): they get one"
    );
    assert!(without_commit("g", &[row(0, Some(5), 7, None)]).is_empty());
}
