//! What a real broker can't be made to do at will: a script in its place.

use super::*;
use crate::kafka::reader::{Batches, Event, Lent};
use crate::kafka::{BrokerFault, CommitLookup, CommitRow, FoundOffset, GroupListing, OffsetSpec, WriteRow, codes};
use crate::model::Record as KafkaRecord;
use crate::model::{GroupDescription, TimestampType, TopicDescription};
use crate::offset::Target;
use crate::plan::select::Selection;
use crate::report::{ReplayOutcome, ReplayPartition, ReplayReport};
use crate::sink::{Finished, Sink};
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

mod conveying;

/// What comes from partition 0 or another, in order.
#[derive(Clone)]
enum Step {
    Record(usize, i64),
    End(usize, i64),
    Fault(usize, i32),
    /// The topic has this id from now on; empty: it is gone.
    Topic(&'static str),
    /// The logs are these from now on: start, last stable, high watermark.
    Log(i64, i64, i64),
    /// Waits until ids were compared this often.
    Compared(usize),
    /// Ctrl-C.
    Stop,
    /// Ctrl-C, while a record is on its way.
    StopWith(usize, i64),
}
use Step::*;

/// The cluster of the script.
struct Fake {
    topic_id: Mutex<&'static str>,
    log: Mutex<(i64, i64, i64)>,
    compared: Mutex<usize>,
}

impl Cluster for Fake {
    fn topic_settings(&self, _: &[&str], _: &[&str]) -> Vec<Result<crate::kafka::Settings, BrokerFault>> {
        unreachable!()
    }
    fn broker_settings(&self, _: i32, _: &[&str]) -> Result<crate::kafka::Settings, BrokerFault> {
        unreachable!()
    }
    fn topic_names(&self) -> Result<Vec<String>, BrokerFault> {
        unreachable!()
    }
    fn is_restricted(&self) -> Option<bool> {
        unreachable!()
    }
    fn cluster_id(&self) -> Result<String> {
        Ok("fake".to_owned())
    }
    fn delete_committed_offsets(&self, _: &str, _: &[TopicPartition]) -> Result<Vec<Result<(), BrokerFault>>> {
        unreachable!()
    }
    fn delete_group(&self, _: &str) -> Result<Result<(), BrokerFault>> {
        unreachable!()
    }
    fn list_groups(&self) -> Result<GroupListing> {
        unreachable!()
    }
    fn group_names(&self) -> crate::kafka::GroupNames {
        unreachable!()
    }
    fn describe_groups(&self, _: &[&str]) -> Vec<Result<GroupDescription, BrokerFault>> {
        unreachable!()
    }
    fn committed_offsets(&self, _: &[CommitLookup<'_>], _: bool) -> Vec<Result<Vec<CommitRow>, BrokerFault>> {
        unreachable!("a replay reads no commits")
    }
    fn alter_committed_offsets(&self, _: &str, _: &[WriteRow]) -> Result<Vec<Result<(), BrokerFault>>> {
        unreachable!("a replay writes no commits")
    }
    fn list_offsets(&self, queries: &[(TopicPartition, OffsetSpec)]) -> Vec<Result<Option<FoundOffset>, BrokerFault>> {
        let (start, stable, end) = *self.log.lock().unwrap();
        queries
            .iter()
            .map(|(_, spec)| {
                let offset = match spec {
                    OffsetSpec::Earliest => start,
                    OffsetSpec::LatestStable => stable,
                    _ => end,
                };
                Ok(Some(FoundOffset { offset, timestamp_ms: None }))
            })
            .collect()
    }
    fn describe_topics(&self, topics: &[&str]) -> Vec<Result<TopicDescription, BrokerFault>> {
        *self.compared.lock().unwrap() += 1;
        let id = *self.topic_id.lock().unwrap();
        let missing = BrokerFault {
            code: codes::UNKNOWN_TOPIC_OR_PARTITION,
            name: "UNKNOWN_TOPIC_OR_PART".to_owned(),
            message: "no such topic".to_owned(),
        };
        topics
            .iter()
            .map(|topic| match id {
                "" => Err(missing.clone()),
                id => Ok(TopicDescription {
                    topic: (*topic).to_owned(),
                    topic_id: Some(id.to_owned()),
                    partitions: vec![0, 1],
                    leaderless: BTreeSet::new(),
                    is_internal: false,
                }),
            })
            .collect()
    }
}

struct Script<'a> {
    steps: VecDeque<Step>,
    cluster: &'static Fake,
    stop: &'a AtomicBool,
    stopped: Vec<usize>,
}

/// What one step brings.
struct Brought(Option<Step>);

impl Lent for Brought {
    fn len(&self) -> usize {
        usize::from(self.0.is_some())
    }
    fn events(&self, _: bool, each: &mut dyn FnMut(usize, Event<'_>) -> Result<()>) -> Result<()> {
        match self.0 {
            Some(Record(partition, offset)) => {
                let record = KafkaRecord { offset, partition: partition as i32, ..RECORD };
                each(0, Event::Record { partition, record })
            }
            Some(End(partition, offset)) => each(0, Event::End { partition, offset }),
            Some(Fault(partition, code)) => {
                let fault = BrokerFault { code, name: "CODE".to_owned(), message: "words".to_owned() };
                each(0, Event::Fault { partition, fault })
            }
            _ => Ok(()),
        }
    }
    fn records(&self, _: std::ops::Range<usize>, each: &mut dyn FnMut(&KafkaRecord<'_>) -> Result<()>) -> Result<()> {
        match self.0 {
            Some(Record(partition, offset)) => each(&KafkaRecord { offset, partition: partition as i32, ..RECORD }),
            _ => panic!("no record is there"),
        }
    }
}

impl Batches for Script<'_> {
    fn next(&mut self, timeout: Duration, most: usize) -> Box<dyn Lent> {
        match self.steps.pop_front() {
            Some(step @ (Record(..) | End(..) | Fault(..))) => return Box::new(Brought(Some(step))),
            Some(Topic(id)) => *self.cluster.topic_id.lock().unwrap() = id,
            Some(Log(start, stable, end)) => *self.cluster.log.lock().unwrap() = (start, stable, end),
            Some(Compared(times)) => {
                if *self.cluster.compared.lock().unwrap() < times {
                    self.steps.push_front(Compared(times));
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Some(StopWith(partition, offset)) => {
                self.stop.store(true, Ordering::SeqCst);
                self.steps.push_front(Record(partition, offset));
                return self.next(timeout, most);
            }
            Some(Stop) => self.stop.store(true, Ordering::SeqCst),
            None => std::thread::sleep(timeout.min(Duration::from_millis(2))),
        }
        Box::new(Brought(None))
    }

    fn stop(&mut self, partitions: &[usize]) {
        self.stopped.extend(partitions);
    }
}

const RECORD: KafkaRecord<'static> = KafkaRecord {
    topic: "t",
    partition: 0,
    offset: 0,
    timestamp_ms: 0,
    timestamp_type: TimestampType::CreateTime,
    key: None,
    value: Some(b"v"),
    headers: &[],
};

/// What a sink kept, looked at after it has gone.
#[derive(Default)]
struct Kept {
    offsets: Vec<(i32, i64)>,
    finished: Option<bool>,
}

/// Keeps the offsets; fails at one of them.
#[derive(Default, Clone)]
struct Keeping {
    kept: Arc<Mutex<Kept>>,
    fails_at: Option<(i64, Code)>,
}

impl Keeping {
    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap()
    }
}

impl Sink for Keeping {
    fn put(&mut self, record: &KafkaRecord<'_>) -> Result<()> {
        match self.fails_at {
            Some((offset, code)) if offset == record.offset => Err(Error::new(code, "the sink is full")),
            _ => {
                self.kept().offsets.push((record.partition, record.offset));
                Ok(())
            }
        }
    }
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
    fn finish(&mut self, whole: bool) -> Finished {
        self.kept().finished = Some(whole);
        Finished::default()
    }
    fn written(&self) -> u64 {
        self.kept().offsets.len() as u64
    }
    fn name(&self) -> (&'static str, String) {
        ("kept", "-".to_owned())
    }
}

struct Nobody;

impl crate::exec::Observer for Nobody {
    fn status(&self, _: &str) {}
    fn warn(&self, _: &str) {}
    fn flow(&self, _: &crate::exec::Flow) {}
}

/// Windows of partitions 0, 1, …, as a script plays out in them.
struct Play {
    windows: Vec<(i64, i64)>,
    limits: Limits,
    selection: Selection,
    sink: Keeping,
}

fn play(windows: &[(i64, i64)]) -> Play {
    let limits = Limits {
        isolation: Isolation::ReadCommitted,
        explicit_end: false,
        wait_stable: Duration::from_millis(20),
        stall: Duration::from_secs(30),
        check_topics: Duration::from_millis(5),
        most_records: None,
        most_bytes: None,
        rate: None,
        on_their_way: 1000,
    };
    Play { windows: windows.to_vec(), limits, selection: Selection::default(), sink: Keeping::default() }
}

fn spec() -> WindowSpec {
    WindowSpec::between(Target::Earliest, Target::Latest)
}

impl Play {
    fn stage(&self) -> (Captured, Asker, &'static Fake) {
        let cluster: &'static Fake = Box::leak(Box::new(Fake {
            topic_id: Mutex::new("one"),
            log: Mutex::new((0, 100, 100)),
            compared: Mutex::new(0),
        }));
        let partitions = self
            .windows
            .iter()
            .enumerate()
            .map(|(number, &(start, end))| CapturedPartition {
                partition: TopicPartition::new("t", number as i32),
                window: Window { start, end, reason: None },
                high_watermark: end,
            })
            .collect();
        let captured = Captured {
            cluster_id: "fake".to_owned(),
            captured_at: Timestamp(0),
            topic_ids: [("t".to_owned(), Some("one".to_owned()))].into(),
            partitions,
        };
        (captured, Asker::new(cluster, ["t".to_owned()].into()).unwrap(), cluster)
    }

    fn job<'a>(&'a self, captured: &'a Captured, window: crate::report::WindowReport) -> Job<'a> {
        Job { captured, window, limits: &self.limits, selection: &self.selection, seen: BTreeMap::new(), keeper: None }
    }

    fn run(&mut self, steps: &[Step]) -> ReplayReport {
        let (captured, asker, cluster) = self.stage();
        let stop = AtomicBool::new(false);
        let mut source = Script { steps: steps.to_vec().into(), cluster, stop: &stop, stopped: Vec::new() };
        let window = window_report(&spec());
        let sink = Box::new(self.sink.clone());
        run(self.job(&captured, window), &mut source, sink, &asker, &stop, &Nobody).unwrap().report
    }
}

fn ends(report: &ReplayReport) -> Vec<Ended> {
    report.partitions.iter().map(|partition| partition.ended).collect()
}

/// Records, gaps, next and end of the first partition.
fn account(report: &ReplayReport) -> (u64, u64, i64, i64) {
    let ReplayPartition { records, gaps, next_offset, end_offset, .. } = &report.partitions[0];
    (*records, *gaps, *next_offset, *end_offset)
}

#[test]
fn a_later_record_or_the_end_of_the_log_ends_a_window() {
    let mut play = play(&[(0, 5), (2, 4)]);
    let report =
        play.run(&[Record(0, 0), Record(1, 3), Record(0, 3), End(1, 9), Record(1, 9), Record(0, 7), Record(0, 4)]);
    assert_eq!(report.outcome, ReplayOutcome::Complete);
    assert_eq!(ends(&report), [Ended::EndReached, Ended::EndReached]);
    assert_eq!(account(&report), (2, 3, 5, 5));
    assert_eq!(play.sink.kept().offsets, [(0, 0), (1, 3), (0, 3)], "nothing from behind an end");
    assert_eq!(play.sink.kept().finished, Some(true));
}

#[test]
fn the_end_of_the_log_before_the_windows_end_is_waited_for() {
    let mut play = play(&[(0, 5)]);
    play.limits.wait_stable = Duration::from_secs(60);
    let report = play.run(&[Record(0, 0), End(0, 1), Log(0, 1, 5), Record(0, 1), End(0, 2), Record(0, 4)]);
    assert_eq!((report.outcome, account(&report)), (ReplayOutcome::Complete, (3, 2, 5, 5)));
}

#[test]
fn a_transaction_that_stays_open_holds_back() {
    let steps = [Log(0, 3, 9), Record(0, 0), End(0, 3)];
    let report = play(&[(0, 9)]).run(&steps);
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Complete, vec![Ended::HeldBack]));
    assert_eq!((account(&report), report.partitions[0].held_back), ((1, 2, 3, 3), 6));
    assert_eq!(report.warnings.len(), 1);

    let mut named = play(&[(0, 9)]);
    named.limits.explicit_end = true;
    let report = named.run(&steps);
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Incomplete, vec![Ended::OpenTransaction]));
    assert_eq!((account(&report), report.partitions[0].held_back), ((1, 2, 3, 9), 6));
    assert_eq!(named.sink.kept().finished, Some(false));
}

#[test]
fn a_last_stable_offset_that_moves_is_followed_beyond_the_wait() {
    let mut play = play(&[(0, 9)]);
    play.limits.explicit_end = true;
    // Looked at after the wait, the transaction has ended: the reader will get there, however long that takes.
    let report = play.run(&[Log(0, 9, 9), End(0, 3), Compared(20), Record(0, 8)]);
    assert_eq!((report.outcome, account(&report)), (ReplayOutcome::Complete, (1, 8, 9, 9)));
}

#[test]
fn a_log_that_became_shorter_is_truncated() {
    for isolation in [Isolation::ReadCommitted, Isolation::ReadUncommitted] {
        let mut play = play(&[(0, 9)]);
        play.limits.isolation = isolation;
        let report = play.run(&[Log(0, 4, 4), Record(0, 0), End(0, 4)]);
        assert_eq!(
            (report.outcome, ends(&report)),
            (ReplayOutcome::Incomplete, vec![Ended::Truncated]),
            "{isolation:?}"
        );
    }
}

#[test]
fn records_that_were_deleted_before_they_were_read_are_told() {
    let report = play(&[(0, 9)]).run(&[Log(7, 9, 9), Record(0, 0), Fault(0, codes::AUTO_OFFSET_RESET)]);
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Incomplete, vec![Ended::Retention]));
    assert!(report.partitions[0].reason.as_ref().unwrap().starts_with("6 offsets were deleted"));
    assert_eq!(account(&report), (1, 0, 1, 9));
}

#[test]
fn a_topic_made_anew_ends_its_partitions_also_those_that_seemed_whole() {
    // Partition 0 ends while the topic is known to be the same; partition 1 after that.
    let mut play = play(&[(0, 1), (0, 9)]);
    let report = play.run(&[Record(0, 0), Record(1, 0), Compared(3), Topic("two"), Record(1, 8)]);
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Incomplete, vec![Ended::EndReached, Ended::Recreated]));
    assert_eq!(play.sink.kept().finished, Some(false));
    // In the middle of it.
    let report = self::play(&[(0, 9)]).run(&[Record(0, 0), Topic("two")]);
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Incomplete, vec![Ended::Recreated]));
}

#[test]
fn a_topic_that_was_deleted_is_an_error() {
    let report = play(&[(0, 9)]).run(&[Record(0, 0), Topic("")]);
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Incomplete, vec![Ended::Error]));
    // Deleted, and made anew before the end.
    let report = play(&[(0, 9), (0, 2)]).run(&[Topic("two"), Fault(0, codes::UNKNOWN_TOPIC_OR_PARTITION)]);
    assert_eq!(ends(&report), [Ended::Recreated, Ended::Recreated]);
}

#[test]
fn a_fault_of_one_partition_leaves_the_others() {
    let mut play = play(&[(0, 2), (0, 2)]);
    let report = play.run(&[
        Fault(0, codes::TOPIC_AUTHORIZATION_FAILED),
        Record(1, 0),
        Fault(1, codes::NOT_LEADER_OR_FOLLOWER),
        Record(1, 1),
    ]);
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Incomplete, vec![Ended::Error, Ended::EndReached]));
    assert!(report.partitions[0].reason.as_ref().unwrap().contains("CODE"));
}

#[test]
fn nothing_at_all_for_too_long_ends_the_run() {
    let mut play = play(&[(0, 9)]);
    play.limits.stall = Duration::from_millis(50);
    let begun = Instant::now();
    let report = play.run(&[Record(0, 0), Fault(0, codes::NOT_LEADER_OR_FOLLOWER)]);
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Incomplete, vec![Ended::Error]));
    let reason = report.partitions[0].reason.as_ref().unwrap();
    assert!(reason.contains("nothing came") && reason.contains("CODE"), "{reason}");
}

#[test]
fn a_sink_that_fails_leaves_nothing_whole() {
    for (code, ended) in [(Code::SinkFailed, Ended::Error), (Code::SinkClosed, Ended::SinkClosed)] {
        let mut play = play(&[(0, 1), (0, 3)]);
        play.sink.fails_at = Some((2, code));
        let report = play.run(&[Record(0, 0), Record(1, 0), Record(1, 2)]);
        assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Incomplete, vec![ended, ended]));
        assert_eq!(play.sink.kept().finished, Some(false));
    }
}

#[test]
fn ctrl_c_ends_what_is_still_read() {
    let mut play = play(&[(0, 1), (0, 9)]);
    let report = play.run(&[Record(0, 0), Record(1, 4), Stop, Record(1, 5)]);
    assert_eq!(
        (report.outcome, ends(&report)),
        (ReplayOutcome::Interrupted, vec![Ended::EndReached, Ended::Interrupted])
    );
    assert_eq!(report.partitions[1].next_offset, 5);
    assert_eq!(play.sink.kept().finished, Some(false));
}

#[test]
fn ctrl_c_that_ends_the_reader_too_is_an_interruption() {
    let mut play = play(&[(0, 9)]);
    play.sink.fails_at = Some((4, Code::SinkClosed));
    let report = play.run(&[Record(0, 0), StopWith(0, 4)]);
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Interrupted, vec![Ended::Interrupted]));
}

#[test]
fn nothing_to_replay_asks_nothing() {
    let mut play = play(&[(4, 4)]);
    let report = play.run(&[]);
    assert_eq!((report.outcome, account(&report)), (ReplayOutcome::NothingToReplay, (0, 0, 4, 4)));
    assert_eq!(play.sink.kept().finished, Some(true));
}
