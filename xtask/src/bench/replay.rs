//! `cargo xtask bench --replay`: each sink beside tuned kcat and Kafka's console consumer, in one run on one broker.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use local_kafka::{Cluster, Jars, Kafka};

use super::{Bench, build, version};

/// A topic to read, and how it is filled.
struct Topic {
    name: &'static str,
    records: u64,
    bytes: u64,
}

/// kcat at its best: with its own queue's defaults it waits most of the time.
const TUNED: [&str; 4] = ["-X", "queued.min.messages=1000000", "-X", "queued.max.messages.kbytes=1048576"];

pub fn run(bench: &Bench) -> Result<(), Box<dyn Error>> {
    let krewind = build()?;
    let kafka = Kafka::builder().heap_mb(2048).as_a_server().start()?;
    let cluster = kafka.client();
    let scratch = std::env::temp_dir().join(format!("krewind-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let topics = [
        Topic { name: "small", records: bench.records, bytes: 100 },
        Topic { name: "kilo", records: bench.records / 5, bytes: 1000 },
    ];
    println!("krewind {}, medians of 3 runs, one broker; MB are 10^6 bytes of values", version(&krewind)?);
    println!("{:<48}{:>9}{:>12}{:>9}{:>10}{:>8}", "", "seconds", "records/s", "MB/s", "peak RSS", "CPU s");
    for topic in &topics {
        fill(&cluster, topic)?;
        println!("{} records of {} bytes, 6 partitions", topic.records, topic.bytes);
        ours(bench, &krewind, &cluster, topic, &scratch)?;
        peers(&cluster, topic, &scratch)?;
    }
    std::fs::remove_dir_all(&scratch)?;
    Ok(())
}

fn fill(cluster: &Cluster, topic: &Topic) -> Result<(), Box<dyn Error>> {
    cluster.create_topic(topic.name, 6, &[])?;
    cluster.create_topic(&copy(topic), 6, &[])?;
    let status = java("org.apache.kafka.tools.ProducerPerformance")?
        .args(["--topic", topic.name, "--throughput", "-1", "--num-records", &topic.records.to_string()])
        .args(["--record-size", &topic.bytes.to_string(), "--bootstrap-server", cluster.bootstrap()])
        .args(["--command-property", "compression.type=none", "--command-property", "batch.size=200000"])
        .args(["--command-property", "linger.ms=20"])
        .stdout(Stdio::null())
        .status()?;
    if status.success() { Ok(()) } else { Err("the topic could not be filled".into()) }
}

fn copy(topic: &Topic) -> String {
    format!("{}-copy", topic.name)
}

fn ours(bench: &Bench, krewind: &Path, cluster: &Cluster, topic: &Topic, scratch: &Path) -> Result<(), Box<dyn Error>> {
    let into_topic = format!("kafka:{}", copy(topic));
    let file = |name: &str| scratch.join(name).display().to_string();
    let mut sinks: Vec<(String, Vec<&str>)> = vec![
        ("null".to_owned(), vec![]),
        (file("out.jsonl"), vec![]),
        (file("out.jsonl.zst"), vec![]),
        (file("out.jsonl.gz"), vec![]),
        (file("out.csv"), vec![]),
        (file("out.parquet"), vec![]),
        (file("out.sqlite"), vec![]),
        (into_topic, vec!["--yes"]),
    ];
    if let Some(url) = &bench.postgres {
        sinks.push((url.clone(), vec!["--table", topic.name, "--if-exists", "replace"]));
    }
    for (into, more) in &sinks {
        let mut command = timed(krewind);
        command.args(["replay", topic.name, "--from", "earliest", "-q", "--into", into, "-b", cluster.bootstrap()]);
        command.args(more).stdout(Stdio::null());
        let what = Path::new(into).file_name().map_or(into.clone(), |name| name.to_string_lossy().into_owned());
        measure(&format!("krewind --into {what}"), topic, &mut command, || remove(Path::new(into)))?;
    }
    // Into a pipe whose reader does nothing but read.
    let line = format!(
        "{} replay {} --from earliest -q -b {} | cat > /dev/null",
        krewind.display(),
        topic.name,
        cluster.bootstrap()
    );
    let mut command = timed(Path::new("sh"));
    command.args(["-c", &line]);
    measure("krewind | cat", topic, &mut command, || ())
}

fn peers(cluster: &Cluster, topic: &Topic, scratch: &Path) -> Result<(), Box<dyn Error>> {
    let kcat = |more: &[&str]| {
        let mut command = timed(Path::new("kcat"));
        command.args(["-C", "-t", topic.name, "-b", cluster.bootstrap(), "-o", "beginning", "-e", "-q"]);
        command.args(TUNED).args(more);
        command
    };
    if Command::new("kcat").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok() {
        measure("kcat, tuned, values to null", topic, kcat(&[]).stdout(Stdio::null()), || ())?;
        measure("kcat -J, tuned, to null", topic, kcat(&["-J"]).stdout(Stdio::null()), || ())?;
        let path = scratch.join("kcat.jsonl");
        let line = format!(
            "kcat -C -t {} -b {} -o beginning -e -q -J {} > {}",
            topic.name,
            cluster.bootstrap(),
            TUNED.join(" "),
            path.display()
        );
        measure("kcat -J, tuned, to a file", topic, timed(Path::new("sh")).args(["-c", &line]), || remove(&path))?;
        let line = format!(
            "kcat -C -t {0} -b {1} -o beginning -e -q {2} | kcat -P -t {0}-copy -b {1} -X linger.ms=50 -X queue.buffering.max.messages=2000000",
            topic.name,
            cluster.bootstrap(),
            TUNED.join(" "),
        );
        measure("kcat | kcat -P (values alone)", topic, timed(Path::new("sh")).args(["-c", &line]), || ())?;
    } else {
        println!("kcat is not installed, so it was not measured");
    }
    let mut console = timed(Path::new("java"));
    console
        .args(["-Xmx512M", "-cp"])
        .arg(format!("{}/*", Jars::get()?.dir().display()))
        .arg("org.apache.kafka.tools.consumer.ConsoleConsumer")
        .args(["--bootstrap-server", cluster.bootstrap(), "--topic", topic.name, "--from-beginning"])
        .args(["--max-messages", &topic.records.to_string()])
        .stdout(Stdio::null());
    measure("kafka-console-consumer to null", topic, &mut console, || ())
}

fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

fn java(class: &str) -> Result<Command, Box<dyn Error>> {
    let mut command = Command::new("java");
    command.arg("-Xmx512M").arg("-cp").arg(format!("{}/*", Jars::get()?.dir().display())).arg(class);
    Ok(command)
}

/// A command under GNU time, which writes seconds, kilobytes and CPU to a file.
fn timed(program: &Path) -> Command {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%e %M %U %S", "-o"]).arg(times()).arg(program);
    command
}

fn times() -> PathBuf {
    std::env::temp_dir().join(format!("krewind-bench-{}.times", std::process::id()))
}

/// Runs it three times, and prints the median by time.
fn measure(what: &str, topic: &Topic, command: &mut Command, clean: impl Fn()) -> Result<(), Box<dyn Error>> {
    let mut runs: Vec<[f64; 4]> = Vec::new();
    for _ in 0..3 {
        clean();
        let output = command.stdin(Stdio::null()).stderr(Stdio::piped()).output()?;
        if !output.status.success() {
            return Err(format!("{what}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr)).into());
        }
        let text = std::fs::read_to_string(times())?;
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        runs.push(numbers.try_into().map_err(|_| format!("GNU time wrote `{text}`"))?);
    }
    clean();
    runs.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let [seconds, kilobytes, user, system] = runs[1];
    println!(
        "{what:<48}{seconds:>9.2}{:>12.0}{:>9.0}{:>7.0} MB{:>8.1}",
        topic.records as f64 / seconds,
        (topic.records * topic.bytes) as f64 / 1e6 / seconds,
        kilobytes / 1024.0,
        user + system
    );
    Ok(())
}
