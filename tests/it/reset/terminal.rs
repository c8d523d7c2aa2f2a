//! A person at a terminal: the run in a pseudo-terminal, its report in a file.

use super::runner::{DEADLINE, Krewind, Ran};
use expectrl::process::unix::{Signal, WaitStatus};
use expectrl::session::OsSession;
use expectrl::{Eof, Expect, Session};
use local_kafka::{Check, wait_for};
use std::process::Command;

/// A run that asks.
pub struct Terminal {
    session: OsSession,
    seen: String,
    report: tempfile::NamedTempFile,
}

impl Terminal {
    /// Starts it with standard input and standard error on the terminal, standard output in a file.
    pub fn start(krewind: &Krewind, args: &[&str]) -> Terminal {
        Terminal::redirected(krewind, args, r#"exec "$0" "$@" >"$REPORT""#)
    }

    /// Starts it as this line of shell says: `$0` is the program, `$@` its arguments, `$REPORT` a file.
    pub fn redirected(krewind: &Krewind, args: &[&str], shell: &str) -> Terminal {
        let report = tempfile::NamedTempFile::new().unwrap();
        let run = krewind.command(args);
        let mut command = Command::new("/bin/sh");
        // By the run itself: from here the size might come after its first look.
        let shell = format!("stty rows 50 cols 200; {shell}");
        command.args(["-c", &shell]).arg(run.get_program()).args(run.get_args());
        krewind.environment(&mut command);
        command.env("REPORT", report.path()).env("NO_COLOR", "1");
        let mut session = Session::spawn(command).unwrap();
        session.get_process_mut().set_window_size(200, 50).unwrap();
        Terminal { session, seen: String::new(), report }
    }

    /// Waits until the terminal shows this. Looking again and again with pauses: expectrl's own wait takes a whole core.
    pub fn shows(&mut self, words: &str) {
        let (session, seen) = (&mut self.session, &mut self.seen);
        let found = wait_for(&format!("`{words}` on the terminal"), DEADLINE, || {
            Ok(match session.check(words) {
                Ok(captures) if !captures.is_empty() => Check::Done(captures.as_bytes().to_vec()),
                Ok(_) => Check::NotYet(String::new()),
                Err(error) => panic!("the run ended before `{words}`: {error}\n{seen}"),
            })
        });
        match found {
            Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
            Err(error) => panic!("{error}\n{}", self.seen),
        }
    }

    /// Types a line.
    pub fn types(&mut self, line: &str) {
        self.session.send(format!("{line}\r")).unwrap();
    }

    /// Presses a key.
    pub fn presses(&mut self, key: &str) {
        self.session.send(key).unwrap();
    }

    /// Gives the terminal another size.
    pub fn resizes(&mut self, columns: u16, rows: u16) {
        self.session.get_process_mut().set_window_size(columns, rows).unwrap();
    }

    /// The process at the terminal.
    pub fn pid(&self) -> u32 {
        u32::try_from(self.session.get_process().pid().as_raw()).unwrap()
    }

    /// Waits for the end: what the terminal showed is `stderr`, what went to the file is `stdout`.
    pub fn end(mut self) -> Ran {
        let (session, seen) = (&mut self.session, &mut self.seen);
        let ended = wait_for("krewind to end", DEADLINE, || {
            Ok(match session.check(Eof) {
                Ok(captures) if !captures.is_empty() => {
                    seen.push_str(&String::from_utf8_lossy(captures.as_bytes()));
                    Check::Done(())
                }
                Ok(_) => Check::NotYet(String::new()),
                Err(_) => Check::Done(()),
            })
        });
        if let Err(error) = ended {
            let _ = self.session.get_process_mut().signal(Signal::SIGKILL);
            panic!("{error}\n{}", self.seen);
        }
        let code = match self.session.get_process().wait().unwrap() {
            WaitStatus::Exited(_, code) => Some(code),
            _ => None,
        };
        let stdout = std::fs::read_to_string(self.report.path()).unwrap();
        Ran { code, stdout, stderr: self.seen.replace('\r', "") }
    }
}
