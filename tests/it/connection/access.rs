//! What the principal may not see.

use super::secured;
use crate::support::{fresh, krewind};
use local_kafka::client::{LiveMember, MemberOptions};
use local_kafka::security::{ALICE, Resource};
use serde_json::json;

#[test]
fn a_group_that_may_not_be_described() {
    let secured = secured();
    let alice = secured.security().login(ALICE);
    let run = krewind(&alice).args(["describe", &secured.hidden_group, "-o", "json"]).run();
    let run = run.fails(1, [&secured.hidden_group, "GROUP_AUTHORIZATION_FAILED"]).keeps_secrets();
    assert_eq!(run.error_code(), "unauthorized");
}

#[test]
fn one_such_group_does_not_hide_the_others() {
    let secured = secured();
    let alice = secured.security().login(ALICE);
    let run = krewind(&alice).args(["describe", &secured.hidden_group, &secured.group, "-o", "json"]).run().exits(1);
    let report = run.json();
    let of = |name: &str| report["groups"].as_array().unwrap().iter().find(|group| group["group"] == name).unwrap();
    assert_eq!(of(&secured.hidden_group)["error"]["code"], "unauthorized", "{run}");
    assert_eq!(of(&secured.group)["error"], json!(null), "{run}");
    assert_eq!(of(&secured.group)["partitions"][0]["current_offset"], 3, "{run}");
}

#[test]
fn a_topic_that_may_not_be_described_is_said_where_it_is_named() {
    let secured = secured();
    let alice = secured.security().login(ALICE);
    let run = krewind(&alice).args(["describe", &secured.group, "--topic", &secured.hidden_topic, "-o", "json"]).run();
    let run = run.fails(1, [&secured.hidden_topic]);
    assert_eq!(run.error_code(), "unauthorized");
    // Who may see it sees it.
    let run = krewind(&secured.admin()).args(["describe", &secured.group, "-o", "csv"]).run().succeeds();
    let mut lags: Vec<(String, String)> =
        run.csv().into_iter().map(|row| (row["topic"].clone(), row["lag"].clone())).collect();
    lags.sort();
    let mut expected =
        [(secured.topic.clone(), "7".to_owned()), (secured.hidden_topic.clone(), "6".to_owned())].to_vec();
    expected.sort();
    assert_eq!(lags, expected);
}

#[test]
fn what_a_limited_login_can_not_see_is_said() {
    let secured = secured();
    let alice = secured.security().login(ALICE);
    let words = "this login is limited by ACLs";
    // The group's commit on the hidden topic is not listed by the broker, and no member tells of it.
    let run = krewind(&alice).args(["describe", &secured.group, "-o", "json"]).run().exits(0);
    assert_eq!(run.json()["groups"][0]["partitions"].as_array().unwrap().len(), 1, "{run}");
    assert_eq!(run.json()["visibility"], "authorized", "{run}");
    assert!(run.stderr.contains(words), "{run}");
    let run = krewind(&alice).args(["list", "-o", "json"]).run().exits(0);
    assert_eq!(run.json()["visibility"], "authorized", "{run}");
    assert!(run.stderr.contains(words), "{run}");
    // A superuser sees everything, and nothing is said.
    let admin = secured.admin();
    for run in [
        krewind(&admin).args(["describe", &secured.group, "-o", "json"]).run(),
        krewind(&admin).args(["list", "-o", "json"]).run(),
    ] {
        let run = run.exits(0);
        assert!(run.json().get("visibility").is_none(), "{run}");
        assert!(!run.stderr.contains(words), "{run}");
    }
}

#[test]
fn a_hidden_topic_that_a_member_reads_is_a_row_of_its_own() {
    let secured = secured();
    let group = fresh("readers");
    secured.kafka.add_acl("User:alice", "Describe", Resource::Group(&group)).unwrap();
    let admin = secured.admin();
    let topics = [secured.topic.as_str(), secured.hidden_topic.as_str()];
    let member = LiveMember::join(&admin, &group, &topics, &MemberOptions::new()).unwrap();
    let alice = secured.security().login(ALICE);
    let run = krewind(&alice).args(["describe", &group, "-o", "csv"]).run().exits(1);
    let mut rows: Vec<(String, String, String)> = run
        .csv()
        .into_iter()
        .map(|row| (row["topic"].clone(), row["status"].clone(), row["log_end_offset"].clone()))
        .collect();
    rows.sort();
    let mut expected = vec![
        (secured.topic.clone(), "no-commit".to_owned(), "10".to_owned()),
        (secured.hidden_topic.clone(), "unauthorized".to_owned(), String::new()),
    ];
    expected.sort();
    assert_eq!(rows, expected, "{run}");
    member.leave();
}
