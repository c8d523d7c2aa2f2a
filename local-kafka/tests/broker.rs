//! Brokers of this crate: how they start, serve, fail and end.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use local_kafka::client::{LiveMember, MemberOptions, Record};
use local_kafka::{Check, Kafka, Resource, Standing, shared, wait_for};
use rustix::process::{Pid, Signal, kill_process};

const SOON: Duration = Duration::from_secs(60);

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, SOON, || {
        Ok(match condition() {
            true => Check::Done(()),
            false => Check::NotYet(String::new()),
        })
    })
    .unwrap();
}

fn alive(pid: u32) -> bool {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::test_kill_process(pid).is_ok()
}

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal).unwrap();
}

#[test]
fn one_node_serves_and_leaves_nothing() {
    let kafka = Kafka::builder().setting("num.partitions", "3").start().unwrap();
    let pid = kafka.node(1).pid().unwrap();
    let dir = kafka.data_dir().to_owned();
    let cluster = kafka.client();
    cluster.create_topic("t", 2, &[]).unwrap();
    let at = cluster.produce(&[Record::to("t").partition(1).value("v")]).unwrap();
    assert_eq!(at, [(1, 0)]);
    let file = fs::read_to_string(dir.join("node-1.properties")).unwrap();
    assert!(file.contains("num.partitions=3\n"));
    kafka.stop().unwrap();
    assert!(!alive(pid) && !dir.exists());
}

#[test]
fn a_setting_that_kafka_refuses_is_told_with_the_end_of_the_log() {
    let error = Kafka::builder().setting("log.retention.check.interval.ms", "-5").start().unwrap_err().to_string();
    assert!(error.contains("log.retention.check.interval.ms"), "{error}");
}

#[test]
fn a_killed_node_comes_back_with_its_records() {
    let kafka = Kafka::builder()
        .setting("broker.session.timeout.ms", "1000")
        .setting("broker.heartbeat.interval.ms", "200")
        .start()
        .unwrap();
    let cluster = kafka.client();
    cluster.create_topic("t", 1, &[]).unwrap();
    cluster.produce_numbers("t", 0, 3).unwrap();
    let node = kafka.node(1);
    let before = node.pid().unwrap();
    node.kill().unwrap();
    assert!(!alive(before));
    assert_eq!(node.pid(), None);
    node.restart().unwrap();
    assert_ne!(node.pid(), Some(before));
    assert_eq!(cluster.watermarks("t", 0).unwrap(), (0, 3));
}

#[test]
fn a_paused_node_does_not_answer_until_it_goes_on() {
    use rdkafka::consumer::Consumer;
    let kafka = Kafka::start().unwrap();
    // A new client each time: one that was made before may find an answer that came before the pause.
    let ask = || kafka.client().consumer("g", &[]).unwrap().fetch_metadata(None, Duration::from_secs(2));
    ask().unwrap();
    kafka.node(1).pause().unwrap();
    assert!(ask().is_err());
    kafka.node(1).resume().unwrap();
    until("an answer", || ask().is_ok());
}

#[test]
fn three_nodes_go_on_without_one() {
    let kafka = Kafka::builder().nodes(3).start().unwrap();
    assert_eq!(kafka.nodes().len(), 3);
    let cluster = kafka.client();
    cluster.create_replicated_topic("t", 3, 3, &[]).unwrap();
    for partition in 0..3 {
        cluster.produce_numbers("t", partition, 2).unwrap();
    }
    kafka.node(2).kill().unwrap();
    wait_for("the partitions to be led by others", SOON, || {
        let ends: Vec<_> = (0..3).map(|p| cluster.watermarks("t", p)).collect();
        Ok(match ends.iter().all(|ends| matches!(ends, Ok((0, 2)))) {
            true => Check::Done(()),
            false => Check::NotYet(format!("{ends:?}\n{}", kafka.log_tail())),
        })
    })
    .unwrap();
    cluster.commit("g", "t", 0, 1, "").unwrap();
    kafka.node(2).restart().unwrap();
    assert_eq!(cluster.committed_offsets("g", "t", &[0]).unwrap(), [Some(1)]);
    let pids: Vec<u32> = kafka.nodes().iter().map(|n| n.pid().unwrap()).collect();
    kafka.stop().unwrap();
    assert!(pids.into_iter().all(|pid| !alive(pid)));
}

#[test]
fn a_secured_broker_lets_in_whom_it_should() {
    use local_kafka::security::{ALICE, BOB, CAROL, DAVE, User};
    let kafka = Kafka::builder().secured().start().unwrap();
    let cluster = kafka.client();
    cluster.create_topic("orders", 1, &[]).unwrap();
    cluster.create_topic("secret", 1, &[]).unwrap();
    cluster.produce_numbers("orders", 0, 5).unwrap();
    let security = kafka.security();
    let logins = [
        (ALICE.name, security.login(ALICE)),
        (DAVE.name, security.login(DAVE)),
        (BOB.name, security.login_tls(BOB)),
        (CAROL, security.login_certificate()),
    ];
    for (name, login) in &logins {
        // Nothing is allowed yet.
        let group = format!("g-{name}");
        assert!(!may_read(login, &group, "orders"));
        let principal = format!("User:{name}");
        kafka.add_acl(&principal, "Read", Resource::Group(&group)).unwrap();
        kafka.add_acl(&principal, "Read", Resource::Topic("orders")).unwrap();
        until("the entry to count", || login.read_and_leave(&group, "orders", 5).is_ok_and(|next| next[&0] == 5));
        assert_eq!(cluster.committed_offsets(&group, "orders", &[0]).unwrap(), [Some(5)]);
        assert!(!may_read(login, &group, "secret"));
    }
    // Alice may come by TLS as well; a wrong password and a wrong authority may not.
    cluster.produce_numbers("orders", 0, 1).unwrap();
    assert!(may_read(&security.login_tls(ALICE), "g-alice", "orders"));
    let refused = |login: local_kafka::Cluster| {
        use rdkafka::consumer::Consumer;
        let consumer = login.consumer("g", &[]).unwrap();
        consumer.fetch_metadata(None, Duration::from_secs(3)).is_err()
    };
    let wrong = User { password: "guess", ..ALICE };
    assert!(refused(security.login(wrong)));
    let other = security.other_ca.display().to_string();
    assert!(refused(security.login_tls(ALICE).with("ssl.ca.location", &other)));
}

/// Whether a login gets a record of a topic in this group.
fn may_read(login: &local_kafka::Cluster, group: &str, topic: &str) -> bool {
    use rdkafka::consumer::Consumer;
    let consumer = login.consumer(group, &[]).unwrap();
    consumer.subscribe(&[topic]).unwrap();
    let end = std::time::Instant::now() + SOON;
    while std::time::Instant::now() < end {
        match consumer.poll(Duration::from_millis(100)) {
            Some(result) => return result.is_ok(),
            None => continue,
        }
    }
    panic!("neither a record nor an error");
}

#[test]
fn a_listener_can_be_hidden_behind_a_proxy() {
    use rdkafka::consumer::Consumer;
    let kafka = Kafka::builder().proxied(9).start().unwrap();
    let consumer = local_kafka::Cluster::new(&kafka.listener("PROXIED")).consumer("g", &[]).unwrap();
    let metadata = consumer.fetch_metadata(None, SOON).unwrap();
    assert_eq!(metadata.brokers()[0].port(), 9);
}

#[test]
fn a_standing_broker_stays_until_it_is_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let standing = Standing::at(&dir.path().join("kafka"));
    // A port that was free a moment ago may be another broker's by now.
    let (port, running) = loop {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        match standing.start(port) {
            Err(local_kafka::Error::PortInUse(_)) => continue,
            other => break (port, other.unwrap()),
        }
    };
    assert_eq!(running.bootstrap, format!("127.0.0.1:{port}"));
    assert_eq!(standing.status().unwrap().as_ref(), Some(&running));
    let again = standing.start(port).unwrap_err().to_string();
    assert!(again.contains("already running"), "{again}");
    let elsewhere = Standing::at(&dir.path().join("other")).start(port).unwrap_err();
    assert!(elsewhere.to_string().contains("is in use"), "{elsewhere}");
    assert_eq!(standing.stop().unwrap(), Some(running));
    assert_eq!(standing.status().unwrap(), None);
}

/// Not a test by itself: the tests below run this binary again with a role for it.
#[test]
fn starter() {
    let Ok(role) = std::env::var("LOCAL_KAFKA_TEST_ROLE") else {
        return;
    };
    match role.as_str() {
        "wait" => {
            let _kafka = Kafka::start().unwrap();
            // A child that lives on must not keep the broker alive.
            let mut child = Command::new("sleep").arg("120").spawn().unwrap();
            println!("child {}", child.id());
            println!("started");
            child.wait().unwrap();
        }
        "panic" => {
            let _kafka = Kafka::start().unwrap();
            println!("started");
            panic!("as planned");
        }
        "leave" => {
            // Kept in a static, which is never dropped; another thread starts it.
            std::thread::spawn(|| shared().bootstrap()).join().unwrap();
            shared().create_topic("t", 1, &[]).unwrap();
            LiveMember::join(shared(), "g", &["t"], &MemberOptions::new()).unwrap();
            println!("started");
        }
        other => panic!("no role {other}"),
    }
}

fn start(role: &str, temporary: &Path) -> Child {
    // A run that was put into the background ignores Ctrl-C, and its children inherit that; a starter at a terminal does not.
    Command::new("perl")
        .args(["-e", "$SIG{INT} = 'DEFAULT'; exec { $ARGV[0] } @ARGV or die"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "starter", "--nocapture"])
        .env("LOCAL_KAFKA_TEST_ROLE", role)
        .env("TMPDIR", temporary)
        .env_remove("KREWIND_TEST_BOOTSTRAP")
        .stdout(fs::File::create(temporary.join("out")).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The pid that a file `*.pid` below `dir` names.
fn broker_pid(dir: &Path) -> Option<u32> {
    let dirs = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    dirs.filter(|path| path.is_dir()).find_map(|path| {
        let text = fs::read_to_string(path.join("node-1.pid")).ok()?;
        text.trim().parse().ok()
    })
}

fn nothing_is_left(pid: u32, temporary: &Path) {
    until("the broker and its data to be gone", || {
        !alive(pid) && !fs::read_dir(temporary).unwrap().any(|e| e.unwrap().path().is_dir())
    });
}

fn output(temporary: &Path) -> String {
    fs::read_to_string(temporary.join("out")).unwrap()
}

fn ended_by(first: Signal) {
    let temporary = tempfile::tempdir().unwrap();
    let mut starter = start("wait", temporary.path());
    until("the start", || output(temporary.path()).contains("started"));
    let pid = broker_pid(temporary.path()).unwrap();
    assert!(alive(pid));
    signal(starter.id(), first);
    starter.wait().unwrap();
    nothing_is_left(pid, temporary.path());
    let out = output(temporary.path());
    let child = out.lines().find_map(|line| line.strip_prefix("child "));
    signal(child.unwrap().parse().unwrap(), Signal::KILL);
}

#[test]
fn sigkill_of_the_starter_leaves_nothing() {
    ended_by(Signal::KILL);
}

#[test]
fn ctrl_c_in_the_starter_leaves_nothing() {
    ended_by(Signal::INT);
}

#[test]
fn sigkill_amid_the_start_leaves_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let mut starter = start("wait", temporary.path());
    until("the process", || broker_pid(temporary.path()).is_some());
    let pid = broker_pid(temporary.path()).unwrap();
    signal(starter.id(), Signal::KILL);
    starter.wait().unwrap();
    nothing_is_left(pid, temporary.path());
}

#[test]
fn a_panic_leaves_nothing() {
    ended_by_itself("panic");
}

#[test]
fn a_normal_exit_leaves_nothing() {
    ended_by_itself("leave");
}

fn ended_by_itself(role: &str) {
    let temporary = tempfile::tempdir().unwrap();
    let mut starter = start(role, temporary.path());
    until("the process", || broker_pid(temporary.path()).is_some());
    let pid = broker_pid(temporary.path()).unwrap();
    let status = starter.wait().unwrap();
    assert_eq!(status.success(), role == "leave");
    assert!(output(temporary.path()).contains("started"));
    nothing_is_left(pid, temporary.path());
}
