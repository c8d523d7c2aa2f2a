//! ListOffsets, ListConsumerGroupOffsets, AlterConsumerGroupOffsets.

use super::owned::{
    AdminOptions, ErrorObject, PartitionEntry, PartitionList, PartitionRow, c_text, fault_of_error, read_list,
};
use super::requests::{Wait, run, run_indexed};
use super::{Fault, Native, is_text};
use rdkafka_sys as sys;
use std::ptr::addr_of;

use sys::rd_kafka_admin_op_t as op;

/// One chunk of a ListOffsets call: specs stand in the rows' offsets (−1 latest, −2 earliest, ≥ 0 a time).
pub struct OffsetLookup<'a> {
    /// The partitions and what is asked of each.
    pub entries: Vec<PartitionEntry<'a>>,
    /// Answer under `read_committed`.
    pub read_committed: bool,
}

/// What a lookup found for one row.
pub struct FoundOffset {
    /// The row's own fault.
    pub fault: Option<Fault>,
    /// The offset, librdkafka's negative ones included.
    pub offset: i64,
    /// The timestamp that came with it; −1 where none did.
    pub timestamp: i64,
}

/// ListOffsets, every chunk in flight at once. A row without a fault and with offset −1001 means that its leader did not
/// answer: librdkafka merges the answers without looking at the failed ones. The answers stand beside their entries; `None`: the
/// answer left that one out.
pub fn list_offsets(
    native: Native<'_>,
    wait: &Wait<'_>,
    chunks: &[OffsetLookup<'_>],
) -> Vec<Result<Vec<Option<FoundOffset>>, Fault>> {
    run_indexed(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_LISTOFFSETS,
        sys::RD_KAFKA_EVENT_LISTOFFSETS_RESULT,
        chunks.len(),
        |index, options, queue| {
            let chunk = &chunks[index];
            let list = PartitionList::of(chunk.entries.iter().copied())?;
            // SAFETY: all objects are valid; librdkafka copies the list.
            unsafe {
                if chunk.read_committed {
                    ErrorObject::check(sys::rd_kafka_AdminOptions_set_isolation_level(
                        options.ptr(),
                        sys::rd_kafka_IsolationLevel_t::RD_KAFKA_ISOLATION_LEVEL_READ_COMMITTED,
                    ))?;
                }
                sys::rd_kafka_ListOffsets(native.ptr, list.ptr(), options.ptr(), queue.ptr());
            }
            Ok(())
        },
        |index, event| {
            // SAFETY: the event has a ListOffsets result; the infos live as long as the event, and are copied.
            unsafe {
                let result = sys::rd_kafka_event_ListOffsets_result(event.ptr());
                let mut count = 0;
                let infos = sys::rd_kafka_ListOffsets_result_infos(result, &mut count);
                let infos = |place: usize| *infos.add(place);
                let is_of = |place: usize, entry: &PartitionEntry<'_>| {
                    let row = sys::rd_kafka_ListOffsetsResultInfo_topic_partition(infos(place));
                    (*row).partition == entry.partition && is_text((*row).topic, entry.topic)
                };
                let entries = chunks[index].entries.iter().enumerate();
                Ok(entries
                    .map(|(place, entry)| {
                        // Librdkafka keeps the order of the request; nothing promises it.
                        let place = if place < count && is_of(place, entry) {
                            place
                        } else {
                            (0..count).find(|&place| is_of(place, entry))?
                        };
                        Some(found_offset(infos(place)))
                    })
                    .collect())
            }
        },
    )
}

/// # Safety
/// `info` is valid.
unsafe fn found_offset(info: *const sys::rd_kafka_ListOffsetsResultInfo_t) -> FoundOffset {
    // SAFETY: the caller's promise. Fields are read one by one: `err` may hold a value that the Rust enum lacks.
    unsafe {
        let row = sys::rd_kafka_ListOffsetsResultInfo_topic_partition(info);
        FoundOffset {
            fault: Fault::unless_ok(addr_of!((*row).err).cast::<i32>().read()),
            offset: (*row).offset,
            timestamp: sys::rd_kafka_ListOffsetsResultInfo_timestamp(info),
        }
    }
}

/// One group's committed offsets to ask for.
pub struct CommitLookup<'a> {
    /// The group's id.
    pub group: &'a str,
    /// These partitions; `None` for all that the group has a commit on.
    pub entries: Option<Vec<PartitionEntry<'a>>>,
}

/// ListConsumerGroupOffsets, many groups at once. A partition without a commit has offset −1001.
pub fn list_group_offsets(
    native: Native<'_>,
    wait: &Wait<'_>,
    require_stable: bool,
    lookups: &[CommitLookup<'_>],
) -> Vec<Result<Vec<PartitionRow>, Fault>> {
    run(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS,
        sys::RD_KAFKA_EVENT_LISTCONSUMERGROUPOFFSETS_RESULT,
        lookups.len(),
        |index, options, queue| {
            let lookup = &lookups[index];
            let group = c_text(lookup.group)?;
            let list = match &lookup.entries {
                Some(entries) => Some(PartitionList::of(entries.iter().copied())?),
                None => None,
            };
            // SAFETY: all objects are valid; librdkafka copies the request, which is destroyed right after.
            unsafe {
                set_require_stable(options, require_stable)?;
                let list = list.as_ref().map_or(std::ptr::null(), |list| list.ptr().cast_const());
                let mut request = sys::rd_kafka_ListConsumerGroupOffsets_new(group.as_ptr(), list);
                sys::rd_kafka_ListConsumerGroupOffsets(native.ptr, &mut request, 1, options.ptr(), queue.ptr());
                sys::rd_kafka_ListConsumerGroupOffsets_destroy(request);
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; its groups live as long as the event.
            unsafe {
                let result = sys::rd_kafka_event_ListConsumerGroupOffsets_result(event.ptr());
                let mut count = 0;
                let groups = sys::rd_kafka_ListConsumerGroupOffsets_result_groups(result, &mut count);
                read_group_result(groups, count)
            }
        },
    )
}

unsafe fn set_require_stable(options: &AdminOptions, require_stable: bool) -> Result<(), Fault> {
    // SAFETY: the options are valid.
    unsafe {
        ErrorObject::check(sys::rd_kafka_AdminOptions_set_require_stable_offsets(
            options.ptr(),
            i32::from(require_stable),
        ))
    }
}

/// AlterConsumerGroupOffsets of one group. The answer's rows carry their own faults: rows fail one by one.
pub fn alter_group_offsets(
    native: Native<'_>,
    wait: &Wait<'_>,
    group: &str,
    entries: &[PartitionEntry<'_>],
) -> Result<Vec<PartitionRow>, Fault> {
    let answers = run(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS,
        sys::RD_KAFKA_EVENT_ALTERCONSUMERGROUPOFFSETS_RESULT,
        1,
        |_, options, queue| {
            let group = c_text(group)?;
            let list = PartitionList::of(entries.iter().copied())?;
            // SAFETY: all objects are valid; librdkafka copies the request, which is destroyed right after.
            unsafe {
                let mut request = sys::rd_kafka_AlterConsumerGroupOffsets_new(group.as_ptr(), list.ptr());
                sys::rd_kafka_AlterConsumerGroupOffsets(native.ptr, &mut request, 1, options.ptr(), queue.ptr());
                sys::rd_kafka_AlterConsumerGroupOffsets_destroy(request);
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; its groups live as long as the event.
            unsafe {
                let result = sys::rd_kafka_event_AlterConsumerGroupOffsets_result(event.ptr());
                let mut count = 0;
                let groups = sys::rd_kafka_AlterConsumerGroupOffsets_result_groups(result, &mut count);
                read_group_result(groups, count)
            }
        },
    );
    answers.into_iter().next().expect("one request, one answer")
}

/// # Safety
/// `groups` points to `count` valid group results.
pub(super) unsafe fn read_group_result(
    groups: *mut *const sys::rd_kafka_group_result_t,
    count: usize,
) -> Result<Vec<PartitionRow>, Fault> {
    if count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the caller's promise; everything is copied.
    unsafe {
        let group = *groups;
        let error = sys::rd_kafka_group_result_error(group);
        if !error.is_null() {
            return Err(fault_of_error(error));
        }
        Ok(read_list(sys::rd_kafka_group_result_partitions(group)))
    }
}
