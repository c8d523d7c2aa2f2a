//! `cargo xtask bench`: krewind beside Kafka's own tool, in one run on one broker, as ratios.

mod replay;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use local_kafka::client::Record;
use local_kafka::{Cluster, Jars, Kafka};

/// Measure krewind beside kafka-consumer-groups on one broker
#[derive(Debug, Args)]
pub struct Bench {
    /// How often krewind is run for each number; Kafka's tool is run three times
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// Leave out the largest topic
    #[arg(long)]
    small: bool,
    /// Measure nothing: fill the broker, print its address, and keep it until Enter
    #[arg(long)]
    hold: bool,
    /// Measure the sinks of a replay instead, beside kcat and Kafka's console consumer
    #[arg(long)]
    replay: bool,
    /// With --replay, how many small records; of larger ones a fifth
    #[arg(long, default_value_t = 5_000_000)]
    records: u64,
    /// With --replay, a PostgreSQL database to write to as well
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
}

const TOOL: &str = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";
const GROUPS: usize = 500;

pub fn run(bench: &Bench) -> Result<(), Box<dyn Error>> {
    if bench.replay {
        return replay::run(bench);
    }
    let krewind = build()?;
    let kafka = Kafka::builder().heap_mb(2048).as_a_server().start()?;
    let cluster = kafka.client();
    let sizes: &[i32] = if bench.small { &[6, 1000, 3000] } else { &[6, 1000, 3000, 10_000] };
    for &size in sizes {
        fill(&cluster, size)?;
    }
    let many: Vec<(&str, i32, i64)> = (0..6).map(|partition| ("t6", partition, 0)).collect();
    for number in 0..GROUPS {
        cluster.commit_all(&format!("many-{number:04}"), &many)?;
    }
    if bench.hold {
        println!("{}: groups g6, g1000, …, many-0000 to many-{:04}; Enter ends it", cluster.bootstrap(), GROUPS - 1);
        std::io::stdin().read_line(&mut String::new())?;
        return Ok(());
    }
    println!(
        "krewind {}, {} runs; kafka-consumer-groups {}, 3 runs; medians, one broker",
        version(&krewind)?,
        bench.runs,
        crate::kafka::version()
    );
    println!("{:<34}{:>12}{:>22}{:>8}{:>10}", "", "krewind", "kafka-consumer-groups", "ratio", "peak RSS");
    for &size in sizes {
        let group = format!("g{size}");
        row(
            bench,
            &krewind,
            &cluster,
            &format!("describe, {size} partitions"),
            &["describe", &group],
            &["--describe", "--group", &group],
        )?;
    }
    let all: &[&str] = &["describe", "--matching", "many-*"];
    let theirs: Vec<String> =
        (0..GROUPS).flat_map(|number| ["--group".to_owned(), format!("many-{number:04}")]).collect();
    let theirs: Vec<&str> = std::iter::once("--describe").chain(theirs.iter().map(String::as_str)).collect();
    row(bench, &krewind, &cluster, &format!("describe, {GROUPS} groups"), all, &theirs)?;
    let topic = ["--topic", "t6"];
    row(
        bench,
        &krewind,
        &cluster,
        "reset to earliest, 6 partitions, dry",
        &["reset", "g6", "--topic", "t6", "--to-earliest", "--dry-run"],
        &[&["--reset-offsets", "--group", "g6", "--to-earliest", "--dry-run"], &topic[..]].concat(),
    )?;
    for &size in sizes.iter().filter(|&&size| size != 3000) {
        applied(bench, &krewind, &cluster, size)?;
    }
    Ok(())
}

/// A topic of this size, and a group with a commit on each of its partitions.
fn fill(cluster: &Cluster, size: i32) -> Result<(), Box<dyn Error>> {
    let topic = format!("t{size}");
    // Kafka refuses to make 10,000 partitions by one request.
    cluster.create_topic(&topic, size.min(5000), &[])?;
    if size > 5000 {
        cluster.add_partitions(&topic, size)?;
    }
    let records: Vec<Record> =
        (0..size).map(|partition| Record::to(&topic).partition(partition).value("a record")).collect();
    cluster.produce(&records)?;
    stand_at(cluster, size, 0)
}

fn row(
    bench: &Bench,
    krewind: &Path,
    cluster: &Cluster,
    what: &str,
    ours: &[&str],
    theirs: &[&str],
) -> Result<(), Box<dyn Error>> {
    let mut tool = tool(cluster, theirs)?;
    let mut command = command(krewind, cluster, ours);
    let krewind_time = median(bench.runs, &mut command)?;
    let tool_time = median(3, &mut tool)?;
    println!(
        "{what:<34}{:>9.1} ms{:>19.0} ms{:>7.0}x{:>10}",
        ms(krewind_time),
        ms(tool_time),
        tool_time.as_secs_f64() / krewind_time.as_secs_f64(),
        peak(krewind, cluster, ours)
    );
    Ok(())
}

/// Real writes to a time before the first record, of groups that stand one offset further before each run: every row moves.
fn applied(bench: &Bench, krewind: &Path, cluster: &Cluster, size: i32) -> Result<(), Box<dyn Error>> {
    let (group, topic) = (format!("g{size}"), format!("t{size}"));
    let ours = [
        "reset",
        &group,
        "--topic",
        &topic,
        "--to-timestamp",
        "2020-01-01T00:00:00Z",
        "--skip-unread",
        "allow",
        "--yes",
    ];
    let theirs = [
        "--reset-offsets",
        "--group",
        &group,
        "--topic",
        &topic,
        "--to-datetime",
        "2020-01-01T00:00:00.000",
        "--execute",
    ];
    let times = |runs: usize, command: &mut Command| -> Result<Duration, Box<dyn Error>> {
        let mut times = Vec::with_capacity(runs);
        for _ in 0..runs {
            stand_at(cluster, size, 1)?;
            times.push(once(command)?);
        }
        times.sort();
        Ok(times[times.len() / 2])
    };
    let krewind_time = times(bench.runs, &mut command(krewind, cluster, &ours))?;
    let tool_time = times(3, &mut tool(cluster, &theirs)?)?;
    let what = format!("reset to a time, {size} partitions");
    println!(
        "{what:<34}{:>9.1} ms{:>19.0} ms{:>7.1}x",
        ms(krewind_time),
        ms(tool_time),
        tool_time.as_secs_f64() / krewind_time.as_secs_f64()
    );
    Ok(())
}

/// Commits this offset on each partition of the topic of this size.
fn stand_at(cluster: &Cluster, size: i32, offset: i64) -> Result<(), Box<dyn Error>> {
    let topic = format!("t{size}");
    let offsets: Vec<(&str, i32, i64)> = (0..size).map(|partition| (topic.as_str(), partition, offset)).collect();
    for chunk in offsets.chunks(1000) {
        cluster.commit_all(&format!("g{size}"), chunk)?;
    }
    Ok(())
}

fn command(krewind: &Path, cluster: &Cluster, args: &[&str]) -> Command {
    let mut command = Command::new(krewind);
    command.args(args).args(["-b", cluster.bootstrap()]);
    // A journal of this run alone.
    command.env("XDG_STATE_HOME", std::env::temp_dir().join(format!("krewind-bench-{}", std::process::id())));
    command
}

/// With the flags of Kafka's own script (`kafka-run-class.sh`).
fn tool(cluster: &Cluster, args: &[&str]) -> Result<Command, Box<dyn Error>> {
    let mut command = Command::new("java");
    command
        .args([
            "-Xmx256M",
            "-server",
            "-XX:+UseG1GC",
            "-XX:MaxGCPauseMillis=20",
            "-XX:InitiatingHeapOccupancyPercent=35",
        ])
        .args(["-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true", "-cp"])
        .arg(format!("{}/*", Jars::get()?.dir().display()))
        .arg(TOOL)
        .args(["--bootstrap-server", cluster.bootstrap()])
        .args(args);
    Ok(command)
}

fn median(runs: usize, command: &mut Command) -> Result<Duration, Box<dyn Error>> {
    let mut times = (0..runs).map(|_| once(command)).collect::<Result<Vec<_>, _>>()?;
    times.sort();
    Ok(times[times.len() / 2])
}

fn once(command: &mut Command) -> Result<Duration, Box<dyn Error>> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let status = command.status()?;
    let took = began.elapsed();
    if status.success() { Ok(took) } else { Err(format!("{command:?} ended with {status}").into()) }
}

/// The peak resident memory, where GNU time is installed.
fn peak(krewind: &Path, cluster: &Cluster, args: &[&str]) -> String {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M"]).arg(krewind).args(args).args(["-b", cluster.bootstrap()]);
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).output();
    let kilobytes = output.ok().and_then(|output| {
        String::from_utf8_lossy(&output.stderr).lines().last().and_then(|line| line.trim().parse::<u64>().ok())
    });
    kilobytes.map_or_else(|| "-".to_owned(), |kilobytes| format!("{} MB", kilobytes / 1024))
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn version(krewind: &Path) -> Result<String, Box<dyn Error>> {
    let output = Command::new(krewind).arg("--version").output()?;
    Ok(String::from_utf8(output.stdout)?.trim().trim_start_matches("krewind ").to_owned())
}

/// Builds the release binary, and tells where it is.
fn build() -> Result<PathBuf, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built =
        Command::new(cargo).args(["build", "--release", "--package", "krewind", "--bin", "krewind"]).status()?;
    if !built.success() {
        return Err("krewind does not build".into());
    }
    let target = std::env::current_exe()?.parent().and_then(Path::parent).map(Path::to_owned).unwrap_or_default();
    Ok(target.join("release").join("krewind"))
}
