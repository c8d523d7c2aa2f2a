//! `--wait-empty`: waiting for the members of a group to leave, and the plan anew when they have.

use super::Context;
use super::writing::{Agreement, GroupWork};
use crate::error::{Code, Result};
use crate::exec::gather;
use crate::kafka::{Client, ReadOnly};
use crate::model::{GroupDescription, Member};
use crate::plan::guard;
use crate::render;
use crate::report::{Refusal, ResetReport};
use clap::Args;
use std::time::{Duration, Instant};

/// How long between two looks at who is still there.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// Whether members are waited for.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Confirmation")]
pub struct Patience {
    /// Wait this long for the group's members to leave [5m where no span is given]; then plan anew, ask and write
    #[arg(
        long,
        value_name = "SPAN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "5m",
        value_parser = crate::cli::span
    )]
    pub wait_empty: Option<Duration>,
}

/// A plan and what else is known of its groups.
pub type Prepared<'a> = (ResetReport, Vec<GroupWork<'a>>);

/// Prepares a plan. Where members are in its way and are to be waited for, shows it, waits until they have left, and prepares it
/// anew; what is returned in the end is as fresh as without waiting.
pub fn prepared<'a>(
    context: &Context,
    cluster: (&str, &Client),
    agreement: &Agreement,
    patience: &Patience,
    prepare: impl Fn() -> Result<Prepared<'a>>,
) -> Result<Prepared<'a>> {
    let (mut report, mut works) = prepare()?;
    let Some(span) = patience.wait_empty.filter(|_| !agreement.dry_run) else { return Ok((report, works)) };
    let goes_on = agreement.keep_going && works.len() > 1;
    let hopeless = works.iter().any(|work| work.refusal.as_ref().is_some_and(|refusal| !is_active(refusal)));
    if hopeless && !goes_on || active(&report, &works).is_empty() {
        return Ok((report, works));
    }
    if !agreement.yes && !context.ui.can_ask() {
        let message = "nobody can be asked here after the wait: standard input or standard error is no terminal";
        for work in works.iter_mut().filter(|work| work.refusal.as_ref().is_some_and(is_active)) {
            work.refusal = Some(guard::refused(Code::NoTerminal, message.to_owned()));
        }
        return Ok((report, works));
    }
    let (bootstrap, client) = cluster;
    let shown = format!("{bootstrap} ({})", client.id());
    context.ui.show(&render::reset::plan(&report, context.stderr_table_style(), &shown));
    let deadline = Instant::now() + span;
    loop {
        let all_left = wait(context, client, &active(&report, &works), deadline)?;
        (report, works) = prepare()?;
        let still = active(&report, &works);
        if still.is_empty() {
            context.ui.status("no members are left; the plan as it is now:");
            return Ok((report, works));
        }
        // Somebody who came right after the last one left is waited for too.
        if !all_left || Instant::now() >= deadline {
            let words = words_of(span);
            for refusal in works.iter_mut().filter_map(|work| work.refusal.as_mut()).filter(|it| is_active(it)) {
                refusal.message.push_str(&format!(" after a wait of {words}"));
            }
            return Ok((report, works));
        }
    }
}

fn is_active(refusal: &Refusal) -> bool {
    Code::named(&refusal.code) == Some(Code::GroupActive)
}

/// The groups that members keep from being written.
fn active(report: &ResetReport, works: &[GroupWork<'_>]) -> Vec<String> {
    report
        .groups
        .iter()
        .zip(works)
        .filter(|(_, work)| work.refusal.as_ref().is_some_and(is_active))
        .map(|(group, _)| group.group.clone())
        .collect()
}

/// Waits until these groups have no members, or until the deadline; whether they have none.
fn wait(context: &Context, client: &Client, groups: &[String], deadline: Instant) -> Result<bool> {
    let names: Vec<&str> = groups.iter().map(String::as_str).collect();
    let reading = ReadOnly(client);
    let mut line = context.ui.waiting();
    let mut named_rule = false;
    loop {
        let mut still: Vec<GroupDescription> = Vec::new();
        let mut unanswered = None;
        for answer in gather::groups(&reading, &names) {
            match answer {
                Ok(description) if description.is_active() => still.push(description),
                Ok(_) => {}
                Err(error) if error.code == Code::GroupNotFound => {}
                // A broker that is away for a moment is waited for as well.
                Err(error) => unanswered = Some(error),
            }
        }
        let left = deadline.saturating_duration_since(Instant::now());
        match (&unanswered, still.is_empty()) {
            (None, true) => return Ok(true),
            (Some(_), _) if left.is_zero() => return unanswered.map_or(Ok(false), Err),
            (None, false) if left.is_zero() => return Ok(false),
            (Some(error), true) => line.tell(&format!("waiting for an answer: {}", error.message), &remaining(left)),
            (_, false) => line.tell(&who(&still), &remaining(left)),
        }
        if !named_rule && let Some(rule) = static_rule(&still) {
            named_rule = true;
            drop(line);
            context.ui.hint(&rule);
            line = context.ui.waiting();
            line.tell(&who(&still), &remaining(left));
        }
        std::thread::sleep(BETWEEN_LOOKS.min(left));
    }
}

fn remaining(left: Duration) -> String {
    let seconds = left.as_secs();
    format!("{}:{:02} left", seconds / 60, seconds % 60)
}

/// Who is still there, in one line.
fn who(groups: &[GroupDescription]) -> String {
    let each: Vec<String> = groups
        .iter()
        .map(|group| {
            let members: Vec<String> = group.members.iter().map(name).collect();
            match members.as_slice() {
                [] => format!("group `{}` to be Empty, it is {}", group.group, group.state.as_str()),
                [only] => format!("1 member of `{}` to leave: {only}", group.group),
                several => format!("{} members of `{}` to leave: {}", several.len(), group.group, several.join(", ")),
            }
        })
        .collect();
    format!("waiting for {}", each.join("; "))
}

/// A member, short enough for a line of several.
fn name(member: &Member) -> String {
    match &member.instance_id {
        Some(instance) => format!("`{}` at {} (instance `{instance}`)", member.client_id, member.host),
        None => format!("`{}` at {}", member.client_id, member.host),
    }
}

/// What holds for members with a `group.instance.id`, where there are some.
fn static_rule(groups: &[GroupDescription]) -> Option<String> {
    let fixed: Vec<String> = groups
        .iter()
        .flat_map(|group| &group.members)
        .filter_map(|member| member.instance_id.as_ref())
        .map(|id| format!("`{id}`"))
        .collect();
    (!fixed.is_empty()).then(|| {
        format!(
            "`group.instance.id` {}: a static member stays up to its session timeout after it stops, 45 s by default, which can't be \
             seen from outside",
            fixed.join(", ")
        )
    })
}

/// A span as it may be typed.
fn words_of(span: Duration) -> String {
    let (seconds, milliseconds) = (span.as_secs(), span.subsec_millis());
    match (seconds / 60, seconds % 60) {
        _ if milliseconds > 0 => format!("{}ms", span.as_millis()),
        (0, seconds) => format!("{seconds}s"),
        (minutes, 0) => format!("{minutes}m"),
        (minutes, seconds) => format!("{minutes}m{seconds}s"),
    }
}
