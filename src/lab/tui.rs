//! The lab on a whole terminal: keys in, screens out.

pub mod draw;
mod help;
mod next;
pub mod state;
mod table;
#[cfg(test)]
mod tests;
mod wrap;

use super::model::Settings;
use super::scenario::Scenario;
use crate::error::{Code, Error, Exit, Result};
use crossterm::event::{self, Event, KeyEventKind};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use state::{Flow, State};
use std::io::{IsTerminal, Stdout, stdout};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often `stop` is looked at while no key comes.
const LOOK: Duration = Duration::from_millis(200);

/// Whether the terminal is as the screen needs it.
static OPEN: AtomicBool = AtomicBool::new(false);

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;

/// Shows the lab until the person quits. `stop` ends it as Ctrl-C does.
pub fn run(settings: Settings, scenario: Option<&'static Scenario>, color: bool, stop: &AtomicBool) -> Result<Exit> {
    with_screen(|screen| {
        let mut state = State::new(settings, scenario);
        loop {
            screen.draw(&state, color)?;
            let flow = match screen.event(stop)? {
                Event::Key(key) if key.kind != KeyEventKind::Release => state.press(key),
                _ => Flow::Stay,
            };
            match flow {
                Flow::Stay => {}
                Flow::Quit => return Ok(Exit::Done),
                Flow::Interrupt => return Err(interrupted()),
            }
        }
    })
}

/// Opens the screen, does this, and leaves the terminal as it was, also where it panics.
pub fn with_screen<T>(work: impl FnOnce(&mut Screen) -> Result<T>) -> Result<T> {
    let mut screen = Screen::open()?;
    work(&mut screen)
}

/// Leaves the terminal as it was before the screen; once. For ends of the process that run no destructor.
pub fn restore() {
    if OPEN.swap(false, Ordering::SeqCst) {
        // Nothing is left to tell it to where this fails.
        let _ = execute!(stdout(), LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
    }
}

/// The terminal while the lab has it.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    /// What a panic did before.
    hook: Arc<Hook>,
}

impl Screen {
    fn open() -> Result<Screen> {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        if dumb || !std::io::stdin().is_terminal() || !stdout().is_terminal() {
            return Err(no_terminal("the lab's screen needs a terminal"));
        }
        let terminal = Terminal::new(CrosstermBackend::new(stdout())).map_err(failed)?;
        let hook: Arc<Hook> = Arc::new(std::panic::take_hook());
        let before = Arc::clone(&hook);
        std::panic::set_hook(Box::new(move |info| {
            // First, or the message would vanish with the alternate screen.
            restore();
            before(info);
        }));
        // From here on dropping it restores what was done so far.
        let screen = Screen { terminal, hook };
        OPEN.store(true, Ordering::SeqCst);
        enable_raw_mode().map_err(failed)?;
        execute!(stdout(), EnterAlternateScreen, cursor::Hide).map_err(failed)?;
        Ok(screen)
    }

    /// Draws the state, in the size that the terminal has now.
    pub fn draw(&mut self, state: &State, color: bool) -> Result<()> {
        self.terminal.draw(|frame| draw::draw(frame, state, color)).map(drop).map_err(failed)
    }

    /// Waits for a key or another size.
    pub fn event(&mut self, stop: &AtomicBool) -> Result<Event> {
        loop {
            if stop.load(Ordering::SeqCst) {
                return Err(interrupted());
            }
            if event::poll(LOOK).map_err(failed)? {
                return event::read().map_err(failed);
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
        // A thread that panics may not change the hook.
        if !std::thread::panicking() {
            let before = Arc::clone(&self.hook);
            std::panic::set_hook(Box::new(move |info| before(info)));
        }
    }
}

fn interrupted() -> Error {
    Error::new(Code::Interrupted, "interrupted")
}

fn no_terminal(message: impl Into<String>) -> Error {
    Error::new(Code::NoTerminal, message).hint("`--script ACTIONS`, or `--scenario NAME -o table`, needs no terminal")
}

fn failed(error: std::io::Error) -> Error {
    no_terminal(format!("the terminal failed: {error}")).caused_by(error)
}
