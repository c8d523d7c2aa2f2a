//! A topic as a replay's sink: opened when the windows are known, since it is shown and agreed to before.

use super::sinks::SinkArgs;
use crate::commands::Context;
use crate::commands::producing::{self, Place, Plan};
use crate::error::{Error, Result};
use crate::exec::produce;
use crate::exec::replay::{Captured, ReplaySpec, planned};
use crate::kafka::Client;
use crate::report::{ReplayReport, Warning};
use crate::sink::{Begin, Sink, SinkSpec};
use std::collections::BTreeMap;

/// What comes of it.
pub enum Opened {
    /// The sink, and the warnings that were told already.
    Sink(Box<dyn Sink>, Vec<Warning>),
    /// A dry run ends here.
    Planned(Box<ReplayReport>),
}

/// Checks, shows, asks, opens.
pub fn open(
    context: &Context,
    into: &SinkSpec,
    args: &SinkArgs,
    client: &'static Client,
    captured: &Captured,
    spec: &ReplaySpec,
    begin: Begin<'_>,
) -> Result<Opened> {
    let SinkSpec::Topic { bootstrap, topic } = into else {
        return Ok(Opened::Sink(super::sinks::open(context, into, args, Begin::Plain)?, Vec::new()));
    };
    if begin != Begin::Plain && !args.produce.origin_headers {
        return Err(Error::usage("`--checkpoint` needs `--origin-headers` where a topic takes the records")
            .hint("a run that goes on tells by those headers what is in the topic already"));
    }
    producing::refuse_read_only(context, &args.produce, topic)?;
    let config = args.into_command_config.as_deref();
    let place = Place::reach(context, bootstrap.as_deref(), topic, config, Some(client))?;
    // By the cluster's id: another address may lead to the same brokers.
    if place.client.id() == captured.cluster_id && captured.topic_ids.contains_key(topic) {
        return Err(producing::own_source(topic, "name another topic: a replay never feeds itself"));
    }
    let batch = produce::batch(client, captured, spec);
    let plan = Plan::make(context, &args.produce, place, batch, |target, batch| {
        let after = target.settings.as_ref().ok().and_then(|all| all.get("message.timestamp.after.max.ms"));
        if let Some(after) = after.and_then(|text| text.parse().ok()).filter(|&ms| ms != i64::MAX) {
            batch.newest_ms = produce::too_far_ahead(client, captured, context.clock(), after);
        }
    })?;
    let here = context.settings.heading(client.connection().properties.bootstrap_servers(), client.id());
    let from = format!("{} of {here}", windows(captured));
    let text = plan.text(context, &args.produce, &from, &format!("{} records at most", captured.offsets()));
    if args.produce.dry_run {
        context.ui.show(&text);
        return Ok(Opened::Planned(Box::new(planned(captured, spec, plan.target(), plan.warnings))));
    }
    if captured.offsets() > 0 {
        plan.agree(context, &args.produce, &text)?;
    }
    let sink = plan.sink(context, &args.produce, Some(captured.cluster_id.clone()))?;
    let sink = match begin {
        Begin::Plain => sink,
        Begin::Marked => sink.going_on(plan.going_on(None, &captured.cluster_id)?),
        Begin::GoOn(place) => {
            context.ui.status("looking for what is in the topic already");
            sink.going_on(plan.going_on(Some(place), &captured.cluster_id)?)
        }
    };
    Ok(Opened::Sink(Box::new(sink), plan.warnings))
}

/// `orders (3 partitions, 17 offsets), refunds (1 partition, 4 offsets)`.
fn windows(captured: &Captured) -> String {
    let mut topics: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for part in &captured.partitions {
        let (partitions, offsets) = topics.entry(&part.partition.topic).or_default();
        *partitions += 1;
        *offsets += part.window.offsets();
    }
    let texts: Vec<String> = topics
        .into_iter()
        .map(|(topic, (partitions, offsets))| {
            let s = if partitions == 1 { "" } else { "s" };
            format!("{topic} ({partitions} partition{s}, {offsets} offsets)")
        })
        .collect();
    texts.join(", ")
}
