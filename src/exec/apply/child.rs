//! The process that writes, and the talk with it: a request and an answer a line.

use crate::report::{WriteChunk, WriteFault, WriteReply, WriteRequest};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The hidden subcommand that the child runs.
pub const WRITE_COMMAND: &str = "__write";

/// What the child answered to a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Each row's answer, in the order sent.
    Rows(Vec<Option<WriteFault>>),
    /// Nothing of it was sent, and why.
    NotSent(String),
    /// The child ended, or was ended, without an answer: it is not known what was sent.
    Silent(String),
}

/// A child that waits for chunks.
pub struct Child {
    process: std::process::Child,
    /// Lines to hand over; whether each of them got there comes back.
    lines: Sender<Vec<u8>>,
    handed_over: Receiver<std::io::Result<()>>,
    /// Lines of which it is not known yet whether the child took them.
    unconfirmed: usize,
    answers: Receiver<Vec<u8>>,
    words: Option<JoinHandle<Vec<u8>>>,
}

impl Child {
    /// Starts this program again as the child.
    pub fn start(request: &WriteRequest) -> std::io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(WRITE_COMMAND);
        // A group of its own: Ctrl-C at the terminal must not end a write half-way.
        command.process_group(0);
        Child::talk(command, serde_json::to_vec(request)?)
    }

    fn talk(mut command: Command, first: Vec<u8>) -> std::io::Result<Self> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let (lines, to_send) = channel::<Vec<u8>>();
        let (sent, handed_over) = channel();
        let (answered, answers) = channel();
        let _ = lines.send(first);
        if let Some(stdin) = process.stdin.take() {
            // On a thread: a child that does not read would hold up its deadline.
            std::thread::spawn(move || hand_over(stdin, &to_send, &sent));
        }
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
        Ok(Child { process, lines, handed_over, unconfirmed: 1, answers, words })
    }

    /// Hands over a chunk and waits for its answer, no longer than `patience`.
    pub fn ask(&mut self, chunk: &WriteChunk, patience: Duration) -> Answer {
        match serde_json::to_vec(chunk) {
            Ok(line) => self.ask_line(line, patience),
            Err(error) => Answer::NotSent(format!("the request could not be made: {error}")),
        }
    }

    fn ask_line(&mut self, line: Vec<u8>, patience: Duration) -> Answer {
        let deadline = Instant::now() + patience;
        self.unconfirmed += 1;
        let _ = self.lines.send(line);
        let answer = match self.answers.recv_timeout(patience) {
            Ok(line) => line,
            Err(ended) => return self.ended(ended == RecvTimeoutError::Timeout, patience),
        };
        // Only a whole line is an answer; what else is printed is none.
        match serde_json::from_slice::<WriteReply>(&answer) {
            Ok(reply) => {
                while self.handed_over.try_recv().is_ok() {
                    self.unconfirmed = self.unconfirmed.saturating_sub(1);
                }
                match reply {
                    WriteReply::Rows(rows) => Answer::Rows(rows),
                    WriteReply::NotSent(fault) => Answer::NotSent(fault.message),
                }
            }
            Err(_) => {
                let _ = self.process.kill();
                self.ended(Instant::now() >= deadline, patience)
            }
        }
    }

    /// There is no answer: ends the child, and tells whether it can have sent anything.
    fn ended(&mut self, timed_out: bool, patience: Duration) -> Answer {
        if timed_out {
            let _ = self.process.kill();
        }
        let status = self.process.wait().ok();
        // What the child did not take whole it can't have sent.
        for _ in 0..std::mem::take(&mut self.unconfirmed) {
            match self.handed_over.recv() {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    return Answer::NotSent(format!("the writing process did not take its work: {error}"));
                }
                Err(_) => return Answer::NotSent("the writing process is gone".to_owned()),
            }
        }
        let words = self.words.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let words = String::from_utf8_lossy(&words);
        let last = words.lines().rev().find(|line| !line.trim().is_empty());
        let last = last.map(|line| format!(": {line}")).unwrap_or_default();
        Answer::Silent(match status {
            Some(status) if !timed_out => format!("the writing process ended without an answer ({status}){last}"),
            _ => format!("the writing process gave no answer within {}s and was ended{last}", patience.as_secs()),
        })
    }
}

fn hand_over(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>, sent: &Sender<std::io::Result<()>>) {
    for mut line in lines {
        line.push(b'\n');
        let written = stdin.write_all(&line).and_then(|()| stdin.flush());
        let failed = written.is_err();
        if sent.send(written).is_err() || failed {
            return;
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Its work is done: it ends when its standard input does, and has nothing to lose before.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of a shell in the place of the writing process.
    fn answer(script: &str, request: usize, patience: Duration) -> Answer {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        let mut child = Child::talk(command, b"first".to_vec()).unwrap();
        child.ask_line(vec![b'x'; request], patience)
    }

    const LONG: Duration = Duration::from_secs(60);
    /// More than a pipe holds.
    const LARGE: usize = 1 << 20;

    #[test]
    fn a_child_that_does_not_take_its_work_has_sent_nothing() {
        for (script, patience) in [("exec sleep 60", Duration::from_millis(200)), ("exit 3", LONG)] {
            let started = Instant::now();
            let answer = answer(script, LARGE, patience);
            assert!(matches!(&answer, Answer::NotSent(_)), "{answer:?}");
            assert!(started.elapsed() < Duration::from_secs(30), "{script}");
        }
    }

    #[test]
    fn a_child_that_took_its_work_and_says_nothing_may_have_sent_it() {
        let silent = |script: &str, patience| match answer(script, LARGE, patience) {
            Answer::Silent(why) => why,
            other => panic!("{other:?}"),
        };
        let take = "read first; head -n 1 >/dev/null";
        assert!(silent(&format!("{take}; echo oops >&2; kill -ABRT $$"), LONG).contains("signal: 6"));
        assert!(silent(&format!("{take}; echo oops >&2; exit 1"), LONG).ends_with("oops"));
        assert!(silent(&format!("{take}; echo nonsense"), LONG).contains("without an answer"));
        assert!(silent(&format!("{take}; exec sleep 60"), Duration::from_millis(500)).contains("gave no answer"));
    }

    #[test]
    fn the_answer_is_what_the_child_prints() {
        let script =
            r#"cat >/dev/null & read first; echo '{"rows": [null, {"message": "no", "undecided": false}]}'; wait"#;
        let refused = WriteFault { message: "no".to_owned(), undecided: false };
        assert_eq!(answer(script, 10, LONG), Answer::Rows(vec![None, Some(refused)]));
    }

    #[test]
    fn chunk_after_chunk_has_its_own_answer() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", r#"read first; read a; echo '{"rows": [null]}'; read b; exit 7"#]);
        let mut child = Child::talk(command, b"first".to_vec()).unwrap();
        assert_eq!(child.ask_line(b"a".to_vec(), LONG), Answer::Rows(vec![None]));
        assert!(matches!(child.ask_line(b"b".to_vec(), LONG), Answer::Silent(why) if why.contains("exit status: 7")));
        assert!(matches!(child.ask_line(b"c".to_vec(), LONG), Answer::NotSent(_) | Answer::Silent(_)));
    }
}
