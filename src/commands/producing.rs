//! Producing into a topic, which is a write: its arguments, what is shown, how it is agreed to, and the sink.

use super::Context;
use super::settings::client_properties;
use crate::error::{Code, Error, Result};
use crate::exec::{origins, produce};
use crate::kafka::config::{ClientProperties, ProfileProperties};
use crate::kafka::producer::Producer;
use crate::kafka::{Client, Connection};
use crate::model::visible;
use crate::plan::produce::{BatchFacts, TargetFacts, refusal, warnings};
use crate::report::Warning;
use crate::sink::{GoingOn, Partitioner, Remark, Topic, TopicManner};
use clap::{Args, ValueEnum};
use std::collections::BTreeMap;
use std::path::Path;

/// What is asked of a topic as a target.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Into a topic")]
pub struct ProduceArgs {
    /// Which partition records go to: the one of the same number, or the one that Java's producer chooses for the key
    #[arg(long, value_enum, value_name = "HOW", default_value_t = PartitionerArg::Keep)]
    pub into_partitioner: PartitionerArg,

    /// Add headers that tell each record's origin: krewind.source.cluster, .topic, .partition, .offset and .timestamp
    #[arg(long)]
    pub origin_headers: bool,

    /// Show what would be produced, and produce nothing, whatever else is given
    #[arg(long)]
    pub dry_run: bool,

    /// Produce without asking
    #[arg(long, short = 'y', visible_alias = "execute")]
    pub yes: bool,

    /// What a person would type, beside --yes: TOPIC, with a profile PROFILE/TOPIC
    #[arg(long, value_name = "WORDS", requires = "yes")]
    pub confirm: Option<String>,
}

/// Which partition a record goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PartitionerArg {
    /// The one of the same number
    Keep,
    /// The one that Java's producer chooses for the key; a record without a key goes to any
    Murmur2,
}

impl ProduceArgs {
    /// Whether anything is asked that says nothing about other sinks.
    pub fn is_given(&self) -> Option<&'static str> {
        let given = [
            (self.into_partitioner != PartitionerArg::Keep, "--into-partitioner"),
            (self.origin_headers, "--origin-headers"),
            (self.dry_run, "--dry-run"),
            (self.yes, "--yes"),
        ];
        given.into_iter().find_map(|(given, flag)| given.then_some(flag))
    }

    /// Whether each record keeps its partition.
    pub fn keeps_partitions(&self) -> bool {
        self.into_partitioner == PartitionerArg::Keep
    }
}

/// The topic that is to take the records, on its cluster.
pub struct Place {
    /// How its cluster is reached.
    pub connection: Connection,
    /// A client of it.
    pub client: &'static Client,
    /// The topic.
    pub topic: String,
    /// Whether `kafka://` named another cluster's brokers.
    pub elsewhere: bool,
}

impl Place {
    /// Reaches the cluster. `here` is a client of the one that is read, where there is one.
    pub fn reach(
        context: &Context,
        bootstrap: Option<&str>,
        topic: &str,
        config: Option<&Path>,
        here: Option<&'static Client>,
    ) -> Result<Place> {
        let elsewhere = bootstrap.is_some();
        let connection = match bootstrap {
            None => context.connection()?,
            Some(servers) => {
                let text = config.map(client_properties).transpose()?;
                let file = text.as_ref().map(|(path, text)| (path.as_str(), text.as_str()));
                let properties =
                    ClientProperties::with_profile(&ProfileProperties::default(), Some(servers), file, &[])?;
                context.connection_by(properties)
            }
        };
        let client = match here {
            Some(client) if !elsewhere => client,
            _ => super::writing::connect(&connection)?,
        };
        Ok(Place { connection, client, topic: topic.to_owned(), elsewhere })
    }

    /// As reports name it.
    pub fn name(&self) -> String {
        if self.elsewhere { format!("kafka://{}/{}", self.servers(), self.topic) } else { self.topic.clone() }
    }

    /// The brokers that were named.
    pub fn servers(&self) -> &str {
        self.connection.properties.bootstrap_servers()
    }

    /// The cluster in a line.
    fn heading(&self, context: &Context) -> String {
        if self.elsewhere {
            format!("{} ({})", self.servers(), self.client.id())
        } else {
            context.settings.heading(self.servers(), self.client.id())
        }
    }

    /// What a person types to agree.
    fn words(&self, context: &Context) -> String {
        match context.settings.profile() {
            Some(profile) if !self.elsewhere => format!("{profile}/{}", self.topic),
            _ => self.topic.clone(),
        }
    }
}

/// A plan to produce, checked.
pub struct Plan {
    place: Place,
    facts: TargetFacts,
    batch: BatchFacts,
    /// What a person should know before.
    pub warnings: Vec<Warning>,
}

impl Plan {
    /// Looks at the target, refuses what can't be, and tells what is worth a warning. `look` may add to what is known of the
    /// records once the target's settings are.
    pub fn make(
        context: &Context,
        args: &ProduceArgs,
        place: Place,
        mut batch: BatchFacts,
        look: impl FnOnce(&TargetFacts, &mut BatchFacts),
    ) -> Result<Plan> {
        batch.keeps_partitions = args.keeps_partitions();
        batch.servers = place.servers().to_owned();
        let facts = produce::target(place.client, &place.topic, &batch)?;
        if let Some(error) = refusal(&facts, &batch) {
            return Err(error);
        }
        look(&facts, &mut batch);
        let warnings = warnings(&facts, &batch, context.clock());
        for warning in &warnings {
            context.ui.warn(&warning.message);
        }
        Ok(Plan { place, facts, batch, warnings })
    }

    /// As reports name the target.
    pub fn target(&self) -> String {
        self.place.name()
    }

    /// What a run that may be gone on with needs: where the target ends, and what an earlier run, whose checkpoint kept `place`,
    /// produced since.
    pub fn going_on(&self, place: Option<&serde_json::Value>, source: &str) -> Result<GoingOn> {
        let (client, topic) = (self.place.client, self.place.topic.clone());
        let (since, present) = match place {
            None => Default::default(),
            Some(place) => {
                let from: BTreeMap<i32, i64> = serde_json::from_value(place["ends"].clone()).map_err(|error| {
                    Error::new(Code::BadFile, "the checkpoint does not say where the topic ended")
                        .hint("another checkpoint and another topic begin anew")
                        .caused_by(error)
                })?;
                let present = origins::present(client, &topic, &from, source)?;
                (from, present)
            }
        };
        let partitions = self.facts.topic.partitions.clone();
        let ends = Box::new(move || origins::ends(client, &topic, &partitions));
        Ok(GoingOn { ends, since, present })
    }

    /// The plan in words. `from` tells the records' origin, `how_many` their number.
    pub fn text(&self, context: &Context, args: &ProduceArgs, from: &str, how_many: &str) -> String {
        let count = self.facts.topic.partitions.len();
        let partitions = if count == 1 { "1 partition".to_owned() } else { format!("{count} partitions") };
        let keeps =
            if args.keeps_partitions() { "each in its partition" } else { "in partitions by murmur2 of the key" };
        let origin = if args.origin_headers { "; headers of their origin added" } else { "" };
        format!(
            "from: {}\ninto: {} ({partitions}) of {}\nhow:  {how_many}, {keeps}, with key, value, headers and timestamp{origin}\n",
            visible(from),
            visible(&self.place.topic),
            visible(&self.place.heading(context)),
        )
    }

    /// Shows the plan and gets it agreed to; an error where it is not.
    pub fn agree(&self, context: &Context, args: &ProduceArgs, text: &str) -> Result<()> {
        let words = self.place.words(context);
        if args.yes {
            if let Some(given) = args.confirm.as_deref().filter(|given| *given != words) {
                let message =
                    format!("`--confirm` gives `{given}`, and a person would type `{words}`; nothing was written");
                return Err(Error::new(Code::Declined, message));
            }
            if !context.ui.is_quiet() {
                context.ui.show(text);
            }
            return Ok(());
        }
        context.ui.show(text);
        if !context.ui.can_ask() {
            return Err(Error::new(
                Code::NoTerminal,
                "nobody can be asked here: standard input or standard error is no terminal; nothing was written",
            )
            .hint("`--yes` answers for scripts, `--dry-run` shows the plan alone"));
        }
        if !context.ui.confirm_by_typing(&format!("type {words} to produce"), &words)? {
            return Err(Error::new(
                Code::Declined,
                format!("the name of topic `{words}` was not typed; nothing was written"),
            ));
        }
        produce::is_still(self.place.client, &self.facts, &self.batch)
    }

    /// The sink. `from` is the id of the cluster that the records come from.
    pub fn sink(&self, context: &Context, args: &ProduceArgs, from: Option<String>) -> Result<Topic> {
        let limit = self.facts.settings.as_ref().ok().and_then(|all| all.get("max.message.bytes")?.parse().ok());
        let producer = Producer::new(&self.place.connection, &self.place.topic, limit)?;
        let manner = TopicManner {
            partitioner: if args.keeps_partitions() { Partitioner::Keep } else { Partitioner::Murmur2 },
            origin_headers: args.origin_headers,
            cluster_id: from,
        };
        let remarks = self
            .warnings
            .iter()
            .map(|warning| Remark { code: code(&warning.code), message: warning.message.clone() })
            .collect();
        Ok(Topic::new(producer, self.target(), manner, remarks, context.interrupt.flag()))
    }
}

/// The same code, as a remark has it.
fn code(code: &str) -> &'static str {
    const CODES: [&str; 10] = [
        "partition-count",
        "topics-merged",
        "no-leader",
        "settings-unknown",
        "timestamps-replaced",
        "retention",
        "timestamp-too-old",
        "timestamp-too-new",
        "max-message-bytes",
        "compacted",
    ];
    CODES.into_iter().find(|known| *known == code).unwrap_or("target")
}

/// Refuses a write of a read-only run.
pub fn refuse_read_only(context: &Context, args: &ProduceArgs, topic: &str) -> Result<()> {
    if context.connect.read_only && !args.dry_run {
        return Err(Error::new(
            Code::ReadOnly,
            format!("this run is read-only, so nothing is produced into `{topic}`"),
        )
        .hint(context.settings.read_only_hint()));
    }
    Ok(())
}

/// The refusal of records that would go back to where they come from.
pub fn own_source(topic: &str, hint: &str) -> Error {
    Error::new(Code::OwnSource, format!("`{topic}` is a topic that the records come from; nothing was written"))
        .hint(hint)
}
