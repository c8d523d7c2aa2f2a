//! On the way to the sink: what is lost there, what is left out before, and limits.

use super::*;

#[test]
fn a_record_that_is_lost_on_the_way_to_the_sink_is_missed() {
    /// Two records came, and the second can't be found again: as if the way to the sink had lost it.
    struct Lossy;
    impl Lent for Lossy {
        fn len(&self) -> usize {
            2
        }
        fn events(&self, _: bool, each: &mut dyn FnMut(usize, Event<'_>) -> Result<()>) -> Result<()> {
            each(0, Event::Record { partition: 0, record: RECORD })?;
            each(1, Event::Record { partition: 0, record: KafkaRecord { offset: 1, ..RECORD } })
        }
        fn records(
            &self,
            _: std::ops::Range<usize>,
            each: &mut dyn FnMut(&KafkaRecord<'_>) -> Result<()>,
        ) -> Result<()> {
            each(&RECORD)
        }
    }
    struct Once(bool);
    impl Batches for Once {
        fn next(&mut self, _: Duration, _: usize) -> Box<dyn Lent> {
            match std::mem::replace(&mut self.0, true) {
                false => Box::new(Lossy),
                true => Box::new(Brought(None)),
            }
        }
        fn stop(&mut self, _: &[usize]) {}
    }
    let play = play(&[(0, 2)]);
    let (captured, asker, _) = play.stage();
    let window = window_report(&spec());
    let (sink, stop) = (Box::new(play.sink.clone()), AtomicBool::new(false));
    let report = run(play.job(&captured, window), &mut Once(false), sink, &asker, &stop, &Nobody).unwrap().report;
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Incomplete, vec![Ended::Error]));
    let reason = report.partitions[0].reason.as_ref().unwrap();
    assert!(reason.contains("does not add up: 1 records"), "{reason}");
    assert_eq!(report.partitions[0].next_offset, 1, "the next offset is the one that was lost");
    assert_eq!(play.sink.kept().finished, Some(false));
}

#[test]
fn a_limit_ends_the_run_behind_its_last_record() {
    let mut play = play(&[(0, 5), (0, 5)]);
    play.limits.most_records = Some(3);
    let report = play.run(&[Record(0, 0), Record(1, 2), Record(0, 1), Record(0, 2), Record(1, 3)]);
    assert_eq!((report.outcome, ends(&report)), (ReplayOutcome::Limited, vec![Ended::Limit, Ended::Limit]));
    assert_eq!(play.sink.kept().offsets, [(0, 0), (1, 2), (0, 1)]);
    assert_eq!((account(&report), report.partitions[1].next_offset), ((2, 0, 2, 5), 3));
    assert_eq!(play.sink.kept().finished, Some(true));
    // Records of one byte each; the third would be one too many.
    let mut play = self::play(&[(0, 5)]);
    play.limits.most_bytes = Some(2);
    let report = play.run(&[Record(0, 0), Record(0, 1), Record(0, 2)]);
    assert_eq!((report.outcome, account(&report)), (ReplayOutcome::Limited, (2, 0, 2, 5)));
    // A window that ends with the limit's last record is whole.
    let mut play = self::play(&[(0, 2)]);
    play.limits.most_records = Some(2);
    let report = play.run(&[Record(0, 0), Record(0, 1)]);
    assert_eq!((report.outcome, account(&report)), (ReplayOutcome::Complete, (2, 0, 2, 2)));
}

#[test]
fn what_is_not_wanted_is_counted_as_filtered() {
    let mut play = play(&[(0, 3)]);
    play.selection.keys = vec![b"other".to_vec()];
    let report = play.run(&[Record(0, 0), Record(0, 2)]);
    assert_eq!((report.outcome, account(&report)), (ReplayOutcome::Complete, (0, 1, 3, 3)));
    assert_eq!((report.partitions[0].filtered, report.total.filtered), (2, 2));
    assert!(play.sink.kept().offsets.is_empty());
}
