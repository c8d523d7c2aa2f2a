//! The jars of a Kafka version: fetched once by the user's Maven into the user's cache directory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use etcetera::BaseStrategy;

use crate::Error;

/// The version that is started when `KREWIND_KAFKA_VERSION` is not set.
pub const DEFAULT_VERSION: &str = "4.4.0";

const POM: &str = include_str!("../pom.xml");
const LOG4J2: &str = include_str!("../java/log4j2.properties");
const STREAMS_APP: &str = include_str!("../java/StreamsApp.java");

/// The jars of one Kafka version on this machine, and the Java that runs them.
#[derive(Debug, Clone)]
pub struct Jars {
    version: String,
    dir: PathBuf,
    java: PathBuf,
}

impl Jars {
    /// The jars of the version in `KREWIND_KAFKA_VERSION`, or of [`DEFAULT_VERSION`]; fetches them
    /// when the cache does not hold them yet.
    ///
    /// # Errors
    /// When Java is missing, or Maven is missing or fails while the cache is empty.
    pub fn get() -> Result<&'static Jars, Error> {
        static JARS: OnceLock<Jars> = OnceLock::new();
        if let Some(jars) = JARS.get() {
            return Ok(jars);
        }
        let version = std::env::var("KREWIND_KAFKA_VERSION")
            .ok()
            .filter(|version| !version.is_empty())
            .unwrap_or_else(|| DEFAULT_VERSION.to_owned());
        let root = etcetera::choose_base_strategy()
            .map_err(|error| Error::NoHome(error.to_string()))?
            .cache_dir()
            .join("krewind")
            .join("kafka");
        let jars = Jars::of(&version, &root)?;
        Ok(JARS.get_or_init(|| jars))
    }

    /// The jars of `version` below the directory `root`.
    fn of(version: &str, root: &Path) -> Result<Jars, Error> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        if !version.chars().all(plain) || !version.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(Error::Unsupported(format!(
                "`{version}` is not a version of Kafka: KREWIND_KAFKA_VERSION is a number like {DEFAULT_VERSION}"
            )));
        }
        let java = find("java", std::env::var_os("JAVA_HOME"))
            .ok_or_else(|| Error::Missing(missing("java", "Java 17 or later")))?;
        let home = root.join(version);
        let dir = home.join(format!("jars-{}", digest(&[POM, LOG4J2, STREAMS_APP])));
        let jars = Jars { version: version.to_owned(), dir, java };
        if !jars.dir.is_dir() {
            let _lock = lock(&home)?;
            if !jars.dir.is_dir() {
                jars.fetch(&home)?;
            }
        }
        Ok(jars)
    }

    /// Which version of Kafka this is.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Where the jars lie.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A Java command with these jars, a heap limit and quick start flags; the class and its
    /// arguments are to be added.
    #[must_use]
    pub fn java(&self, heap_mb: u32) -> Command {
        self.java_with(heap_mb, &["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
    }

    /// The same with the flags that Kafka's own scripts give a server (`kafka-run-class.sh`): slower to start, faster then.
    pub fn java_as_a_server(&self, heap_mb: u32) -> Command {
        let collector = ["-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35"];
        self.java_with(heap_mb, &[&collector[..], &["-XX:+ExplicitGCInvokesConcurrent"]].concat())
    }

    fn java_with(&self, heap_mb: u32, flags: &[&str]) -> Command {
        let mut classpath = OsString::from(&self.dir);
        classpath.push("/*");
        let mut log4j = OsString::from("-Dlog4j2.configurationFile=file:");
        log4j.push(self.dir.join("log4j2.properties"));
        let mut command = Command::new(&self.java);
        command.arg(format!("-Xmx{heap_mb}m")).args(flags).arg(log4j).arg("-cp").arg(classpath);
        command
    }

    /// The Kafka Streams application, as a Java source file that `java` can run.
    pub(crate) fn streams_app(&self) -> PathBuf {
        self.dir.join("StreamsApp.java")
    }

    /// A directory that is made once and kept beside the jars: `fill` fills an empty directory,
    /// which gets its name only when that succeeded.
    pub(crate) fn cached(&self, name: &str, fill: impl FnOnce(&Path) -> Result<(), Error>) -> Result<PathBuf, Error> {
        let home = self.dir.parent().unwrap_or(&self.dir);
        let target = home.join(format!("{name}-{}", digest(&[POM])));
        if !target.is_dir() {
            let _lock = lock(home)?;
            if !target.is_dir() {
                make(home, &target, fill)?;
            }
        }
        Ok(target)
    }

    fn fetch(&self, home: &Path) -> Result<(), Error> {
        let mvn = find("mvn", std::env::var_os("MAVEN_HOME"))
            .ok_or_else(|| Error::Missing(missing("mvn", "Maven, to fetch Kafka's jars once,")))?;
        make(home, &self.dir, |dir| {
            let write =
                |name: &str, text: &str| fs::write(dir.join(name), text).map_err(Error::io(format!("write {name}")));
            write("pom.xml", POM)?;
            write("log4j2.properties", LOG4J2)?;
            write("StreamsApp.java", STREAMS_APP)?;
            let output = Command::new(&mvn)
                .args(["-q", "-B", "-Dstyle.color=never", "-f", "pom.xml"])
                .arg(format!("-Dkafka.version={}", self.version))
                .arg(format!("-Dlog4j.version={}", log4j_version(&self.version)))
                .args(["dependency:copy-dependencies", "-DincludeScope=runtime"])
                .arg(format!("-DoutputDirectory={}", dir.display()))
                .current_dir(dir)
                .stdin(Stdio::null())
                .output()
                .map_err(Error::io("run mvn"))?;
            let core = dir.join(format!("kafka_2.13-{}.jar", self.version));
            if !output.status.success() || !core.is_file() {
                return Err(Error::tool(format!("mvn, fetching the jars of Kafka {},", self.version), &output));
            }
            Ok(())
        })
    }
}

/// Fills a directory beside `target` and renames it when complete, so that a half-filled one is
/// never taken for a full one.
fn make(home: &Path, target: &Path, fill: impl FnOnce(&Path) -> Result<(), Error>) -> Result<(), Error> {
    let temporary = tempfile::Builder::new()
        .prefix(".filling-")
        .tempdir_in(home)
        .map_err(Error::io(format!("make a directory in {}", home.display())))?;
    fill(temporary.path())?;
    match fs::rename(temporary.path(), target) {
        Ok(()) => Ok(()),
        Err(_) if target.is_dir() => Ok(()),
        Err(source) => Err(Error::Io { what: format!("make {}", target.display()), source }),
    }
}

/// Held while one process fills the cache; others wait.
fn lock(home: &Path) -> Result<File, Error> {
    let what = || format!("lock {}", home.display());
    fs::create_dir_all(home).map_err(Error::io(what()))?;
    let file = File::create(home.join("lock")).map_err(Error::io(what()))?;
    file.lock().map_err(Error::io(what()))?;
    Ok(file)
}

/// The binding must be of the same version as the log4j that this Kafka brings.
fn log4j_version(kafka: &str) -> &'static str {
    let mut numbers = kafka.split('.').map(|part| part.parse().unwrap_or(0));
    match (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) {
        (0..=3, _) | (4, 0) => "2.24.3",
        _ => "2.25.5",
    }
}

fn find(program: &str, home: Option<OsString>) -> Option<PathBuf> {
    let of_home = home.filter(|home| !home.is_empty()).map(|home| PathBuf::from(home).join("bin").join(program));
    let path = std::env::var_os("PATH").unwrap_or_default();
    of_home.into_iter().chain(std::env::split_paths(&path).map(|dir| dir.join(program))).find(|file| file.is_file())
}

fn missing(program: &str, what: &str) -> String {
    format!(
        "`{program}` is not on the PATH: {what} is needed to run a local Kafka; \
         on Debian `apt install openjdk-17-jdk-headless maven` (or `default-jdk-headless`), \
         on macOS `brew install openjdk@17 maven`; \
         or give a broker that runs already: `docker compose up --wait` and \
         `KREWIND_TEST_BOOTSTRAP=127.0.0.1:9092`"
    )
}

fn digest(parts: &[&str]) -> String {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0);
    }
    format!("{:08x}", hasher.finish() & 0xffff_ffff)
}

/// Copies the files of a directory, and of the directories in it.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_names_packages_and_the_way_around_it() {
        let text = missing("mvn", "Maven");
        for part in [
            "openjdk-17-jdk-headless maven",
            "brew install openjdk@17 maven",
            "KREWIND_TEST_BOOTSTRAP",
            "docker compose up",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_program_is_looked_for_in_its_home_first() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("bin")).unwrap();
        let program = home.path().join("bin/sh");
        fs::write(&program, "").unwrap();
        assert_eq!(find("sh", Some(home.path().into())), Some(program));
        assert!(find("sh", None).is_some());
        assert_eq!(find("no-such-program-here", None), None);
    }

    #[test]
    fn only_a_version_is_a_version() {
        let root = tempfile::tempdir().unwrap();
        for text in ["../4.4.0", "latest", "", "4.4.0;x"] {
            assert!(matches!(Jars::of(text, root.path()), Err(Error::Unsupported(_))));
        }
    }

    #[test]
    fn a_directory_that_could_not_be_filled_is_not_there() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("jars");
        let result = make(home.path(), &target, |dir| {
            fs::write(dir.join("half"), "").unwrap();
            Err(Error::Unsupported("no".to_owned()))
        });
        assert!(result.is_err());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_log_binding_follows_kafka() {
        assert_eq!(log4j_version("3.9.1"), "2.24.3");
        assert_eq!(log4j_version("4.0.0"), "2.24.3");
        assert_eq!(log4j_version("4.4.0"), "2.25.5");
    }
}
