//! The consumer's process as the lab sees it: started, led step by step, and killed.

use super::child::{CONSUMER_COMMAND, JOIN_PATIENCE};
use crate::error::{Code, Error, Result};
use crate::report::{ConsumerRecord, ConsumerReply, ConsumerRequest, ConsumerStart};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long an answer may take beyond what the cluster may take.
const GRACE: Duration = Duration::from_secs(10);

/// A consumer in a process of its own. Dropped, it is killed.
pub struct Consumer {
    process: std::process::Child,
    requests: Option<ChildStdin>,
    answers: Receiver<Vec<u8>>,
    words: Option<JoinHandle<Vec<u8>>>,
    /// How long a step may take.
    patience: Duration,
    position: i64,
}

impl Consumer {
    /// Starts this program again as a consumer, and waits until its partition is assigned.
    pub fn start(start: &ConsumerStart) -> Result<Self> {
        let program = std::env::current_exe().map_err(|error| unstarted(&error))?;
        Consumer::start_program(&program, start)
    }

    /// The same with this `krewind`.
    pub fn start_program(program: &Path, start: &ConsumerStart) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg(CONSUMER_COMMAND);
        // A group of its own: Ctrl-C at the terminal is for the lab alone.
        command.process_group(0);
        let first = serde_json::to_vec(start).map_err(|error| unstarted(&error))?;
        Consumer::talk(command, first, Duration::from_millis(start.timeout_ms))
    }

    fn talk(mut command: Command, first: Vec<u8>, timeout: Duration) -> Result<Self> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| unstarted(&error))?;
        let (answered, answers) = channel();
        if let Some(stdout) = process.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).split(b'\n') {
                    if line.is_err() || line.is_ok_and(|line| answered.send(line).is_err()) {
                        return;
                    }
                }
            });
        }
        let words = process.stderr.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = pipe.read_to_end(&mut text);
                text
            })
        });
        let requests = process.stdin.take();
        let mut consumer = Consumer { process, requests, answers, words, patience: timeout + GRACE, position: 0 };
        match consumer.ask_line(first, timeout + JOIN_PATIENCE + GRACE)? {
            ConsumerReply::Joined { position } => consumer.position = position,
            other => return Err(consumer.unexpected(&other)),
        }
        Ok(consumer)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The offset that it reads next.
    pub fn position(&self) -> i64 {
        self.position
    }

    /// Polls for so many records; fewer come where the log ends.
    pub fn poll(&mut self, max: usize) -> Result<Vec<ConsumerRecord>> {
        match self.ask(&ConsumerRequest::Poll { max })? {
            ConsumerReply::Polled { records, position } => {
                self.position = position;
                Ok(records)
            }
            other => Err(self.unexpected(&other)),
        }
    }

    /// Processes what was polled.
    pub fn process(&mut self) -> Result<()> {
        match self.ask(&ConsumerRequest::Process)? {
            ConsumerReply::Processed => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Writes the record of this offset, which was polled.
    pub fn write(&mut self, offset: i64) -> Result<()> {
        match self.ask(&ConsumerRequest::Write { offset })? {
            ConsumerReply::Written => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Commits: this offset is to be read next.
    pub fn commit(&mut self, next: i64) -> Result<()> {
        match self.ask(&ConsumerRequest::Commit { next })? {
            ConsumerReply::Committed => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Leaves the group, as a consumer does that is stopped, and ends.
    pub fn leave(mut self) -> Result<()> {
        match self.ask(&ConsumerRequest::Leave)? {
            // It ends by itself; dropped, it is waited for.
            ConsumerReply::Left => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Kills it (`SIGKILL`), as a crash does: nothing is left, nothing committed any more. It is gone when this returns.
    pub fn kill(mut self) -> Result<()> {
        self.process.kill().and_then(|()| self.process.wait()).map(drop).map_err(|error| {
            Error::new(Code::Internal, format!("the consumer's process could not be killed: {error}")).caused_by(error)
        })
    }

    fn ask(&mut self, request: &ConsumerRequest) -> Result<ConsumerReply> {
        let line = serde_json::to_vec(request).map_err(|error| unstarted(&error))?;
        self.ask_line(line, self.patience)
    }

    fn ask_line(&mut self, mut line: Vec<u8>, patience: Duration) -> Result<ConsumerReply> {
        line.push(b'\n');
        let taken = self.requests.as_mut().is_some_and(|stdin| stdin.write_all(&line).is_ok() && stdin.flush().is_ok());
        let answer = match self.answers.recv_timeout(if taken { patience } else { GRACE }) {
            Ok(line) => line,
            Err(ended) => return Err(self.silent(ended == RecvTimeoutError::Timeout, patience)),
        };
        match serde_json::from_slice(&answer) {
            Ok(ConsumerReply::Failed { code, message }) => {
                let code = Code::named(&code).unwrap_or(Code::Internal);
                Err(Error::new(code, format!("the consumer: {message}")))
            }
            Ok(reply) => Ok(reply),
            Err(_) => Err(self.silent(false, patience)),
        }
    }

    /// There is no answer: ends the process, and tells what is known.
    fn silent(&mut self, timed_out: bool, patience: Duration) -> Error {
        self.end();
        if timed_out {
            let message = format!("the consumer's process gave no answer within {}s and was ended", patience.as_secs());
            return Error::new(Code::TimedOut, message);
        }
        let words = self.words.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let words = String::from_utf8_lossy(&words);
        let last = words.lines().rev().find(|line| !line.trim().is_empty());
        let last = last.map(|line| format!(": {line}")).unwrap_or_default();
        Error::new(Code::Internal, format!("the consumer's process ended without an answer{last}"))
    }

    fn unexpected(&mut self, reply: &ConsumerReply) -> Error {
        self.end();
        Error::new(Code::Internal, format!("the consumer's process gave another answer than was asked for: {reply:?}"))
    }

    fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn unstarted(error: &(impl std::error::Error + ?Sized)) -> Error {
    Error::new(Code::Internal, format!("the consumer's process could not be started: {error}"))
}

impl Drop for Consumer {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// A shell in the place of the consumer.
    fn shell(script: &str) -> Result<Consumer> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        Consumer::talk(command, b"{}".to_vec(), LONG)
    }

    const JOINED: &str = r#"read start; echo '{"joined":{"position":4}}'"#;

    #[test]
    fn each_step_has_its_answer() {
        let polled = r#"{"polled":{"records":[{"offset":4,"order_id":1001,"status":"paid"}],"position":5}}"#;
        let script = format!("{JOINED}; read a; echo '{polled}'; read b; echo '\"written\"'; read c; echo '\"left\"'");
        let mut consumer = shell(&script).unwrap();
        assert_eq!(consumer.position(), 4);
        let record = ConsumerRecord { offset: 4, order_id: 1001, status: "paid".to_owned() };
        assert_eq!(consumer.poll(1).unwrap(), [record]);
        assert_eq!(consumer.position(), 5);
        consumer.write(4).unwrap();
        consumer.leave().unwrap();
    }

    #[test]
    fn a_step_that_fails_says_why_and_can_be_followed_by_another() {
        let failed = r#"{"failed":{"code":"timed-out","message":"no broker"}}"#;
        let mut consumer = shell(&format!("{JOINED}; read a; echo '{failed}'; read b; echo '\"processed\"'")).unwrap();
        let error = consumer.commit(4).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::TimedOut, "the consumer: no broker"));
        consumer.process().unwrap();
    }

    #[test]
    fn an_end_without_an_answer_is_told_with_its_last_words() {
        let error = shell("read start; echo oops >&2; exit 1").err().unwrap();
        assert!(error.message.ends_with("without an answer: oops"), "{error}");
        let mut consumer = shell(&format!("{JOINED}; read a; exit 7")).unwrap();
        assert!(consumer.process().unwrap_err().message.contains("without an answer"));
        assert_eq!(consumer.process().unwrap_err().code, Code::Internal);
    }

    #[test]
    fn silence_has_an_end() {
        let mut consumer = shell(&format!("{JOINED}; exec sleep 60")).unwrap();
        consumer.patience = Duration::from_millis(200);
        assert_eq!(consumer.process().unwrap_err().code, Code::TimedOut);
    }

    #[test]
    fn another_answer_than_was_asked_for_ends_it() {
        let mut consumer = shell(&format!("{JOINED}; read a; echo '\"written\"'; exec sleep 60")).unwrap();
        assert!(consumer.process().unwrap_err().message.contains("another answer"));
    }
}
