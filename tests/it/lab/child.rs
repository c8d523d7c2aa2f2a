//! What the consumer's process does on a real broker when it is killed, abandoned, or asked to leave.

use super::stepper::{Shop, Stepper, auto};
use serde_json::json;
use std::os::unix::process::ExitStatusExt;

/// Twelve records of these orders: some twice.
const TWELVE: [i64; 12] = [1001, 1002, 1001, 1003, 1004, 1002, 1005, 1006, 1003, 1007, 1008, 1001];

/// An hour: the timer never comes to it.
const NEVER: u64 = 3_600_000;

#[test]
fn what_the_timer_committed_is_lost_when_the_consumer_is_killed_before_it_wrote() {
    let shop = Shop::with_orders(&TWELVE);
    let mut first = shop.consumer(auto(100), "append");
    assert_eq!((first.position, shop.committed()), (0, None));
    assert_eq!(first.poll(4), [0, 1, 2, 3]);
    assert_eq!(first.position, 4);
    shop.await_committed(4);
    assert_eq!(shop.ledger(), [] as [i64; 0]);
    assert_eq!(first.kill().signal(), Some(9));

    let mut second = shop.consumer(auto(100), "append");
    assert_eq!(second.position, 4);
    assert_eq!(second.poll(4), [4, 5, 6, 7]);
    shop.await_committed(8);
    second.leave();
    assert_eq!(shop.committed(), Some(8));
}

#[test]
fn what_was_written_before_a_commit_by_hand_is_written_twice() {
    let shop = Shop::with_orders(&TWELVE);
    let mut first = shop.consumer(json!("manual"), "append");
    assert_eq!(first.poll(4), [0, 1, 2, 3]);
    assert_eq!(first.ask(&json!("process")), json!("processed"));
    (0..3).for_each(|offset| first.write(offset));
    first.kill();
    assert_eq!(shop.committed(), None);

    let mut second = shop.consumer(json!("manual"), "append");
    assert_eq!(second.position, 0);
    assert_eq!(second.poll(4), [0, 1, 2, 3]);
    (0..4).for_each(|offset| second.write(offset));
    second.commit(4);
    assert_eq!(shop.committed(), Some(4));
    // Seven writes of four records: three duplicates.
    assert_eq!(shop.ledger(), [0, 1, 2, 0, 1, 2, 3]);
    assert_eq!(shop.numbers("SELECT order_id FROM orders ORDER BY rowid"), [1001, 1002, 1001, 1001, 1002, 1001, 1003]);
    second.leave();
}

#[test]
fn an_upsert_keeps_one_row_an_order_however_often_it_is_written() {
    let shop = Shop::with_orders(&TWELVE);
    let mut first = shop.consumer(json!("manual"), "upsert");
    first.poll(4);
    (0..4).for_each(|offset| first.write(offset));
    first.kill();
    let mut second = shop.consumer(json!("manual"), "upsert");
    assert_eq!(second.poll(12).len(), 12);
    (0..12).for_each(|offset| second.write(offset));
    second.leave();
    assert_eq!(shop.ledger().len(), 16);
    assert_eq!(shop.numbers("SELECT order_id FROM orders"), [1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008]);
    // The last record of each.
    assert_eq!(shop.numbers("SELECT log_offset FROM orders ORDER BY order_id"), [11, 5, 8, 4, 6, 7, 9, 10]);
}

#[test]
fn after_retention_passed_the_commit_the_log_start_is_next() {
    let shop = Shop::with_orders(&TWELVE);
    let mut first = shop.consumer(json!("manual"), "append");
    assert_eq!(first.poll(4).len(), 4);
    first.commit(4);
    first.leave();
    shop.place.cluster.delete_records(&shop.place.topic, 0, 6).unwrap();
    let mut second = shop.consumer(json!("manual"), "append");
    assert_eq!(second.position, 6);
    assert_eq!(second.poll(4), [6, 7, 8, 9]);
    assert_eq!(second.poll(4), [10, 11]);
    // The broker's commit is where it was until the next one.
    assert_eq!(shop.committed(), Some(4));
    second.leave();
}

#[test]
fn retention_takes_records_from_under_a_living_consumer_too() {
    let shop = Shop::with_orders(&TWELVE);
    let mut consumer = shop.consumer(json!("manual"), "append");
    assert_eq!(consumer.poll(2), [0, 1]);
    shop.place.cluster.delete_records(&shop.place.topic, 0, 6).unwrap();
    assert_eq!(consumer.poll(2), [6, 7]);
    shop.place.cluster.delete_records(&shop.place.topic, 0, 12).unwrap();
    assert_eq!(consumer.poll(2), [] as [i64; 0]);
    assert_eq!(consumer.position, 12);
    shop.orders(&[1009]);
    assert_eq!(consumer.poll(2), [12]);
    consumer.leave();
}

#[test]
fn at_the_end_of_the_log_a_poll_gives_what_is_there_and_later_what_came() {
    let shop = Shop::with_orders(&[1001, 1002, 1003]);
    let mut consumer = shop.consumer(json!("manual"), "append");
    let records = consumer.polled(4);
    let record = |offset, order_id| json!({"offset": offset, "order_id": order_id, "status": "placed"});
    assert_eq!(records, [record(0, 1001), record(1, 1002), record(2, 1003)]);
    assert_eq!(consumer.poll(4), [] as [i64; 0]);
    shop.orders(&[1004, 1005]);
    assert_eq!(consumer.poll(1), [3]);
    assert_eq!(consumer.poll(4), [4]);
    assert_eq!(consumer.poll(0), [] as [i64; 0]);
    assert_eq!(consumer.position, 5);
    consumer.leave();
}

#[test]
fn a_commit_is_where_the_next_one_begins_also_at_the_end_and_past_it() {
    let shop = Shop::with_orders(&TWELVE);
    shop.place.commit(&[12]);
    let mut at_end = shop.consumer(json!("manual"), "append");
    assert_eq!((at_end.position, at_end.poll(4)), (12, vec![]));
    at_end.leave();
    // Past the end is out of range, and `earliest` is where it goes then.
    shop.place.commit(&[13]);
    let mut past = shop.consumer(json!("manual"), "append");
    assert_eq!((past.position, past.poll(2)), (0, vec![0, 1]));
    past.leave();
}

#[test]
fn when_the_lab_dies_its_consumer_leaves_the_group() {
    let shop = Shop::with_orders(&TWELVE);
    let mut consumer = shop.consumer(json!("manual"), "append");
    consumer.poll(4);
    assert_eq!(shop.group(), ("Stable".to_owned(), 1));
    assert_eq!(consumer.abandon().code(), Some(0));
    // It told the coordinator: nobody waits for its session to end.
    assert_eq!(shop.group(), ("Empty".to_owned(), 0));
    assert_eq!(shop.committed(), None);
}

#[test]
fn a_consumer_that_leaves_commits_what_was_delivered_and_a_killed_one_does_not() {
    for (leaves, committed) in [(true, Some(4)), (false, None)] {
        let shop = Shop::with_orders(&TWELVE);
        let mut consumer = shop.consumer(auto(NEVER), "append");
        assert_eq!(consumer.poll(4), [0, 1, 2, 3]);
        if leaves {
            consumer.leave();
        } else {
            consumer.kill();
            shop.await_empty();
        }
        assert_eq!(shop.committed(), committed, "{leaves}");
    }
}

#[test]
fn what_can_not_be_done_is_said_and_the_next_step_can_be() {
    let shop = Shop::with_orders(&TWELVE);
    let mut consumer = shop.consumer(auto(NEVER), "append");
    let unpolled = consumer.ask(&json!({"write": {"offset": 3}}));
    assert_eq!(unpolled["failed"]["message"], "the record of offset 3 was not polled");
    assert_eq!(consumer.ask(&json!({"commit": {"next": 3}}))["failed"]["code"], "internal");
    assert_eq!(consumer.ask(&json!("dance"))["failed"]["code"], "internal");
    assert_eq!(consumer.poll(1), [0]);
    consumer.leave();
}

#[test]
fn without_a_broker_the_start_fails_and_says_why() {
    let shop = Shop::with_orders(&[1001]);
    let mut first = shop.start(json!("manual"), "append");
    first["properties"] = json!([["bootstrap.servers", "127.0.0.1:1"]]);
    let mut consumer = Stepper::start(&first);
    assert_eq!(consumer.answer()["failed"]["code"], "connection-failed");
    assert_eq!(consumer.end().code(), Some(1));
    // Started by hand, it has nothing to do.
    assert_eq!(Stepper::start(&json!({})).end().code(), Some(2));
}
