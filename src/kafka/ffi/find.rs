//! A faster search in librdkafka's partition lists, and a faster comparison.
//!
//! Librdkafka 2.12 looks each row of an answer up in the list of rows before it, and compares topic names first: an
//! OffsetFetch answer of 10,000 rows costs 50 million `strcmp`. This function finds the same row by comparing the partition
//! first, and remembers which partition numbers a list holds while it grows by what was not found in it. The linker puts it in
//! the place of librdkafka's own (`build.rs`); where a linker can't, that one stays, and only time is lost.

use rdkafka_sys as sys;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};

/// What a thread knows of the list that it builds: each row is looked for, not found, and added.
#[derive(Default)]
struct Growing {
    list: usize,
    rows: usize,
    /// The partition numbers of all rows, and of the row that was looked for last.
    numbers: Vec<u64>,
    topic: Vec<u8>,
    partition: i32,
}

/// Lists that are shorter are searched as fast without.
const FEW: usize = 64;

/// Numbers beyond this are not remembered: lists that hold one are searched.
const MOST: i32 = 1 << 20;

thread_local! {
    static GROWING: RefCell<Growing> = RefCell::default();
}

impl Growing {
    fn holds(&self, partition: i32) -> bool {
        let number = usize::try_from(partition).unwrap_or_default();
        self.numbers.get(number / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }

    fn add(&mut self, partition: i32) {
        let number = usize::try_from(partition).unwrap_or_default();
        if self.numbers.len() <= number / 64 {
            self.numbers.resize(number / 64 + 1, 0);
        }
        self.numbers[number / 64] |= 1 << (number % 64);
    }

    /// Whether this list is the one that was seen last, longer by the row that was not found in it then.
    ///
    /// # Safety
    /// As the search.
    unsafe fn grew_to(&self, list: *const sys::rd_kafka_topic_partition_list_t, rows: usize) -> bool {
        if self.list != list as usize || rows != self.rows + 1 {
            return false;
        }
        // SAFETY: the caller's promise: the list holds `rows` elements, and at least one.
        unsafe {
            let last = (*list).elems.add(rows - 1);
            (*last).partition == self.partition && CStr::from_ptr((*last).topic).to_bytes() == self.topic
        }
    }

    /// Whether no row can have this partition, whatever its topic; and takes note of what is looked for.
    ///
    /// # Safety
    /// As the search.
    unsafe fn lacks(
        &mut self,
        list: *const sys::rd_kafka_topic_partition_list_t,
        topic: *const c_char,
        partition: i32,
    ) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let rows = (*list).cnt as usize;
            let known = if rows == 0 {
                self.numbers.clear();
                true
            } else {
                self.grew_to(list, rows)
            };
            if !known || !(0..MOST).contains(&partition) {
                self.list = 0;
                return false;
            }
            let lacks = !self.holds(partition);
            self.add(partition);
            (self.list, self.rows, self.partition) = (list as usize, rows, partition);
            self.topic.clear();
            self.topic.extend_from_slice(CStr::from_ptr(topic).to_bytes());
            lacks
        }
    }
}

/// The first element with this topic and partition, or null (`rd_kafka_topic_partition_list_find`).
///
/// # Safety
/// `list` is a valid list whose elements have names, and `topic` a C string: as librdkafka calls it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_rd_kafka_topic_partition_list_find(
    list: *const sys::rd_kafka_topic_partition_list_t,
    topic: *const c_char,
    partition: i32,
) -> *mut sys::rd_kafka_topic_partition_t {
    // SAFETY: the caller's promise; `elems` holds `cnt` elements. Fields are read one by one, since `err` may hold a value that
    // the Rust enum lacks. A thread that ends has no notes any more, and searches.
    unsafe {
        let lacks = GROWING.try_with(|growing| growing.borrow_mut().lacks(list, topic, partition));
        if lacks == Ok(true) && (*list).cnt as usize >= FEW {
            return std::ptr::null_mut();
        }
        let first = (*list).elems;
        for index in 0..(*list).cnt as usize {
            let element = first.add(index);
            if (*element).partition == partition && CStr::from_ptr((*element).topic) == CStr::from_ptr(topic) {
                return element;
            }
        }
    }
    std::ptr::null_mut()
}

/// Orders two partitions (`rd_kafka_topic_partition_cmp`), by their numbers first: librdkafka puts ListOffsets answers together
/// by comparing each row with half of the others, nearly all of the same topic. Librdkafka's own order is by topic; those of its
/// files that call this across files, all that the linker can lead here, look for equal ones, or sort to find duplicates. Its
/// sorts by topic stay in `rdkafka_partition.c` and keep their order.
///
/// # Safety
/// Both are valid partitions with names: as librdkafka calls it.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_rd_kafka_topic_partition_cmp(a: *const c_void, b: *const c_void) -> c_int {
    let (a, b): (*const sys::rd_kafka_topic_partition_t, *const sys::rd_kafka_topic_partition_t) = (a.cast(), b.cast());
    // SAFETY: the caller's promise. Fields are read one by one, since `err` may hold a value that the Rust enum lacks.
    let order = unsafe {
        (*a).partition.cmp(&(*b).partition).then_with(|| CStr::from_ptr((*a).topic).cmp(CStr::from_ptr((*b).topic)))
    };
    match order {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::owned::{PartitionEntry, PartitionList};
    use super::*;

    #[test]
    fn the_first_row_of_both_topic_and_partition_is_found_whichever_search_is_linked() {
        let rows = [("a", 1), ("b", 0), ("a", 0), ("ab", 1), ("b", 1), ("a", 0)];
        let entries = rows.map(|(topic, partition)| PartitionEntry { topic, partition, offset: 0, metadata: None });
        let list = PartitionList::of(entries.iter().copied()).expect("names without NUL");
        let searches: [unsafe extern "C" fn(_, _, _) -> _; 2] =
            [sys::rd_kafka_topic_partition_list_find, __wrap_rd_kafka_topic_partition_list_find];
        for search in searches {
            let place = |topic: &CStr, partition: i32| {
                // SAFETY: the list is valid, and the name is a C string.
                let found = unsafe { search(list.ptr(), topic.as_ptr(), partition) };
                // SAFETY: what is found is an element of the list.
                (!found.is_null()).then(|| unsafe { found.offset_from((*list.ptr()).elems) })
            };
            assert_eq!(place(c"a", 1), Some(0));
            assert_eq!(place(c"a", 0), Some(2));
            assert_eq!(place(c"b", 1), Some(4));
            assert_eq!(place(c"ab", 1), Some(3));
            assert_eq!(place(c"ab", 0), None);
            assert_eq!(place(c"c", 0), None);
            assert_eq!(place(c"", 0), None);
        }
    }

    /// Looks for a row as librdkafka does, and adds it where it is not found; the number of rows then.
    fn look_up_or_add(list: &PartitionList, topic: &CStr, partition: i32) -> i32 {
        // SAFETY: the list is valid, and the name is a C string, which is copied.
        unsafe {
            if __wrap_rd_kafka_topic_partition_list_find(list.ptr(), topic.as_ptr(), partition).is_null() {
                sys::rd_kafka_topic_partition_list_add(list.ptr(), topic.as_ptr(), partition);
            }
            (*list.ptr()).cnt
        }
    }

    fn empty() -> PartitionList {
        PartitionList::of(std::iter::empty()).expect("no names")
    }

    #[test]
    fn a_list_that_grows_by_what_it_lacks_holds_each_row_once() {
        let list = empty();
        let mut rows = 0;
        for round in 0..2 {
            for topic in [c"a", c"b"] {
                for partition in (0..500).rev().chain([MOST, MOST + 1, 7]) {
                    let count = look_up_or_add(&list, topic, partition);
                    if round == 0 && (partition != 7 || count > rows) {
                        rows += 1;
                    }
                    assert_eq!(count, rows, "{topic:?} {partition}");
                }
            }
        }
        assert_eq!(rows, 2 * 502);
    }

    #[test]
    fn what_was_noted_of_one_list_is_not_believed_of_another() {
        let grown = empty();
        for partition in 0..200 {
            look_up_or_add(&grown, c"a", partition);
        }
        // Another list, and the same one after it was changed behind the search's back.
        let entry = |partition| PartitionEntry { topic: "a", partition, offset: 0, metadata: None };
        let other = PartitionList::of((100..301).map(entry)).expect("names without NUL");
        assert_eq!(look_up_or_add(&other, c"a", 300), 201);
        assert_eq!(look_up_or_add(&grown, c"a", 250), 201);
        // SAFETY: the list is valid and holds that row.
        unsafe { (*(*grown.ptr()).elems).partition = 999 };
        assert_eq!(look_up_or_add(&grown, c"a", 999), 201);
        assert_eq!(look_up_or_add(&grown, c"a", 999), 201);
        assert_eq!(look_up_or_add(&grown, c"a", 0), 202);
    }

    #[test]
    fn only_the_same_partition_of_the_same_topic_is_equal_and_the_order_is_total() {
        let rows = [("a", 1), ("b", 0), ("a", 0), ("ab", 1), ("b", 1)];
        let entries = rows.map(|(topic, partition)| PartitionEntry { topic, partition, offset: 0, metadata: None });
        let list = PartitionList::of(entries.iter().copied()).expect("names without NUL");
        let compared = |a: usize, b: usize| {
            // SAFETY: the list is valid and has both rows.
            unsafe {
                let first = (*list.ptr()).elems;
                __wrap_rd_kafka_topic_partition_cmp(first.add(a).cast(), first.add(b).cast())
            }
        };
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|&a, &b| compared(a, b).cmp(&0));
        let sorted: Vec<_> = order.into_iter().map(|index| rows[index]).collect();
        assert_eq!(sorted, [("a", 0), ("b", 0), ("a", 1), ("ab", 1), ("b", 1)]);
        for a in 0..rows.len() {
            for b in 0..rows.len() {
                assert_eq!(compared(a, b) == 0, a == b);
                assert_eq!(compared(a, b), -compared(b, a));
            }
        }
    }
}
