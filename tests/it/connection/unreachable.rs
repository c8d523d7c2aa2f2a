//! Brokers that are not there, or do not speak.

use super::{PATIENT, SOON, assert_fails_soon};
use crate::support::{BINARY, bare, fresh, krewind, topic};
use local_kafka::{Cluster, Kafka};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_port_on_which_nobody_listens() {
    // Bound and let go: nobody else is given it so soon.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let run = bare().args(["describe", "g", "-b", &address, "-o", "json"]).args(PATIENT).run();
    assert_fails_soon(run, "connection-failed", ["refused", &address]);
}

#[test]
fn a_host_without_an_address() {
    let run = bare().args(["describe", "g", "-b", "no-such-host.invalid:9092", "-o", "json"]).args(PATIENT).run();
    assert_fails_soon(run, "connection-failed", ["no-such-host.invalid", "resolve", "-b"]);
}

#[test]
fn a_listener_that_never_answers_is_given_up_at_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let run = bare().args(["describe", "g", "-b", &address, "-o", "json", "--timeout", "2s"]).run();
    let run = run.fails(1, [&address, "2s"]);
    assert_eq!(run.error_code(), "connection-failed");
    assert!((Duration::from_secs(2)..SOON).contains(&run.took), "{run}");
}

#[test]
fn one_broker_of_the_list_is_enough() {
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let cluster = local_kafka::shared();
    let (topic, group) = (topic(cluster, "orders", &[5]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 2, "").unwrap();
    let servers = format!("{dead},{}", cluster.bootstrap());
    let run = bare().args(["describe", &group, "-b", &servers, "-o", "csv"]).run().succeeds();
    assert_eq!(run.csv()[0]["lag"], "3");
}

#[test]
fn a_silent_broker_of_the_list_does_not_hold_up_the_others() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let cluster = local_kafka::shared();
    let (topic, group) = (topic(cluster, "orders", &[5]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 2, "").unwrap();
    let servers = format!("{},{}", silent.local_addr().unwrap(), cluster.bootstrap());
    // librdkafka begins with any of them.
    for _ in 0..4 {
        let run = bare().args(["describe", &group, "-b", &servers, "-o", "csv"]).args(PATIENT).run().succeeds();
        assert_eq!(run.csv()[0]["lag"], "3");
        assert!(run.took < SOON, "{run}");
    }
}

#[test]
fn a_broker_that_advertises_an_address_that_leads_nowhere() {
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let kafka = Kafka::builder().proxied(nowhere).start().unwrap();
    let bootstrap = kafka.listener("PROXIED");
    let run = bare().args(["describe", "g", "-o", "json", "-b", &bootstrap, "--timeout", "3s"]).run();
    // It answers, and sends its clients elsewhere: that address is the one to name.
    let run = run.fails(1, [&format!("127.0.0.1:{nowhere}"), "refused", "advertised.listeners"]);
    assert!(["connection-failed", "timed-out"].contains(&run.error_code().as_str()), "{run}");
}

#[test]
fn ctrl_c_while_nobody_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let home = tempfile::TempDir::new().unwrap();
    for form in ["table", "json"] {
        let mut command = std::process::Command::new(BINARY);
        bare().args(["describe", "g", "-o", form, "-b", &address]).prepare(&mut command, home.path());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It is under way once it has connected.
        let connected = listener.accept().unwrap();
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let started = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert!(started.elapsed() < SOON);
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(130), "{stdout}");
        match form {
            "json" => {
                let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
                assert_eq!((&report["kind"], &report["code"]), (&"error".into(), &"interrupted".into()));
            }
            _ => assert_eq!(stdout, ""),
        }
        drop(connected);
    }
}

#[test]
fn a_broker_that_freezes_and_then_dies() {
    let kafka = Kafka::start().unwrap();
    let cluster: Cluster = kafka.client();
    let (topic, group) = (topic(&cluster, "orders", &[5]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 2, "").unwrap();
    let describe = |timeout| krewind(&cluster).args(["describe", &group, "-o", "json", "--timeout", timeout]).run();
    assert_eq!(describe("30s").succeeds().json()["groups"][0]["total"]["lag"], 3);

    kafka.node(1).pause().unwrap();
    let run = describe("2s").fails(1, [cluster.bootstrap(), "2s"]);
    assert_eq!(run.error_code(), "connection-failed");
    assert!((Duration::from_secs(2)..SOON).contains(&run.took), "{run}");
    kafka.node(1).resume().unwrap();
    assert_eq!(describe("30s").succeeds().json()["groups"][0]["total"]["lag"], 3);

    kafka.node(1).kill().unwrap();
    assert_fails_soon(describe("30s"), "connection-failed", ["refused", cluster.bootstrap()]);
}
