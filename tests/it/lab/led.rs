//! The consumer as the lab leads it: by the library's own side of the talk.

use super::stepper::{Shop, auto};
use krewind::lab::live::consumer::Consumer;
use krewind::lab::live::orders::{OrderCounts, Orders};
use krewind::report::{ConsumerSink, ConsumerStart};
use serde_json::json;
use std::path::Path;
use std::process::Command;

fn offsets(consumer: &mut Consumer, max: usize) -> Vec<i64> {
    consumer.poll(max).unwrap().iter().map(|record| record.offset).collect()
}

fn start(shop: &Shop, commit: serde_json::Value) -> Consumer {
    let start: ConsumerStart = serde_json::from_value(shop.start(commit, "append")).unwrap();
    Consumer::start_program(Path::new(env!("CARGO_BIN_EXE_krewind")), &start).unwrap()
}

#[test]
fn it_is_led_killed_and_started_again() {
    let shop = Shop::with_orders(&[1001, 1002, 1003, 1001]);
    // The lab may have the database open all the time.
    let orders = Orders::open(&shop.database(), ConsumerSink::Append).unwrap();
    let mut first = start(&shop, json!("manual"));
    assert_eq!(offsets(&mut first, 2), [0, 1]);
    first.process().unwrap();
    first.write(0).unwrap();
    first.write(1).unwrap();
    first.commit(2).unwrap();
    assert_eq!((shop.committed(), first.position()), (Some(2), 2));
    assert_eq!(offsets(&mut first, 2), [2, 3]);
    first.write(2).unwrap();
    let killed = first.pid();
    first.kill().unwrap();
    assert!(!Command::new("kill").args(["-0", &killed.to_string()]).status().unwrap().success(), "{killed} is there");

    let mut second = start(&shop, json!("manual"));
    assert_eq!(second.position(), 2);
    assert_eq!(offsets(&mut second, 9), [2, 3]);
    second.write(2).unwrap();
    second.write(3).unwrap();
    second.commit(4).unwrap();
    second.leave().unwrap();
    assert_eq!(shop.group(), ("Empty".to_owned(), 0));
    let counts = OrderCounts { rows: 5, distinct_orders: 3, writes: 5, distinct_writes: 4 };
    assert_eq!(orders.counts().unwrap(), counts);
    assert_eq!(orders.written_offsets().unwrap(), [0, 1, 2, 2, 3]);
}

#[test]
fn ctrl_c_at_the_terminal_does_not_reach_it() {
    let shop = Shop::with_orders(&[1001]);
    let mut consumer = start(&shop, auto(100));
    // A terminal sends the signal to the group in front; this one has a group of its own.
    let groups = Command::new("ps").args(["-o", "pgid=", "-p", &consumer.pid().to_string()]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&groups.stdout).trim(), consumer.pid().to_string());
    assert_eq!(offsets(&mut consumer, 1), [0]);
    assert!(consumer.write(7).unwrap_err().message.contains("was not polled"));
    consumer.leave().unwrap();
    assert_eq!(shop.committed(), Some(1));
}
