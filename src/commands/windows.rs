//! Which windows of which topics: arguments of the commands that read or resolve them.

mod file;

use super::Context;
use crate::cli::span;
use crate::error::{Error, Result};
use crate::model::TopicSelection;
use crate::offset::{NoCommit, OutOfRange, Target, time};
use crate::plan::window::{Bounds, Mode, Start, WindowSpec};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// How far past the end records are looked for, unless told.
const PADDING: Duration = Duration::from_secs(3600);

/// The topics and their windows.
#[derive(Debug, Args)]
#[command(next_help_heading = "Window")]
pub struct WindowArgs {
    /// Topics, by their exact names; with partitions as in `orders:0,3-5`
    #[arg(value_name = "TOPIC[:PARTITIONS]", help_heading = Option::<&str>::None)]
    topics: Vec<String>,

    /// The same; as Kafka's own tools name it
    #[arg(long = "topic", value_name = "TOPIC[:PARTITIONS]", help_heading = Option::<&str>::None)]
    named: Vec<String>,

    /// Start at the first record of this time or later, or at `earliest`
    #[arg(long, value_name = "TIME", conflicts_with_all = ["start_offset", "from_group", "last", "window_file"])]
    from: Option<String>,

    /// End before the first record of this time or later; without it at the log's end when the run begins (`latest`)
    #[arg(long, value_name = "TIME", conflicts_with_all = ["end_offset", "window_file"])]
    to: Option<String>,

    /// Start at this offset of each partition
    #[arg(
        long,
        value_name = "OFFSET",
        value_parser = clap::value_parser!(i64).range(0..),
        conflicts_with_all = ["from_group", "last", "window_file"]
    )]
    start_offset: Option<i64>,

    /// End before this offset of each partition
    #[arg(
        long,
        value_name = "OFFSET",
        value_parser = clap::value_parser!(i64).range(0..),
        conflicts_with = "window_file"
    )]
    end_offset: Option<i64>,

    /// Start where this group's commits stand; without topics on all that it has commits on
    #[arg(long, value_name = "GROUP", conflicts_with_all = ["last", "window_file"])]
    from_group: Option<String>,

    /// Start this many offsets before the end of each partition; records may be fewer, since compacted and transactional logs
    /// have offsets without one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..), conflicts_with = "window_file")]
    last: Option<i64>,

    /// Each partition's own window from this file, `topic,partition,start_offset,end_offset` as `krewind window -o csv` writes it;
    /// topics need not be named then
    #[arg(long, value_name = "FILE")]
    window_file: Option<PathBuf>,

    /// What bounds by time mean
    #[arg(long = "window", value_enum, value_name = "MODE", default_value_t = ModeArg::Offsets)]
    mode: ModeArg,

    /// With `--window timestamps`, how far past the end records are looked for that came late [default: 1h]
    #[arg(long, value_name = "SPAN", value_parser = span)]
    padding: Option<Duration>,

    /// What to do with an offset or a commit that lies outside a partition's log
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = OutOfRangeArg::Fail)]
    out_of_range: OutOfRangeArg,

    /// With `--from-group`, what to do in a partition that the group has no commit on [default: fail]
    #[arg(long, value_enum, value_name = "POLICY")]
    no_commit: Option<NoCommitArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    /// Offsets that are looked up once: everything between them, whatever its timestamp
    Offsets,
    /// Exactly the records whose own timestamp lies between the bounds, out of order too
    Timestamps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutOfRangeArg {
    /// Refuse
    Fail,
    /// Take the nearest offset within it
    Clamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NoCommitArg {
    /// Refuse
    Fail,
    /// Read nothing there
    Skip,
    /// Start at the log start
    UseEarliest,
    /// Start at the end
    UseLatest,
}

/// What was asked for.
#[derive(Debug)]
pub struct Windows {
    /// The topics; none where the window itself tells them.
    pub topics: Vec<TopicSelection>,
    /// Their windows.
    pub spec: WindowSpec,
}

impl Windows {
    /// Says what times resolved to.
    pub fn echo(&self, context: &Context) {
        let Bounds::Alike { from, to } = &self.spec.bounds else { return };
        for (side, target) in
            [("from", if let Start::At(target) = from { target } else { &Target::Earliest }), ("to", to)]
        {
            if let Target::Timestamp(moment) = target {
                context.ui.status(&format!("{side} {}", moment.echo(context.now)));
            }
        }
    }
}

impl WindowArgs {
    /// What they ask for; `command` is the one that hints name.
    pub fn windows(&self, context: &Context, command: &str) -> Result<Windows> {
        let mut topics = self
            .topics
            .iter()
            .chain(&self.named)
            .map(|text| text.parse::<TopicSelection>().map_err(Error::usage))
            .collect::<Result<Vec<_>>>()?;
        if topics.is_empty() && self.window_file.is_none() && self.from_group.is_none() {
            return Err(Error::usage("no topic is named").hint(format!("`krewind {command} TOPIC --from 2h`")));
        }
        // clap's own requirement lapses where what is required conflicts with another argument.
        if self.no_commit.is_some() && self.from_group.is_none() {
            return Err(Error::usage("`--no-commit` is about the commits of a group").hint("`--from-group GROUP`"));
        }
        let bounds = match &self.window_file {
            Some(path) => {
                let mut windows = file::read(path)?;
                if !topics.is_empty() {
                    file::restrict(path, &mut windows, &topics)?;
                    topics.clear();
                }
                Bounds::Each { file: path.display().to_string(), windows }
            }
            None => {
                let bounds = (self.start(context, command)?, self.end(context)?);
                not_backwards(&bounds)?;
                Bounds::Alike { from: bounds.0, to: bounds.1 }
            }
        };
        let out_of_range = match self.out_of_range {
            OutOfRangeArg::Fail => OutOfRange::Fail,
            OutOfRangeArg::Clamp => OutOfRange::Clamp,
        };
        let mode = self.mode(&bounds)?;
        Ok(Windows { topics, spec: WindowSpec { bounds, out_of_range, mode } })
    }

    fn start(&self, context: &Context, command: &str) -> Result<Start> {
        if let Some(group) = &self.from_group {
            let no_commit = match self.no_commit {
                None | Some(NoCommitArg::Fail) => NoCommit::Fail,
                Some(NoCommitArg::Skip) => NoCommit::Skip,
                Some(NoCommitArg::UseEarliest) => NoCommit::UseEarliest,
                Some(NoCommitArg::UseLatest) => NoCommit::UseLatest,
            };
            return Ok(Start::Commit { group: group.clone(), no_commit });
        }
        if let Some(last) = self.last {
            return Ok(Start::Last(last));
        }
        Ok(Start::At(match (&self.from, self.start_offset) {
            (_, Some(offset)) => Target::Offset(offset),
            (Some(text), None) if text == "earliest" => Target::Earliest,
            (Some(text), None) if text == "latest" => {
                return Err(
                    Error::usage("a window that starts at `latest` is empty").hint("`--from 2h`, or `--from earliest`")
                );
            }
            (Some(text), None) => past(context, "from", text)?,
            (None, None) => {
                return Err(Error::usage("where the window starts is missing").hint(format!(
                    "`krewind {command} TOPIC` with `--from TIME`, `--from earliest`, `--start-offset N`, `--last N`, \
                     `--from-group GROUP` or `--window-file FILE`"
                )));
            }
        }))
    }

    fn end(&self, context: &Context) -> Result<Target> {
        Ok(match (&self.to, self.end_offset) {
            (_, Some(offset)) => Target::Offset(offset),
            (None, None) => Target::Latest,
            (Some(text), None) if text == "latest" => Target::Latest,
            (Some(text), None) if text == "earliest" => {
                return Err(
                    Error::usage("a window that ends at `earliest` is empty").hint("`--to TIME`, or leave it out")
                );
            }
            (Some(text), None) => past(context, "to", text)?,
        })
    }

    fn mode(&self, bounds: &Bounds) -> Result<Mode> {
        if self.mode == ModeArg::Offsets {
            return match self.padding {
                Some(_) => Err(Error::usage("`--padding` says nothing where bounds are offsets")
                    .hint("`--window timestamps` looks for records that came late")),
                None => Ok(Mode::Offsets),
            };
        }
        let by_time = match bounds {
            Bounds::Alike { from: Start::At(from), to } => {
                let is_time = |target: &Target| matches!(target, Target::Timestamp(_));
                let fits = |target: &Target| is_time(target) || matches!(target, Target::Earliest | Target::Latest);
                fits(from) && fits(to) && (is_time(from) || is_time(to))
            }
            _ => false,
        };
        if !by_time {
            return Err(
                Error::usage("`--window timestamps` needs bounds by time").hint("`--from TIME`, `--to TIME`, or both")
            );
        }
        let padding_ms = i64::try_from(self.padding.unwrap_or(PADDING).as_millis()).unwrap_or(i64::MAX);
        Ok(Mode::Timestamps { padding_ms })
    }
}

fn not_backwards(bounds: &(Start, Target)) -> Result<()> {
    let backwards = match bounds {
        (Start::At(Target::Timestamp(from)), Target::Timestamp(to)) => from.timestamp > to.timestamp,
        (Start::At(Target::Offset(from)), Target::Offset(to)) => from > to,
        _ => false,
    };
    if backwards {
        return Err(
            Error::usage("the window ends before it starts").hint("a span counts back from now: `--from 2h --to 1h`")
        );
    }
    Ok(())
}

/// A time that is not in the future: what will be written until then can't be read now.
fn past(context: &Context, side: &str, text: &str) -> Result<Target> {
    let moment = time::parse(text, context.now, &context.zone)?;
    if moment.is_after(context.now) {
        let error = Error::usage(format!("`--{side} {text}` lies in the future: {}", moment.echo(context.now)));
        return Err(match side {
            "to" => error.hint("leave `--to` out to read up to the log's end now"),
            _ => error.hint("a span counts back from now: `--from 2h`"),
        });
    }
    Ok(Target::Timestamp(moment))
}
