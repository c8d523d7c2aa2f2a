//! The table again and again: redrawn in place on a terminal, one after the other elsewhere.

use super::Context;
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::plan::rates::add_rates;
use crate::render;
use crate::render::describe::Columns;
use crate::report::DescribeReport;
use crossterm::event::{Event, KeyCode, KeyModifiers, poll, read};
use crossterm::terminal::{Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{cursor, execute, queue, terminal};
use std::io::Write;
use std::time::{Duration, Instant};

/// The terminal in another mode; dropping it, also by a panic, leaves the terminal as it was.
struct Screen;

impl Screen {
    fn enter() -> std::io::Result<Screen> {
        terminal::enable_raw_mode()?;
        let screen = Screen;
        execute!(std::io::stdout(), EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }

    /// Draws lines from the top; what does not fit is cut, and said.
    fn draw(&self, text: &str) -> std::io::Result<()> {
        let (_, rows) = terminal::size()?;
        let mut stdout = std::io::stdout().lock();
        queue!(stdout, cursor::MoveTo(0, 0))?;
        let lines: Vec<&str> = text.lines().collect();
        let room = usize::from(rows);
        let cut = lines.len() > room;
        let shown = if cut { room.saturating_sub(1) } else { lines.len() };
        for line in &lines[..shown] {
            queue!(stdout, Clear(ClearType::CurrentLine))?;
            write!(stdout, "{line}\r\n")?;
        }
        if cut {
            queue!(stdout, Clear(ClearType::CurrentLine))?;
            write!(
                stdout,
                "… {} more lines: a taller terminal, `--topic` or `--state` shows them",
                lines.len() - shown
            )?;
        }
        queue!(stdout, Clear(ClearType::FromCursorDown))?;
        stdout.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = execute!(std::io::stdout(), LeaveAlternateScreen, cursor::Show);
        let _ = terminal::disable_raw_mode();
    }
}

/// Looks every `interval` until a person or a signal ends it.
pub fn run(
    context: &Context,
    interval: Duration,
    look: &dyn Fn() -> Result<DescribeReport>,
    columns: Columns,
    text: impl Fn(&DescribeReport) -> String,
) -> Result<Exit> {
    context.interrupt.stop_work();
    let mut before: Option<DescribeReport> = None;
    let mut next = || -> Result<DescribeReport> {
        let mut report = look()?;
        if let Some(before) = &before {
            add_rates(before, &mut report);
        }
        before = Some(report.clone());
        Ok(report)
    };
    if context.output == Output::Json || !context.ui.stdout_is_terminal() {
        return plainly(context, interval, next, text);
    }
    let failed = |error: std::io::Error| Error::new(Code::Io, "the terminal can't be drawn on").caused_by(error);
    let mut report = next()?;
    let screen = Screen::enter().map_err(failed)?;
    loop {
        let due = Instant::now() + interval;
        loop {
            // Drawn anew also after the terminal was resized.
            let heading = format!("every {interval:?}, {}; q ends", report.captured_at);
            let body = render::describe::table(&report, context.table_style(), columns);
            let drawn = terminal::size().map_err(failed)?;
            screen.draw(&format!("{heading}\n\n{body}")).map_err(failed)?;
            match wait(context, due, drawn).map_err(failed)? {
                Woken::Due => break,
                Woken::Resized => {}
                Woken::Quit => return Ok(Exit::Done),
                Woken::Interrupted => return Ok(Exit::Interrupted),
            }
        }
        report = next()?;
    }
}

enum Woken {
    Due,
    Resized,
    Quit,
    Interrupted,
}

/// Waits; that the terminal is no longer as large as it was `drawn` is seen by looking, since the signal can come before anyone
/// listens for it.
fn wait(context: &Context, due: Instant, drawn: (u16, u16)) -> std::io::Result<Woken> {
    loop {
        if terminal::size()? != drawn {
            return Ok(Woken::Resized);
        }
        if context.interrupt.came() {
            return Ok(Woken::Interrupted);
        }
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Woken::Due);
        }
        if !poll(left.min(Duration::from_millis(100)))? {
            continue;
        }
        if let Event::Key(key) = read()? {
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(Woken::Quit),
                KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(Woken::Interrupted),
                _ => {}
            }
        }
    }
}

/// Without a terminal: the table with its time, or one JSON object a line, until the reader leaves or a signal comes.
fn plainly(
    context: &Context,
    interval: Duration,
    mut next: impl FnMut() -> Result<DescribeReport>,
    text: impl Fn(&DescribeReport) -> String,
) -> Result<Exit> {
    loop {
        let due = Instant::now() + interval;
        let report = next()?;
        let shown = if context.output == Output::Json {
            let mut line = serde_json::to_string(&report)
                .map_err(|error| Error::new(Code::Internal, "the report could not be made").caused_by(error))?;
            line.push('\n');
            line
        } else {
            format!("{}\n{}\n", report.captured_at, text(&report))
        };
        if !context.emit_more(&shown)? {
            return Ok(Exit::Done);
        }
        while Instant::now() < due {
            if context.interrupt.came() {
                return Ok(Exit::Interrupted);
            }
            std::thread::sleep(Duration::from_millis(50).min(due.saturating_duration_since(Instant::now())));
        }
    }
}
