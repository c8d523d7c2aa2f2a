use crate::kafka::{BrokerFault, Cluster};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the topics' ids are compared.
const EVERY: Duration = Duration::from_secs(2);

/// A topic that is not the one it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TopicChange {
    /// Its name.
    pub(super) topic: String,
    /// Whether it is gone rather than made anew.
    pub(super) gone: bool,
    /// When its id was last known to be right.
    pub(super) last_good: Instant,
}

/// Compares topics' ids while a replay reads: librdkafka goes on at the same offset of a topic that was made anew, without a word.
pub(super) struct TopicWatch {
    names: Vec<String>,
    ids: HashMap<String, Option<String>>,
    state: Mutex<State>,
    changed: AtomicBool,
    ended: Mutex<bool>,
    wake: Condvar,
}

struct State {
    last_good: Instant,
    changes: Vec<TopicChange>,
}

impl TopicWatch {
    pub(super) fn new(ids: &HashMap<String, Option<String>>) -> Self {
        TopicWatch {
            names: ids.keys().cloned().collect(),
            ids: ids.clone(),
            state: Mutex::new(State { last_good: Instant::now(), changes: Vec::new() }),
            changed: AtomicBool::new(false),
            ended: Mutex::new(false),
            wake: Condvar::new(),
        }
    }

    /// Looks every few seconds until [`Self::end`].
    pub(super) fn run<C: Cluster + ?Sized>(&self, cluster: &C) {
        loop {
            let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            let (ended, _) =
                self.wake.wait_timeout_while(ended, EVERY, |ended| !*ended).unwrap_or_else(PoisonError::into_inner);
            if *ended {
                return;
            }
            drop(ended);
            // A cluster that does not answer now may do so next time; the last comparison is the one that counts.
            let _ = self.check(cluster);
        }
    }

    pub(super) fn end(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.wake.notify_all();
    }

    /// Compares now.
    pub(super) fn check<C: Cluster + ?Sized>(&self, cluster: &C) -> Result<(), BrokerFault> {
        let began = Instant::now();
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let answers = cluster.describe_topics(&names);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all_good = true;
        for (name, answer) in self.names.iter().zip(answers) {
            let gone = match answer {
                Ok(topic) if Some(&topic.topic_id) == self.ids.get(name) => continue,
                Ok(_) => false,
                Err(fault) if fault.is_missing_topic() => true,
                Err(fault) => return Err(fault),
            };
            all_good = false;
            let last_good = state.last_good;
            if !state.changes.iter().any(|change| change.topic == *name && change.gone == gone) {
                state.changes.push(TopicChange { topic: name.clone(), gone, last_good });
            }
            self.changed.store(true, Ordering::SeqCst);
        }
        if all_good {
            state.last_good = state.last_good.max(began);
        }
        Ok(())
    }

    /// Whether something changed.
    pub(super) fn changed(&self) -> bool {
        self.changed.load(Ordering::SeqCst)
    }

    /// The topics that changed so far.
    pub(super) fn changes(&self) -> Vec<TopicChange> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).changes.clone()
    }
}
