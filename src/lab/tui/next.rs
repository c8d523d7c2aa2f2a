//! What the next step will do, before it is taken.

use crate::lab::event::Event;
use crate::lab::model::{CommitMode, Lab, Step};
use crate::lab::script::Action;
use crate::lab::words;

/// What this step is about to do.
pub fn step(step: Step, lab: &Lab) -> String {
    let first = lab.in_hand().first().copied();
    let name = |offset: i64| format!("offset {offset} (order {})", Event::at(offset).order);
    match step {
        Step::Poll => {
            let from = lab.position().unwrap_or_default().max(lab.log_start());
            let next = lab.log_end().min(from + i64::from(lab.settings().batch));
            if from >= next {
                return idle(lab).to_owned();
            }
            format!("the consumer takes (polls) its next batch, {}", words::offsets(&(from..next).collect::<Vec<_>>()))
        }
        Step::Process => first.map_or_else(String::new, |offset| format!("the consumer works on {}", name(offset))),
        Step::Write => first.map_or_else(String::new, |offset| format!("{} is written to the sink", name(offset))),
        Step::Commit => {
            let position = lab.position().unwrap_or_default();
            match (lab.settings().commit, first) {
                (CommitMode::Auto, Some(first)) => format!(
                    "the timer commits {position}, though {} {} only in hand",
                    words::offsets(&(first..position).collect::<Vec<_>>()),
                    if first + 1 == position { "is" } else { "are" }
                ),
                (CommitMode::Auto, None) => format!("the timer commits {position}"),
                (CommitMode::Manual, first) => {
                    format!("the consumer commits {}: what is before it is in the sink", first.unwrap_or(position))
                }
            }
        }
        Step::Crash => "the consumer is killed in the middle of its work".to_owned(),
        Step::Start => match lab.committed() {
            Some(committed) => format!("a consumer starts, at the committed offset {committed}"),
            None => "a consumer starts; no commit yet, so at the log start".to_owned(),
        },
        Step::Leave => "the consumer leaves the group in order".to_owned(),
        Step::Rewind(target) => {
            let action = Action::Rewind(target).to_string();
            format!("the committed offset is moved: {action}")
        }
        Step::Produce(count) => format!("{count} new events come"),
        Step::Retention(count) => format!("retention deletes the {count} oldest events"),
        Step::Use(settings) => format!(
            "other settings: commit {}, sink {}, batch {}",
            settings.commit.as_str(),
            settings.sink.as_str(),
            settings.batch
        ),
    }
}

/// Where the consumer has no next step.
pub fn idle(lab: &Lab) -> &'static str {
    if lab.is_running() {
        "nothing is left to read; p produces more, w rewinds"
    } else {
        "no consumer runs; r starts one, which goes on at the committed offset"
    }
}
