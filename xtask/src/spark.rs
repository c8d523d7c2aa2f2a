//! `cargo xtask spark-check`: whether Spark's own Kafka source, given what `krewind window -o spark` prints, reads exactly the records
//! that `krewind replay` reads. Not part of CI: it fetches PySpark (400 MB) from PyPI and its Kafka source by Maven, once.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use local_kafka::client::Record;
use local_kafka::{Check, Cluster, Kafka, wait_for};

/// See that Spark reads the same records as krewind; fetches PySpark into target/ the first time
#[derive(Debug, Args)]
pub struct SparkCheck {
    /// Records of each partition that is filled
    #[arg(long, default_value_t = 5000)]
    records: i64,

    /// Take this binary as it is, where it exists, instead of building it
    #[arg(long, env = "KREWIND_DEMO_BINARY", hide = true)]
    binary: Option<PathBuf>,
}

const PYSPARK: &str = "pyspark==4.0.0";
const SOURCE: (&str, &str) = ("spark-sql-kafka-0-10_2.13", "4.0.0");
const SCRIPT: &str = include_str!("../spark/read.py");
const LIMIT: Duration = Duration::from_secs(60);

/// A record that was produced and committed, and its time.
struct Produced {
    topic: &'static str,
    partition: i32,
    offset: i64,
    time_ms: i64,
}

pub fn run(check: &SparkCheck) -> Result<(), Box<dyn Error>> {
    let krewind = match &check.binary {
        Some(binary) if binary.exists() => binary.clone(),
        _ => crate::demo::build()?,
    };
    // target/, beside the directory of this very binary.
    let here = std::env::current_exe()?;
    let dir = here.ancestors().nth(2).unwrap_or(Path::new("target")).join("spark");
    fs::create_dir_all(&dir)?;
    let python = python(&dir)?;
    let jars = jars(&dir)?;
    println!("# {PYSPARK} with {}:{}, Apache Kafka {}", SOURCE.0, SOURCE.1, crate::kafka::version());
    let kafka = Kafka::builder().setting("log.cleaner.backoff.ms", "200").start()?;
    let cluster = kafka.client();
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?;
    // A record a millisecond, up to an hour ago.
    let first = now - 3_600_000 - check.records;
    let produced = fill(&cluster, first, check.records)?;
    let script = dir.join("read.py");
    fs::write(&script, SCRIPT)?;
    let (from, to) = (first + check.records / 3, first + check.records * 2 / 3);
    let windows: [(&str, &[&str], Option<i64>); 2] =
        [("to the end", &["plain", "transactions", "compacted"], None), ("to a time", &["plain:0-1"], Some(to))];
    for (name, topics, to) in windows {
        println!("\n# {name}");
        let (from_text, to_text) = (from.to_string(), to.map(|to| to.to_string()));
        let mut window: Vec<&str> = [topics, &["--from", &from_text]].concat();
        if let Some(to) = &to_text {
            window.extend(["--to", to]);
        }
        let file = |end: &str| dir.join(format!("{}.{end}", name.replace(' ', "-")));
        let (printed, replayed, right) = (file("json"), file("jsonl"), file("csv"));
        let _ = fs::remove_file(&replayed);
        let spark = output(&krewind, &kafka, &[&["window", "-o", "spark"], &window[..]].concat())?;
        fs::write(&printed, spark)?;
        let into = replayed.display().to_string();
        print!("{}", output(&krewind, &kafka, &[&["replay", "--into", &into], &window[..]].concat())?);
        fs::write(&right, within(&produced, from, to))?;
        let status = Command::new(&python)
            .arg(&script)
            .args([kafka.bootstrap(), jars.as_str()])
            .args([&printed, &replayed, &right])
            .stderr(fs::File::create(dir.join("spark.log"))?)
            .status()?;
        if !status.success() {
            return Err(
                format!("Spark and krewind differ, or Spark failed: {}", dir.join("spark.log").display()).into()
            );
        }
    }
    Ok(())
}

/// What of the produced records lies in the window, by Kafka's rule: from the first record of its start's time or later, to the
/// first of its end's.
fn within(produced: &[Produced], from: i64, to: Option<i64>) -> String {
    let bound = |of: &Produced, time: i64| {
        let same = produced.iter().filter(|other| (other.topic, other.partition) == (of.topic, of.partition));
        same.filter(|other| other.time_ms >= time).map(|other| other.offset).min().unwrap_or(i64::MAX)
    };
    let mut bounds: std::collections::HashMap<(&str, i32), (i64, i64)> = std::collections::HashMap::new();
    let mut text = String::new();
    for record in produced {
        let (start, end) = *bounds
            .entry((record.topic, record.partition))
            .or_insert_with(|| (bound(record, from), to.map_or(i64::MAX, |to| bound(record, to))));
        if (start..end).contains(&record.offset) {
            text.push_str(&format!("{},{},{}\n", record.topic, record.partition, record.offset));
        }
    }
    text
}

/// `plain`: two partitions with records and one without. `transactions`: committed, aborted and plain ones in turn, an aborted one
/// last. `compacted`: a log that the cleaner has made gaps in.
fn fill(cluster: &Cluster, first: i64, count: i64) -> Result<Vec<Produced>, Box<dyn Error>> {
    let mut produced = Vec::new();
    let record = |topic: &str, partition: i32, number: i64| {
        Record::to(topic)
            .partition(partition)
            .key(format!("key-{}", number % 97))
            // Bytes that are no text.
            .value([b"value-", &number.to_be_bytes()[..]].concat())
            .header("n", Some(number.to_string().as_bytes()))
            .header("none", None)
            .timestamp(first + number)
    };
    let note = |produced: &mut Vec<Produced>, topic: &'static str, numbers: &[i64], at: Vec<(i32, i64)>| {
        let all = numbers.iter().zip(at);
        produced.extend(all.map(|(number, (partition, offset))| Produced {
            topic,
            partition,
            offset,
            time_ms: first + number,
        }));
    };
    cluster.create_topic("plain", 3, &[])?;
    for partition in 0..2 {
        let numbers: Vec<i64> = (0..count).collect();
        let records: Vec<Record> = numbers.iter().map(|number| record("plain", partition, *number)).collect();
        note(&mut produced, "plain", &numbers, cluster.produce(&records)?);
    }
    // Its last part is deleted from the front: the log does not start at 0.
    cluster.delete_records("plain", 1, count / 10)?;

    cluster.create_topic("transactions", 1, &[])?;
    let plain = cluster.producer(&[])?;
    let transactional = cluster.transactional_producer("spark-check", &[])?;
    // The first half without a marker, so that the start is a record's.
    let half: Vec<i64> = (0..count / 2).collect();
    let records: Vec<Record> = half.iter().map(|number| record("transactions", 0, *number)).collect();
    note(&mut produced, "transactions", &half, plain.produce(&records)?);
    let rest: Vec<i64> = (count / 2..count).collect();
    for (round, numbers) in rest.chunks(50).enumerate() {
        let records: Vec<Record> = numbers.iter().map(|number| record("transactions", 0, *number)).collect();
        match round % 3 {
            0 => note(&mut produced, "transactions", numbers, plain.produce(&records)?),
            1 => {
                transactional.begin()?;
                note(&mut produced, "transactions", numbers, transactional.produce(&records)?);
                transactional.commit()?;
            }
            _ => {
                transactional.begin()?;
                transactional.produce(&records)?;
                transactional.abort()?;
            }
        }
    }
    transactional.begin()?;
    transactional.produce(&[record("transactions", 0, count)])?;
    transactional.abort()?;

    let config = [("cleanup.policy", "compact"), ("segment.ms", "100"), ("min.cleanable.dirty.ratio", "0.01")];
    cluster.create_topic("compacted", 1, &config)?;
    // Every other record has a key of its own and stays, so that there are gaps all over the log.
    let kept = |number: i64| match number % 2 {
        0 => record("compacted", 0, number),
        _ => record("compacted", 0, number).key(format!("own-{number}")),
    };
    cluster.produce(&(0..count).map(kept).collect::<Vec<Record>>())?;
    let mut number = count;
    wait_for("the cleaner", LIMIT, || {
        // The active segment is never compacted, and rolls only when something is written whose time is later by `segment.ms`.
        number += 1000;
        cluster.produce(&[record("compacted", 0, number)])?;
        let seen = cluster.first_record("compacted", 0)?;
        Ok(if seen > 0 { Check::Done(()) } else { Check::NotYet(format!("the first offset is {seen}")) })
    })?;
    Ok(produced)
}

fn output(krewind: &Path, kafka: &Kafka, args: &[&str]) -> Result<String, Box<dyn Error>> {
    println!("$ krewind {}", args.join(" "));
    let mut command = Command::new(krewind);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("KREWIND_")) {
        command.env_remove(name);
    }
    let output = command.args(["-q", "-b", kafka.bootstrap()]).args(args).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        return Err(format!("krewind ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// A Python with PySpark, made once.
fn python(dir: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let venv = dir.join("venv");
    let python = venv.join("bin/python");
    let has = |python: &Path| {
        let check =
            format!("import pyspark; assert pyspark.__version__ == {:?}", PYSPARK.trim_start_matches("pyspark=="));
        let command = Command::new(python).args(["-c", &check]).stderr(Stdio::null()).status();
        command.is_ok_and(|status| status.success())
    };
    if !has(&python) {
        println!("# fetching {PYSPARK}");
        ran(Command::new("python3").args(["-m", "venv"]).arg(&venv), "a Python with venv (Debian: python3-venv)")?;
        ran(
            Command::new(&python).args(["-m", "pip", "install", "-q", "--disable-pip-version-check", PYSPARK]),
            "PyPI",
        )?;
    }
    Ok(python)
}

/// Spark's Kafka source with what it needs, as Spark's `spark.jars` takes it; fetched once.
fn jars(dir: &Path) -> Result<String, Box<dyn Error>> {
    let jars = dir.join("jars");
    let (artifact, version) = SOURCE;
    if !jars.join(format!("{artifact}-{version}.jar")).exists() {
        println!("# fetching {artifact}:{version}");
        let pom = dir.join("pom.xml");
        fs::write(
            &pom,
            format!(
                "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
                 <groupId>krewind</groupId><artifactId>spark-check</artifactId><version>1</version>\
                 <packaging>pom</packaging><dependencies><dependency><groupId>org.apache.spark</groupId>\
                 <artifactId>{artifact}</artifactId><version>{version}</version></dependency></dependencies></project>"
            ),
        )?;
        let mut command = Command::new("mvn");
        command.args(["-q", "-B", "-Dstyle.color=never", "-f"]).arg(&pom);
        command.args(["dependency:copy-dependencies", "-DincludeScope=runtime"]);
        ran(command.arg(format!("-DoutputDirectory={}", jars.display())), "Maven")?;
    }
    let mut files: Vec<String> = Vec::new();
    for entry in fs::read_dir(&jars)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jar") {
            files.push(path.display().to_string());
        }
    }
    files.sort();
    Ok(files.join(","))
}

fn ran(command: &mut Command, needs: &str) -> Result<(), Box<dyn Error>> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}; it needs {needs}").into()),
        Err(error) => Err(format!("{command:?} could not be run: {error}; it needs {needs}").into()),
    }
}
