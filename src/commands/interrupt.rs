//! Ctrl-C and SIGTERM, and SIGHUP while a write is under way.

use crate::error::{Code, Error, Exit};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

/// The process ends at once: nothing is half done.
const AT_ONCE: u8 = 0;
/// The first signal asks the work to stop, the second ends the process.
const STOP_WORK: u8 = 1;
/// Signals are kept for later: a write is under way, and its report must not be lost.
const HELD: u8 = 2;

/// What a signal does, and whether one came.
#[derive(Debug)]
pub struct Interrupt {
    mode: AtomicU8,
    came: AtomicBool,
    told: AtomicBool,
    json: AtomicBool,
    /// What the first signal is answered with, where the work can't stop at once.
    answer: OnceLock<&'static str>,
}

impl Interrupt {
    /// Listens from now on, for the rest of the process. tokio does the signal handling.
    /// `json`: whether the end is told as a report too.
    pub fn listen(json: bool) -> &'static Interrupt {
        static INTERRUPT: Interrupt = Interrupt {
            mode: AtomicU8::new(AT_ONCE),
            came: AtomicBool::new(false),
            told: AtomicBool::new(false),
            json: AtomicBool::new(false),
            answer: OnceLock::new(),
        };
        INTERRUPT.json.store(json, Ordering::SeqCst);
        let listener = std::thread::Builder::new().name("signals".to_owned());
        let (ready, listening) = std::sync::mpsc::channel::<()>();
        // Without the thread Ctrl-C ends the process as it does any other.
        let _ = listener.spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            runtime.block_on(async {
                use tokio::signal::unix::{SignalKind, signal};
                let (Ok(mut interrupt), Ok(mut terminate)) =
                    (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
                else {
                    return;
                };
                drop(ready);
                tokio::spawn(async move {
                    while terminate.recv().await.is_some() {
                        INTERRUPT.signal();
                    }
                });
                while interrupt.recv().await.is_some() {
                    INTERRUPT.signal();
                }
            });
        });
        // Until it listens a signal is lost where the process was started with it ignored, as shells do in the background. The
        // sender is gone when it does, or can't.
        let _ = listening.recv();
        &INTERRUPT
    }

    fn signal(&self) {
        let before = self.came.swap(true, Ordering::SeqCst);
        let mode = self.mode.load(Ordering::SeqCst);
        if mode == AT_ONCE || mode == STOP_WORK && before {
            crate::lab::tui::restore();
            // The cursor may be hidden by a prompt that was waiting.
            if console::user_attended_stderr() {
                let _ = console::Term::stderr().show_cursor();
            }
            if self.tell_once() {
                let message = if mode == AT_ONCE { "interrupted; nothing was written" } else { "interrupted" };
                let _ = writeln!(std::io::stderr().lock(), "\nerror: {message}");
                if self.json.load(Ordering::SeqCst) {
                    super::print_error(&Error::new(Code::Interrupted, message));
                }
            } else {
                self.let_the_other_tell();
            }
            super::leave(Exit::Interrupted);
        }
        if let Some(answer) = self.answer.get()
            && !before
        {
            let _ = writeln!(std::io::stderr().lock(), "\n{answer}");
        }
    }

    /// Whether nobody has told yet that the run was interrupted: a prompt and the signal both notice.
    pub fn tell_once(&self) -> bool {
        !self.told.swap(true, Ordering::SeqCst)
    }

    /// Waits for the end of the process by whoever tells that it was interrupted; both streams may be slow to take it.
    pub fn let_the_other_tell(&self) {
        std::thread::sleep(Duration::from_secs(10));
    }

    /// From now on the end is told in words alone.
    pub fn keep_from_stdout(&self) {
        self.json.store(false, Ordering::SeqCst);
    }

    /// Set by the first signal while work that can stop is under way.
    pub fn flag(&self) -> &AtomicBool {
        &self.came
    }

    /// Whether a signal came.
    pub fn came(&self) -> bool {
        self.came.load(Ordering::SeqCst)
    }

    /// From now on the first signal sets [`Self::flag`], and the second ends the process.
    pub fn stop_work(&self) {
        self.mode.store(STOP_WORK, Ordering::SeqCst);
    }

    /// The same for a terminal that goes away: what was made for this run alone is to be taken away again. The first signal is
    /// answered at once.
    pub fn stop_work_also_on_hangup(&'static self, answer: &'static str) {
        let _ = self.answer.set(answer);
        self.stop_work();
        let listener = std::thread::Builder::new().name("hangup".to_owned());
        let _ = listener.spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
            runtime.block_on(async {
                let Ok(mut hangup) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()) else {
                    return;
                };
                while hangup.recv().await.is_some() {
                    self.came.store(true, Ordering::SeqCst);
                }
            });
        });
    }

    /// From now on signals only set [`Self::flag`], and a terminal that goes away ends nothing: what was agreed to is written to
    /// its end, and the journal is told.
    pub fn hold(&self) {
        // Not before: `nohup` has SIGHUP ignored, and a listener would undo that. The first listener replaces what the signal does
        // for the rest of the process.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let _ = runtime.map(|runtime| {
            runtime.block_on(async { tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()) })
        });
        self.mode.store(HELD, Ordering::SeqCst);
    }
}
