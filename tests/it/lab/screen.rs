//! A terminal with a screen: a pseudo-terminal whose output is kept as a person sees it.

use crate::reset::runner::DEADLINE;
use expectrl::process::unix::{Signal, WaitStatus};
use expectrl::session::OsSession;
use expectrl::{Expect, Session};
use local_kafka::{Check, wait_for};
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::Command;

/// What is started at the terminal: the settings of the terminal are kept before and after it, and its exit code.
const SHELL: &str = r#"stty rows 24 cols 80; stty -g >"$KEPT/before"
/bin/sh -c 'echo $$ >"$KEPT/pid"; exec "$0" "$@"' "$0" "$@"
echo $? >"$KEPT/code"; stty -g >"$KEPT/after""#;

fn size(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).unwrap()
}

/// A terminal of 80x24 with a program on it.
pub struct Screen {
    session: OsSession,
    seen: vt100::Parser,
    all: Vec<u8>,
    kept: tempfile::TempDir,
}

/// What is left when the program has ended.
pub struct Left {
    /// Its exit code as the shell tells it.
    pub code: i32,
    /// All that it wrote.
    pub all: String,
    /// The terminal's settings before and after it.
    pub settings: (String, String),
    /// The terminal as the person sees it then.
    pub seen: vt100::Parser,
}

impl Screen {
    /// Starts this, with all of its streams on the terminal.
    pub fn start(run: &Command) -> Screen {
        let kept = tempfile::tempdir().unwrap();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SHELL]).arg(run.get_program()).args(run.get_args());
        command.env("KEPT", kept.path()).env("TERM", "xterm").env("NO_COLOR", "1").env("RUST_BACKTRACE", "0");
        for (name, value) in run.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        let mut session = Session::spawn(command).unwrap();
        session.get_process_mut().set_window_size(80, 24).unwrap();
        Screen { session, seen: vt100::Parser::new(size(24), size(80), 0), all: Vec::new(), kept }
    }

    /// Takes what came; whether the terminal was closed.
    fn take(&mut self) -> bool {
        let mut bytes = [0; 4096];
        loop {
            match self.session.try_read(&mut bytes) {
                Ok(0) => return true,
                Ok(count) => {
                    self.seen.process(&bytes[..count]);
                    self.all.extend(&bytes[..count]);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                // EIO: nobody has it open any more.
                Err(_) => return true,
            }
        }
    }

    fn until(&mut self, what: &str, mut done: impl FnMut(&vt100::Screen) -> bool) {
        let waited = wait_for(what, DEADLINE, || {
            let closed = self.take();
            Ok(match done(self.seen.screen()) {
                true => Check::Done(()),
                false if closed => panic!("it ended before {what}:\n{}", self.seen.screen().contents()),
                false => Check::NotYet(String::new()),
            })
        });
        if let Err(error) = waited {
            panic!("{error}\n{}", self.seen.screen().contents());
        }
    }

    /// Waits until the screen shows all of these at the same time, line ends taken as spaces.
    pub fn shows(&mut self, words: &[&str]) {
        self.until(&format!("{words:?}"), |screen| {
            let contents = screen.contents().split_whitespace().collect::<Vec<_>>().join(" ");
            words.iter().all(|words| contents.contains(words))
        });
    }

    /// Presses keys.
    pub fn presses(&mut self, keys: &str) {
        self.session.send(keys).unwrap();
    }

    /// Gives the terminal another size.
    pub fn resizes(&mut self, columns: u16, rows: u16) {
        self.take();
        self.seen.screen_mut().set_size(size(rows), size(columns));
        self.session.get_process_mut().set_window_size(columns, rows).unwrap();
    }

    /// Sends the program a signal.
    pub fn signals(&mut self, signal: &str) {
        let pid = std::fs::read_to_string(self.kept.path().join("pid")).unwrap();
        let sent = Command::new("/bin/sh").args(["-c", &format!("kill -{signal} {}", pid.trim())]).status().unwrap();
        assert!(sent.success());
    }

    /// The screen as it stands.
    pub fn seen(&self) -> &vt100::Screen {
        self.seen.screen()
    }

    /// Waits for the end.
    pub fn end(mut self) -> Left {
        let ended = wait_for("the end", DEADLINE, || {
            Ok(if self.take() { Check::Done(()) } else { Check::NotYet(String::new()) })
        });
        if let Err(error) = ended {
            let _ = self.session.get_process_mut().signal(Signal::SIGKILL);
            panic!("{error}\n{}", self.seen.screen().contents());
        }
        let status = self.session.get_process().wait().unwrap();
        assert!(matches!(status, WaitStatus::Exited(_, 0)), "{status:?}");
        let kept = |name: &str| std::fs::read_to_string(PathBuf::from(self.kept.path()).join(name)).unwrap();
        Left {
            code: kept("code").trim().parse().unwrap(),
            all: String::from_utf8_lossy(&self.all).into_owned(),
            settings: (kept("before"), kept("after")),
            seen: self.seen,
        }
    }
}

impl Left {
    /// The terminal is as it was before.
    pub fn is_as_before(&self) {
        assert_eq!(self.settings.0, self.settings.1);
        let screen = self.seen.screen();
        assert!(!screen.alternate_screen(), "the alternate screen was not left");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(self.all.contains("\x1b[?1049h"), "there never was a screen: {}", self.all);
    }
}
