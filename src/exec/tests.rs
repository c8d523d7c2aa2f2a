//! What a real broker can't be made to do at will: commits that move between two looks, answers that never come.

use super::apply::{RowAnswer, metadata, read_back, rows_to_write};
use super::describe::{self, describe};
use super::gather;
use super::reset::{Look, Request, Scope, look, look_again, report};
use crate::error::Code;
use crate::kafka::fake::{Fake, fault, group};
use crate::kafka::{Cluster, ReadOnly, codes};
use crate::model::{GroupState, GroupType, Member, PartitionSet, Timestamp, TopicPartition};
use crate::offset::{NoCommit, NoRecord, OutOfRange, Policies, Target};
use crate::plan::reset::{Destination, ResetSpec, SkipUnread};
use crate::report::{GroupOutcome, PartitionStatus, ResetReport, RowOutcome, WriteFault};
use std::collections::BTreeMap;

fn member() -> Member {
    Member {
        member_id: "m-1".to_owned(),
        instance_id: None,
        client_id: "c".to_owned(),
        host: "/10.0.0.7".to_owned(),
        assignment: Vec::new(),
    }
}

/// Group `g` with commits 5 and 6 on the two partitions of `orders`, whose logs go from 0 to 10.
fn cluster() -> Fake {
    let fake = Fake::default();
    fake.set(|state| {
        state.groups.insert("g".to_owned(), group("g", GroupState::Empty, Vec::new()));
    });
    for partition in [0, 1] {
        fake.log("orders", partition, 0, 10);
        fake.commit("g", "orders", partition, 5 + i64::from(partition));
    }
    fake
}

fn request(target: Target) -> Request {
    let policies = Policies { out_of_range: OutOfRange::Fail, no_record: NoRecord::Latest, no_commit: NoCommit::Skip };
    Request {
        group: "g".to_owned(),
        scope: Scope::Topics(BTreeMap::from([("orders".to_owned(), PartitionSet::All)])),
        spec: ResetSpec { destination: Destination::One(target), policies, skip_unread: SkipUnread::Ask },
        create_group: false,
    }
}

fn planned(fake: &Fake) -> (Look, ResetReport) {
    let request = request(Target::Offset(2));
    let first = look(fake, &request).unwrap();
    let report = report(fake, &request, &first, Timestamp(0)).unwrap();
    (first, report)
}

fn outcomes(report: &ResetReport) -> Vec<RowOutcome> {
    report.groups[0].rows.iter().map(|row| row.outcome.unwrap()).collect()
}

fn both(answer: RowAnswer) -> Vec<(usize, RowAnswer)> {
    vec![(0, answer.clone()), (1, answer)]
}

fn refused(message: &str) -> WriteFault {
    WriteFault { message: message.to_owned(), undecided: false }
}

#[test]
fn a_write_that_reads_back_is_applied() {
    let fake = cluster();
    let (_, mut report) = planned(&fake);
    let places = rows_to_write(&report.groups[0]);
    assert_eq!(places, [0, 1]);
    assert!(report.groups[0].rows.iter().all(|row| metadata(row) == "kept" && row.new_offset == Some(2)));
    fake.commit("g", "orders", 0, 2);
    fake.commit("g", "orders", 1, 2);
    read_back(&fake, &mut report.groups[0], &[(0, RowAnswer::Done), (1, RowAnswer::Done)]);
    assert_eq!(outcomes(&report), [RowOutcome::Applied, RowOutcome::Applied]);
    assert_eq!(report.groups[0].outcome, GroupOutcome::Applied);
}

#[test]
fn a_row_that_the_broker_refused_is_partial_and_keeps_its_words() {
    let fake = cluster();
    let (_, mut report) = planned(&fake);
    fake.commit("g", "orders", 0, 2);
    read_back(&fake, &mut report.groups[0], &[(0, RowAnswer::Done), (1, RowAnswer::Said(refused("not allowed")))]);
    assert_eq!(outcomes(&report), [RowOutcome::Applied, RowOutcome::Failed]);
    assert_eq!(report.groups[0].outcome, GroupOutcome::Partial);
    assert_eq!(report.groups[0].rows[1].error.as_deref(), Some("not allowed"));
    assert_eq!(report.groups[0].rows[1].read_back, Some(6));
    assert_eq!(report.groups[0].total.failed, 1);
}

#[test]
fn a_commit_that_reads_back_otherwise_is_drifted_or_taken_over() {
    for (members, expected) in [(Vec::new(), RowOutcome::Drifted), (vec![member()], RowOutcome::TakenOver)] {
        let fake = cluster();
        let (_, mut report) = planned(&fake);
        fake.commit("g", "orders", 0, 2);
        fake.commit("g", "orders", 1, 9);
        let state = if members.is_empty() { GroupState::Empty } else { GroupState::Stable };
        fake.set(|held| {
            held.groups.insert("g".to_owned(), group("g", state, members));
        });
        read_back(&fake, &mut report.groups[0], &[(0, RowAnswer::Done), (1, RowAnswer::Done)]);
        assert_eq!(outcomes(&report), [RowOutcome::Applied, expected]);
        assert_eq!(report.groups[0].rows[1].read_back, Some(9));
        assert_eq!(report.groups[0].outcome, GroupOutcome::Partial);
    }
}

#[test]
fn after_silence_what_reads_back_counts_and_the_rest_is_unknown() {
    let fake = cluster();
    let (_, mut report) = planned(&fake);
    fake.commit("g", "orders", 0, 2);
    read_back(&fake, &mut report.groups[0], &both(RowAnswer::Unseen("it ended by signal 6".to_owned())));
    assert_eq!(outcomes(&report), [RowOutcome::Applied, RowOutcome::Unknown]);
    assert_eq!(report.groups[0].outcome, GroupOutcome::Unknown);
    assert_eq!(report.groups[0].rows[1].error.as_deref(), Some("it ended by signal 6"));
}

#[test]
fn a_timed_out_request_may_have_arrived() {
    let fake = cluster();
    let (_, mut report) = planned(&fake);
    let timed_out = WriteFault { message: "timed out".to_owned(), undecided: true };
    fake.commit("g", "orders", 1, 2);
    read_back(&fake, &mut report.groups[0], &both(RowAnswer::Said(timed_out)));
    assert_eq!(outcomes(&report), [RowOutcome::Unknown, RowOutcome::Applied]);
}

#[test]
fn a_write_that_can_not_be_read_back_is_not_called_applied() {
    let fake = cluster();
    let (_, mut report) = planned(&fake);
    fake.set(|state| state.commits_unreadable = true);
    read_back(&fake, &mut report.groups[0], &[(0, RowAnswer::Done), (1, RowAnswer::Done)]);
    assert_eq!(outcomes(&report), [RowOutcome::Unknown, RowOutcome::Unknown]);
    assert_eq!(report.groups[0].outcome, GroupOutcome::Unknown);
}

#[test]
fn nothing_sent_is_failed() {
    let fake = cluster();
    let (_, mut report) = planned(&fake);
    read_back(&fake, &mut report.groups[0], &both(RowAnswer::NotSent("no connection".to_owned())));
    assert_eq!(outcomes(&report), [RowOutcome::Failed, RowOutcome::Failed]);
    assert_eq!(report.groups[0].outcome, GroupOutcome::Failed);
}

#[test]
fn the_second_look_finds_members_moved_commits_and_a_topic_made_anew() {
    let request = request(Target::Offset(2));
    let second = |change: &dyn Fn(&Fake)| {
        let fake = cluster();
        let first = look(&fake, &request).unwrap();
        change(&fake);
        look_again(&fake, &request, &first).unwrap().map(|_| ()).map_err(|refusal| refusal.code)
    };
    assert_eq!(second(&|_| {}), Ok(()));
    let joined = |fake: &Fake| {
        fake.set(|state| {
            state.groups.insert("g".to_owned(), group("g", GroupState::Stable, vec![member()]));
        });
    };
    assert_eq!(second(&joined), Err("group-active".to_owned()));
    assert_eq!(second(&|fake| fake.commit("g", "orders", 1, 7)), Err("commits-moving".to_owned()));
    // A partition outside the scope moves too: something still commits for this group.
    let elsewhere = |fake: &Fake| {
        fake.log("payments", 0, 0, 4);
        fake.commit("g", "payments", 0, 1);
    };
    assert_eq!(second(&elsewhere), Err("commits-moving".to_owned()));
    let anew = |fake: &Fake| fake.set(|state| state.topic_ids.insert("orders".to_owned(), "another".to_owned()));
    assert_eq!(second(&anew), Err("stale-plan".to_owned()));
    assert_eq!(second(&|fake| fake.log("orders", 0, 3, 10)), Err("stale-plan".to_owned()));
    let held = |fake: &Fake| fake.set(|state| state.pending.insert(TopicPartition::new("orders", 0)));
    assert_eq!(second(&held), Err("pending-transaction".to_owned()));
}

#[test]
fn a_look_up_that_fails_ends_the_plan_rather_than_leaving_a_row_out() {
    let fake = cluster();
    fake.set(|state| state.log_faults.insert(TopicPartition::new("orders", 1), codes::LEADER_DID_NOT_ANSWER));
    let error = look(&fake, &request(Target::Earliest)).unwrap_err();
    assert_eq!(error.code, Code::TimedOut);
    assert!(error.message.contains("orders-1"), "{error}");
}

#[test]
fn dead_means_absent_or_unmanaged_by_the_list_of_names() {
    let fake = cluster();
    fake.set(|state| state.other_names.insert("shares".to_owned()));
    let answers = gather::groups(&fake, &["g", "shares", "typo"]);
    assert_eq!(answers[0].as_ref().unwrap().group_type, GroupType::Classic);
    assert_eq!(answers[1].as_ref().unwrap().group_type, GroupType::Unmanaged);
    assert_eq!(answers[2].as_ref().unwrap_err().code, Code::GroupNotFound);
    let shares = Request { group: "shares".to_owned(), create_group: true, ..request(Target::Earliest) };
    assert_eq!(look(&fake, &shares).unwrap_err().code, Code::UnmanagedGroup);
}

#[test]
fn a_read_only_cluster_writes_nothing() {
    let fake = cluster();
    let rows =
        [crate::kafka::WriteRow { partition: TopicPartition::new("orders", 0), offset: 1, metadata: String::new() }];
    assert_eq!(ReadOnly(&fake).alter_committed_offsets("g", &rows).unwrap_err().code, Code::ReadOnly);
    let rows = gather::commits(&fake, "g", &[TopicPartition::new("orders", 0)]).unwrap();
    assert!(matches!(rows.values().next(), Some(gather::Commit::Stands(commit)) if commit.offset == 5));
}

#[test]
fn one_bad_row_never_hides_the_others() {
    let fake = cluster();
    fake.commit("g", "gone", 0, 3);
    fake.commit("g", "orders", 7, 3);
    fake.log("hidden", 0, 0, 4);
    fake.commit("g", "hidden", 0, 3);
    fake.set(|state| state.log_faults.insert(TopicPartition::new("hidden", 0), codes::TOPIC_AUTHORIZATION_FAILED));
    let report = describe(&fake, &describe::Request::of(&["g"]), || Timestamp(0)).unwrap();
    let rows: Vec<_> = report.groups[0]
        .partitions
        .iter()
        .map(|row| (format!("{}-{}", row.topic, row.partition), row.status, row.current_offset, row.lag))
        .collect();
    assert_eq!(
        rows,
        [
            ("gone-0".to_owned(), PartitionStatus::TopicMissing, Some(3), None),
            ("hidden-0".to_owned(), PartitionStatus::Unauthorized, Some(3), None),
            ("orders-0".to_owned(), PartitionStatus::Ok, Some(5), Some(5)),
            ("orders-1".to_owned(), PartitionStatus::Ok, Some(6), Some(4)),
            ("orders-7".to_owned(), PartitionStatus::TopicMissing, Some(3), None),
        ]
    );
    assert!(report.has_failures());
    assert_eq!(report.groups[0].total.lag, Some(9));
    assert_eq!(report.groups[0].total.unknown, 3);
    assert_eq!(fault(3).code, 3);
}

#[test]
fn commits_are_read_before_ends_so_that_lag_is_never_negative_by_a_race() {
    let fake = cluster();
    describe(&fake, &describe::Request::of(&["g"]), || Timestamp(0)).unwrap();
    let calls = fake.0.lock().unwrap().calls.clone();
    let first_end = calls.iter().position(|call| *call == "offsets").unwrap();
    assert!(calls[..first_end].contains(&"commits") && !calls[first_end..].contains(&"commits"), "{calls:?}");
}
