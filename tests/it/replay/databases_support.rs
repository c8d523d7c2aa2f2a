//! Real databases, asked by their own tools.

use super::support::*;
use local_kafka::client::Record;
use local_kafka::shared;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

const INSTALL: &str = "apt-get install -y postgresql sqlite3";

/// 1 June 2026, 08:00 UTC.
pub const JUNE: i64 = 1_780_300_800_000;

pub type Bytes<'a> = Option<&'a [u8]>;

/// Every byte once.
pub const EVERY: [u8; 256] = {
    let mut every = [0; 256];
    let mut at = 0;
    while at < 256 {
        every[at] = at as u8;
        at += 1;
    }
    every
};

/// Keys and values of the records that are hard to keep.
pub const CONTENTS: [(Bytes<'static>, Bytes<'static>); 7] = [
    (None, None),
    (Some(b""), Some(b"")),
    (None, Some(b"")),
    (Some(b"k"), None),
    (Some(&EVERY), Some(&EVERY)),
    (Some("é 注文 😀 \" \\ ' \n \t \0".as_bytes()), Some(b"\\x00")),
    (Some(b"\xc3\x28"), Some(b"{\"a\": 1}")),
];

/// A topic with [`CONTENTS`] in its first partition, a millisecond apart.
pub fn contents(what: &str) -> String {
    let cluster = shared();
    let topic = unique(what);
    cluster.create_topic(&topic, 1, &[("retention.ms", "-1")]).unwrap();
    let headers: [(&str, Bytes<'_>); 5] =
        [("b", Some(b"2")), ("a", None), ("b", Some(b"1")), ("é", Some(b"")), ("bin", Some(b"\xff\x00"))];
    let records: Vec<Record> = CONTENTS
        .iter()
        .enumerate()
        .map(|(n, (key, value))| {
            let mut record = Record::to(&topic).partition(0).timestamp(JUNE + n as i64);
            if let Some(key) = key {
                record = record.key(key);
            }
            if let Some(value) = value {
                record = record.value(value);
            }
            if n == 1 {
                headers.iter().fold(record, |record, (name, value)| record.header(name, *value))
            } else {
                record
            }
        })
        .collect();
    cluster.produce(&records).unwrap();
    topic
}

/// The headers of the second of them.
pub fn expected_headers() -> serde_json::Value {
    serde_json::json!([
        {"key": "b", "value": "2"}, {"key": "a", "value": null}, {"key": "b", "value": "1"}, {"key": "é", "value": ""},
        {"key": "bin", "value_base64": "/wA="}
    ])
}

/// A topic with so many numbers in each of its partitions.
pub fn numbers(what: &str, counts: &[usize]) -> String {
    let topic = unique(what);
    shared().create_topic(&topic, counts.len() as i32, &[]).unwrap();
    for (partition, count) in counts.iter().enumerate() {
        shared().produce_numbers(&topic, partition as i32, *count).unwrap();
    }
    topic
}

/// A topic with these values.
pub fn values_in(what: &str, values: &[&[u8]]) -> String {
    let topic = unique(what);
    shared().create_topic(&topic, 1, &[]).unwrap();
    let records: Vec<Record> = values.iter().map(|value| Record::to(&topic).partition(0).value(value)).collect();
    shared().produce(&records).unwrap();
    topic
}

/// A run from the start of the topic, its report in JSON.
pub fn whole<'a>(topic: &'a str, into: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[topic, "--from", "earliest", "--into", into, "-o", "json"], more].concat()
}

/// `written` and `duplicates` of a run that is complete.
#[track_caller]
pub fn counts(ran: &Ran) -> (u64, u64) {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(report["outcome"], "complete");
    (report["sink"]["written"].as_u64().unwrap(), report["sink"]["duplicates"].as_u64().unwrap())
}

/// A run that is refused: nothing was written.
#[track_caller]
pub fn refused(ran: &Ran, words: &str) {
    assert_eq!((ran.code, &ran.json()["code"]), (3, &"target-exists".into()), "{}", ran.stderr);
    assert!(ran.stderr.contains(words), "no `{words}`: {}", ran.stderr);
}

fn output(mut command: Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}; {INSTALL}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// What the `sqlite3` tool answers.
pub fn sqlite(path: &Path, sql: &str) -> String {
    let mut command = Command::new("sqlite3");
    command.args(["-batch", "-cmd", ".timeout 10000"]).arg(path).arg(sql);
    output(command)
}

/// A PostgreSQL server of the tests' own, which ends with them.
pub struct Postgres {
    directory: PathBuf,
    pub port: u16,
    /// The server's certificate, for `localhost`.
    pub certificate: PathBuf,
    /// Its standard input is what the server lives by: it closes when this process ends, however that is.
    _child: Child,
}

/// The one server.
pub fn postgres() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(Postgres::start)
}

/// Debian's place for the programs, the newest of them.
fn programs() -> PathBuf {
    let mut versions: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|entries| entries.map(|entry| entry.unwrap().path().join("bin")).collect())
        .unwrap_or_default();
    versions.retain(|path| path.join("initdb").exists());
    versions.sort();
    versions.pop().unwrap_or_else(|| panic!("no PostgreSQL is installed: {INSTALL}"))
}

impl Postgres {
    fn start() -> Postgres {
        let programs = programs();
        let directory = tempfile::Builder::new().prefix("krewind-pg-").tempdir().unwrap().keep();
        std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o755)).unwrap();
        let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let (certificate, key) = (directory.join("server.crt"), directory.join("server.key"));
        std::fs::write(&certificate, certified.cert.pem()).unwrap();
        std::fs::write(&key, certified.signing_key.serialize_pem()).unwrap();
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        std::fs::write(
            directory.join("hba"),
            "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\nhostnossl all plain 127.0.0.1/32 scram-sha-256\n",
        )
        .unwrap();
        // The server refuses to run as root.
        let root = std::fs::metadata("/proc/self").map(|own| std::os::unix::fs::MetadataExt::uid(&own)).unwrap() == 0;
        if root {
            for path in [&directory, &certificate, &key] {
                chown(path, Some(65534), Some(65534)).unwrap();
            }
        }
        let script = format!(
            "cd {dir} && {bin}/initdb -D data -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >initdb.log 2>&1 || exit 1\n\
             {bin}/postgres -D {dir}/data -c unix_socket_directories={dir} -c listen_addresses=127.0.0.1 -c port={port} \
             -c hba_file={dir}/hba -c ssl=on -c ssl_cert_file={dir}/server.crt -c ssl_key_file={dir}/server.key -c fsync=off \
             -c shared_buffers=32MB -c max_connections=60 </dev/null >server.log 2>&1 &\n\
             read -r _; kill -QUIT $!; wait; cd /; rm -rf {dir}",
            dir = directory.display(),
            bin = programs.display(),
        );
        let mut command = if root {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", &script]);
            command
        } else {
            let mut command = Command::new("sh");
            command.args(["-c", &script]);
            command
        };
        let child = command.stdin(Stdio::piped()).spawn().unwrap();
        let server = Postgres { directory, port, certificate, _child: child };
        until("PostgreSQL to answer", || {
            server
                .tool("postgres", "SELECT 1")
                .stderr(Stdio::null())
                .output()
                .is_ok_and(|output| output.status.success())
        });
        server.psql_in("postgres", "CREATE DATABASE shop");
        server.psql("CREATE ROLE writer LOGIN PASSWORD 'open:se\\same'; CREATE ROLE plain LOGIN PASSWORD 'plain'");
        server.psql("GRANT CREATE, USAGE ON SCHEMA public TO writer, plain");
        server
    }

    fn tool(&self, database: &str, sql: &str) -> Command {
        let mut command = Command::new("psql");
        let port = self.port.to_string();
        command.args([
            "-XAtq",
            "-v",
            "ON_ERROR_STOP=1",
            "-U",
            "postgres",
            "-p",
            &port,
            "-d",
            database,
            "-c",
            sql,
            "-h",
        ]);
        command.arg(&self.directory);
        command
    }

    fn psql_in(&self, database: &str, sql: &str) -> String {
        output(self.tool(database, sql))
    }

    /// What `psql` answers.
    pub fn psql(&self, sql: &str) -> String {
        self.psql_in("shop", sql)
    }

    /// The URL over the socket, as the superuser.
    pub fn url(&self) -> String {
        format!("postgres://postgres@/shop?host={}&port={}", self.directory.display(), self.port)
    }

    /// The URL over TCP, with this login and these options.
    pub fn tcp(&self, login: &str, options: &str) -> String {
        format!("postgres://{login}@localhost:{}/shop?{options}", self.port)
    }

    /// A `psql` that keeps its session, and what it does there, until it is dropped.
    pub fn session(&self, sql: &str) -> Session {
        let mut command = self.tool("shop", "");
        let args: Vec<String> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
        // Statements come by standard input instead.
        let kept = args.iter().filter(|arg| !arg.is_empty() && *arg != "-c");
        command = Command::new("psql");
        let mut child = command.args(kept).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(sql.as_bytes()).unwrap();
        Session(child)
    }
}

/// A session of `psql`.
pub struct Session(Child);

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
