use crate::exec::gather::{self, Log};
use crate::kafka::{BrokerFault, Cluster};
use crate::model::{TopicDescription, TopicPartition};
use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// What is asked of the cluster while records are read.
pub(super) enum Question {
    /// The topics as they are now.
    Topics,
    /// These partitions' logs, by their indexes.
    Logs(Vec<(usize, TopicPartition)>),
}

/// What it answered.
pub(super) enum Answer {
    /// The topics.
    Topics {
        /// When they were asked for: what is known by the answer held then.
        asked: Instant,
        /// By name.
        topics: HashMap<String, Result<TopicDescription, BrokerFault>>,
    },
    /// Logs by the partitions' indexes.
    Logs(Vec<(usize, Log)>),
}

/// Asks on a thread of its own: a broker that is slow to answer must neither hold up reading nor Ctrl-C. The thread ends with
/// this, or with the process.
pub struct Asker {
    questions: Sender<Question>,
    answers: Receiver<Answer>,
}

impl Asker {
    /// Asks this cluster, about these topics.
    pub fn new<C: Cluster + Send + ?Sized>(
        cluster: &'static C,
        topics: BTreeSet<String>,
    ) -> crate::error::Result<Self> {
        let (questions, asked) = channel::<Question>();
        let (reply, answers) = channel();
        std::thread::Builder::new()
            .name("replay-questions".to_owned())
            .spawn(move || {
                for question in asked {
                    if reply.send(answer(cluster, &topics, question)).is_err() {
                        return;
                    }
                }
            })
            .map_err(|error| {
                crate::error::Error::new(crate::error::Code::Internal, "no thread could be started").caused_by(error)
            })?;
        Ok(Asker { questions, answers })
    }

    pub(super) fn ask(&self, question: Question) {
        // The thread ends only after this.
        let _ = self.questions.send(question);
    }

    /// An answer that came, if any.
    pub(super) fn answer(&self) -> Option<Answer> {
        self.answers.try_recv().ok()
    }

    /// Waits a moment for an answer.
    pub(super) fn wait(&self, timeout: Duration) -> Option<Answer> {
        match self.answers.recv_timeout(timeout) {
            Ok(answer) => Some(answer),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(timeout);
                None
            }
        }
    }
}

fn answer<C: Cluster + ?Sized>(cluster: &C, topics: &BTreeSet<String>, question: Question) -> Answer {
    match question {
        Question::Topics => {
            let asked = Instant::now();
            let names = topics.iter().map(String::as_str).collect();
            Answer::Topics { asked, topics: gather::topics(cluster, &names) }
        }
        Question::Logs(partitions) => {
            let (indexes, partitions): (Vec<usize>, Vec<TopicPartition>) = partitions.into_iter().unzip();
            Answer::Logs(indexes.into_iter().zip(gather::logs(cluster, &partitions, &[])).collect())
        }
    }
}
