//! A run of the lab from its first action to its last, as a report.

use super::model::{Happened, Lab, Refused, Settings, Step};
use super::scenario::Scenario;
use super::script::{Action, Course};
use super::words;
use crate::error::{Error, Result};
use crate::report::{LabNumbers, LabReport, LabStep, VERSION, Warning};

/// What the steps are done to, beside the model: nothing, or a real cluster.
pub trait World {
    /// Does this step, which the model has taken; `lab` is the model after it.
    fn perform(&mut self, step: Step, happened: &Happened, lab: &Lab) -> Result<()>;

    /// How it stands, read from the world itself.
    fn numbers(&mut self, lab: &Lab) -> Result<LabNumbers>;

    /// Whether it is a real cluster.
    fn is_live(&self) -> bool;

    /// An action begins.
    fn begins(&mut self, _action: Action) {}

    /// An action came to its end.
    fn ended(&mut self, _step: &LabStep) {}
}

/// The model alone.
#[derive(Debug, Clone, Copy)]
pub struct Alone;

impl World for Alone {
    fn perform(&mut self, _: Step, _: &Happened, _: &Lab) -> Result<()> {
        Ok(())
    }

    fn numbers(&mut self, lab: &Lab) -> Result<LabNumbers> {
        Ok(lab.numbers())
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// Takes an action as a whole. One that is refused leaves the lab as it was.
pub fn act(lab: &mut Lab, action: Action) -> Result<Vec<Happened>, Refused> {
    let mut after = lab.clone();
    let mut course = Course::new(action, &after);
    let mut all = Vec::new();
    while let Some(step) = course.next(&after)? {
        all.push(after.take(step)?);
    }
    *lab = after;
    Ok(all)
}

/// Walks through these actions, on the model and on the world beside it.
pub fn walk(
    settings: Settings,
    actions: &[Action],
    scenario: Option<&Scenario>,
    world: &mut dyn World,
) -> Result<LabReport> {
    let mut lab = Lab::new(settings);
    let mut steps = Vec::new();
    let mut warnings = Vec::new();
    for (place, &action) in actions.iter().enumerate() {
        let refused = |refused| refusal(place, action, refused);
        world.begins(action);
        let mut course = Course::new(action, &lab);
        let mut all = Vec::new();
        while let Some(step) = course.next(&lab).map_err(refused)? {
            let happened = lab.take(step).map_err(refused)?;
            world.perform(step, &happened, &lab)?;
            all.push(happened);
        }
        let numbers = world.numbers(&lab)?;
        if numbers != lab.numbers() {
            warnings.push(differs(place, action, &lab.numbers(), &numbers));
        }
        let step = LabStep { action: action.to_string(), why: words::summary(&all), numbers };
        world.ended(&step);
        steps.push(step);
    }
    let end = world.numbers(&lab)?;
    Ok(LabReport {
        kind: "lab".to_owned(),
        version: VERSION,
        scenario: scenario.map(|scenario| scenario.name.to_owned()),
        live: world.is_live(),
        commit: settings.commit.as_str().to_owned(),
        sink: settings.sink.as_str().to_owned(),
        batch: settings.batch,
        look_at: scenario.map(|scenario| scenario.look_at.to_owned()),
        steps,
        end,
        conclude: scenario.map(|scenario| scenario.conclude.to_owned()),
        in_production: scenario.map(|scenario| scenario.in_production.to_owned()),
        warnings,
    })
}

fn refusal(place: usize, action: Action, refused: Refused) -> Error {
    let (why, hint) = words::refusal(refused);
    let error = Error::usage(format!("action {}, `{action}`: {why}", place + 1));
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// The cluster did something else than the model: that is said, number by number.
fn differs(place: usize, action: Action, model: &LabNumbers, real: &LabNumbers) -> Warning {
    let differing: Vec<String> = named(model)
        .into_iter()
        .zip(named(real))
        .filter(|(model, real)| model != real)
        .map(|((name, model), (_, real))| format!("{name} is {real}, in the model {model}"))
        .collect();
    Warning {
        code: "model-differs".to_owned(),
        message: format!("action {}, `{action}`: {}", place + 1, differing.join("; ")),
        group: None,
        topic: None,
        partition: None,
    }
}

fn named(numbers: &LabNumbers) -> [(&'static str, String); 13] {
    let LabNumbers {
        committed,
        position,
        log_start_offset,
        log_end_offset,
        lag,
        sink_rows,
        distinct_orders,
        lost,
        duplicates,
        sink_writes,
        read,
        retained_away,
        to_come,
    } = *numbers;
    let known = |number: Option<i64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    [
        ("committed", known(committed)),
        ("position", known(position)),
        ("log start", log_start_offset.to_string()),
        ("log end", log_end_offset.to_string()),
        ("lag", lag.map_or_else(|| "-".to_owned(), |lag| lag.to_string())),
        ("sink rows", sink_rows.to_string()),
        ("distinct orders", distinct_orders.to_string()),
        ("lost", lost.to_string()),
        ("duplicates", duplicates.to_string()),
        ("sink writes", sink_writes.to_string()),
        ("read", read.to_string()),
        ("retained away", retained_away.to_string()),
        ("to come", to_come.to_string()),
    ]
}
