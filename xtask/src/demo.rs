//! `cargo xtask demo`: krewind's main job on a real Kafka, step by step, as a person would type it.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use local_kafka::client::{LiveMember, MemberOptions, Record};
use local_kafka::{Check, Cluster, Kafka, Standing, wait_for};

const TOPIC: &str = "orders";
const PARTITIONS: i32 = 3;
/// One order event every three seconds, over three hours.
const EVENTS: i64 = 3600;
const EVERY_MS: i64 = 3000;
/// `inventory` stopped ten minutes ago, and has read what was there then.
const STOPPED_AGO_MS: i64 = 10 * 60 * 1000;
const REPLAYED_MS: i64 = 2 * 60 * 60 * 1000;
const LIMIT: Duration = Duration::from_secs(30);

/// Watch krewind do its main job on a real Kafka of its own, in under a minute
#[derive(Debug, Args)]
pub struct Demo {
    /// Leave the broker running, and say how to go on
    #[arg(long)]
    keep: bool,

    /// Take this binary as it is, where it exists, instead of building it
    #[arg(long, env = "KREWIND_DEMO_BINARY", hide = true)]
    binary: Option<PathBuf>,
}

pub fn run(demo: &Demo) -> Result<(), Box<dyn Error>> {
    let krewind = match &demo.binary {
        Some(binary) if binary.exists() => binary.clone(),
        _ => build()?,
    };
    println!("# A real Apache Kafka {} on this machine", crate::kafka::version());
    let standing = Standing::at(&crate::kafka::state_dir()?);
    let (bootstrap, own) = if demo.keep {
        (standing.start(9092)?.bootstrap, None)
    } else {
        let kafka = Kafka::start()?;
        (kafka.bootstrap().to_owned(), Some(kafka))
    };
    let scratch = Scratch::make()?;
    let outcome = steps(&krewind, &bootstrap, &scratch.0, demo.keep);
    if demo.keep && outcome.is_ok() {
        println!("\n# The broker stays. Go on by hand:");
        println!("export KREWIND_BOOTSTRAP_SERVER={bootstrap}");
        println!("{} describe --all-groups", krewind.display());
        println!("{} reset email --topic orders --to-timestamp 1h", krewind.display());
        println!("cargo xtask kafka stop");
    } else if demo.keep {
        standing.stop()?;
    }
    drop(own);
    if outcome.is_ok() {
        println!(
            "\n# Why resets and replays lose or repeat, to see with your own hands and without a cluster: `krewind lab`"
        );
    }
    outcome
}

/// Builds the binary, and tells where it is.
pub fn build() -> Result<PathBuf, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).args(["build", "--quiet", "--package", "krewind", "--bin", "krewind"]).status()?;
    if !built.success() {
        return Err("krewind does not build".into());
    }
    let here = std::env::current_exe()?;
    let binary = here.with_file_name("krewind");
    if binary.exists() { Ok(binary) } else { Err(format!("{} is not there", binary.display()).into()) }
}

/// Where the replayed file and the journal go.
struct Scratch(PathBuf);

impl Scratch {
    fn make() -> Result<Scratch, Box<dyn Error>> {
        let dir = std::env::temp_dir().join(format!("krewind-demo-{}", std::process::id()));
        fs::create_dir_all(&dir)?;
        Ok(Scratch(dir))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An order event, and when it happened.
struct Event {
    partition: i32,
    timestamp_ms: i64,
    value: String,
}

fn events(now_ms: i64) -> Vec<Event> {
    (0..EVENTS)
        .map(|number| {
            let order = 1000 + number / 3;
            let status = ["created", "paid", "shipped"][(number % 3) as usize];
            Event {
                partition: (order % i64::from(PARTITIONS)) as i32,
                timestamp_ms: now_ms - (EVENTS - number) * EVERY_MS,
                value: format!(r#"{{"order":{order},"status":"{status}","cents":{}}}"#, 500 + order * 37 % 9000),
            }
        })
        .collect()
}

fn records(events: &[&Event]) -> Vec<Record> {
    events
        .iter()
        .map(|event| {
            let order = event.value.split([':', ',']).nth(1).unwrap_or_default();
            Record::to(TOPIC)
                .partition(event.partition)
                .key(format!("order-{order}"))
                .value(&event.value)
                .header("source", Some(b"shop"))
                .header("trace", Some(format!("t-{:x}", event.timestamp_ms).as_bytes()))
                .timestamp(event.timestamp_ms)
        })
        .collect()
}

fn steps(krewind: &Path, bootstrap: &str, scratch: &Path, keep: bool) -> Result<(), Box<dyn Error>> {
    let cluster = Cluster::new(bootstrap);
    let now_ms = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?;
    let events = events(now_ms);
    let (read, unread): (Vec<&Event>, Vec<&Event>) =
        events.iter().partition(|event| event.timestamp_ms < now_ms - STOPPED_AGO_MS);

    println!("# `{TOPIC}`: {} order events of the last three hours in {PARTITIONS} partitions", events.len());
    cluster.create_topic(TOPIC, PARTITIONS, &[])?;
    cluster.produce(&records(&read))?;
    println!("# group `inventory` has read {} of them, and is stopped", read.len());
    cluster.read_and_leave("inventory", TOPIC, read.len())?;
    cluster.produce(&records(&unread))?;
    println!("# group `email` has a live member that reads along");
    let options = MemberOptions::new().client_id("email-worker").auto_commit();
    let member = LiveMember::join(&cluster, "email", &[TOPIC], &options)?;
    let ends: Vec<i64> = (0..PARTITIONS)
        .map(|partition| events.iter().filter(|event| event.partition == partition).count() as i64)
        .collect();
    for (partition, end) in (0..).zip(&ends) {
        cluster.await_committed("email", TOPIC, partition, *end)?;
    }
    wait_for("group `inventory` to be empty", LIMIT, || {
        let (code, shown) = capture(krewind, bootstrap, scratch, &["describe", "inventory"])?;
        Ok(if code == 0 && shown.contains("Empty") { Check::Done(()) } else { Check::NotYet(shown) })
    })?;

    let shell = Shell { krewind, bootstrap, scratch, keep };
    println!("\nexport KREWIND_BOOTSTRAP_SERVER={bootstrap}");
    shell.say("One log, two bookmarks: each group has its own committed offsets.");
    shell.run(0, &["describe", "inventory", "email"])?;
    shell.say("What would moving `inventory` back to half an hour ago do? A dry run writes nothing.");
    shell.run(0, &["reset", "inventory", "--topic", TOPIC, "--to-timestamp", "30m", "--dry-run"])?;
    shell.say("`email` has a live member: a reset is refused, and says who it is.");
    shell.run(3, &["reset", "email", "--topic", TOPIC, "--to-timestamp", "30m", "--yes"])?;
    shell.say("`inventory` is stopped: the plan is shown, written, and read back.");
    let before = cluster.committed_offsets("inventory", TOPIC, &[0, 1, 2])?;
    shell.run(0, &["reset", "inventory", "--topic", TOPIC, "--to-timestamp", "30m", "--yes"])?;
    let after = cluster.committed_offsets("inventory", TOPIC, &[0, 1, 2])?;
    if before.iter().zip(&after).any(|(before, after)| after >= before) {
        return Err(format!("`inventory` stood at {before:?} and stands at {after:?}: it did not move back").into());
    }
    shell.say("The lag after.");
    shell.run(0, &["describe", "inventory", "email"])?;

    shell.say("The last two hours again, beside production, into a file. It stops by itself.");
    let email_before = cluster.committed_offsets("email", TOPIC, &[0, 1, 2])?;
    shell.run(0, &["replay", TOPIC, "--from", "2h", "--into", "replayed.jsonl"])?;
    let replayed = fs::read_to_string(scratch.join("replayed.jsonl"))?;
    println!("$ head -n 2 replayed.jsonl");
    for line in replayed.lines().take(2) {
        println!("{line}");
    }
    let lines = replayed.lines().count();
    println!("$ wc -l < replayed.jsonl\n{lines}");
    // The replay's window begins a little later than ours: it read the clock later.
    let since = |from: i64| events.iter().filter(|event| event.timestamp_ms >= from).count();
    let (most, fewest) = (since(now_ms - REPLAYED_MS), since(now_ms - REPLAYED_MS + 60_000));
    if !(fewest..=most).contains(&lines) {
        return Err(format!("{lines} records were replayed, not between {fewest} and {most}").into());
    }

    shell.say("Production did not notice: `email` stands where it stood, and the replay left no group behind.");
    let email_after = cluster.committed_offsets("email", TOPIC, &[0, 1, 2])?;
    let show = |offsets: &[Option<i64>]| {
        offsets.iter().map(|offset| format!("{}", offset.unwrap_or(-1))).collect::<Vec<_>>().join(" ")
    };
    println!("commits of `email` before the replay: {}", show(&email_before));
    println!("commits of `email` after the replay:  {}", show(&email_after));
    if email_before != email_after {
        return Err("the commits of `email` changed".into());
    }
    let mut groups = cluster.group_names()?;
    groups.sort();
    println!("groups of the cluster: {}", groups.join(" "));
    if groups != ["email", "inventory"] {
        return Err("the groups are not the two that were made".into());
    }
    member.leave();
    Ok(())
}

/// Runs the binary as a person would.
struct Shell<'a> {
    krewind: &'a Path,
    bootstrap: &'a str,
    scratch: &'a Path,
    keep: bool,
}

impl Shell<'_> {
    fn say(&self, text: &str) {
        println!("\n# {text}");
    }

    fn run(&self, expected: i32, args: &[&str]) -> Result<(), Box<dyn Error>> {
        println!("$ krewind {}", args.join(" "));
        std::io::stdout().flush()?;
        let mut command = command(self.krewind, self.bootstrap, self.scratch, args);
        if self.keep {
            // What a person may go on with is kept where krewind keeps it.
            command.env_remove("XDG_STATE_HOME");
        }
        let status = command.status()?;
        if status.code() != Some(expected) {
            return Err(format!("`krewind {}` ended with {status}, not with {expected}", args.join(" ")).into());
        }
        if expected != 0 {
            println!("(exit code {expected})");
        }
        Ok(())
    }
}

fn command(krewind: &Path, bootstrap: &str, scratch: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(krewind);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KREWIND_")) {
        command.env_remove(name);
    }
    command
        .args(args)
        .current_dir(scratch)
        .env("KREWIND_BOOTSTRAP_SERVER", bootstrap)
        .env("XDG_STATE_HOME", scratch.join("state"))
        .stdin(Stdio::null());
    command
}

fn capture(
    krewind: &Path,
    bootstrap: &str,
    scratch: &Path,
    args: &[&str],
) -> Result<(i32, String), local_kafka::Error> {
    let output = command(krewind, bootstrap, scratch, args)
        .output()
        .map_err(|source| local_kafka::Error::Io { what: "run krewind".to_owned(), source })?;
    Ok((output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned()))
}
