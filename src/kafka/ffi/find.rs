//! A faster search in librdkafka's partition lists.
//!
//! Librdkafka 2.12 looks each row of an answer up in the list of rows before it, and compares topic names first: an
//! OffsetFetch answer of 10,000 rows costs 50 million `strcmp`. This function finds the same row by comparing the partition
//! first. The linker puts it in the place of librdkafka's own (`build.rs`); where a linker can't, that one stays, and only
//! time is lost.

use rdkafka_sys as sys;
use std::ffi::CStr;
use std::os::raw::c_char;

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
    // the Rust enum lacks.
    unsafe {
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
}
