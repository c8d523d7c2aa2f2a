//! DeleteConsumerGroupOffsets, DeleteGroups.

use super::offsets::read_group_result;
use super::owned::{PartitionEntry, PartitionList, PartitionRow, c_text};
use super::requests::{Wait, run};
use super::{Fault, Native};
use rdkafka_sys as sys;

use sys::rd_kafka_admin_op_t as op;

/// DeleteConsumerGroupOffsets of one group. The answer's rows carry their own faults: rows fail one by one.
pub fn delete_group_offsets(
    native: Native<'_>,
    wait: &Wait<'_>,
    group: &str,
    entries: &[PartitionEntry<'_>],
) -> Result<Vec<PartitionRow>, Fault> {
    let answers = run(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_DELETECONSUMERGROUPOFFSETS,
        sys::RD_KAFKA_EVENT_DELETECONSUMERGROUPOFFSETS_RESULT,
        1,
        |_, options, queue| {
            let group = c_text(group)?;
            let list = PartitionList::of(entries.iter().copied())?;
            // SAFETY: all objects are valid; librdkafka copies the request, which is destroyed right after.
            unsafe {
                let mut request = sys::rd_kafka_DeleteConsumerGroupOffsets_new(group.as_ptr(), list.ptr());
                sys::rd_kafka_DeleteConsumerGroupOffsets(native.ptr, &mut request, 1, options.ptr(), queue.ptr());
                sys::rd_kafka_DeleteConsumerGroupOffsets_destroy(request);
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; its groups live as long as the event.
            unsafe {
                let result = sys::rd_kafka_event_DeleteConsumerGroupOffsets_result(event.ptr());
                let mut count = 0;
                let groups = sys::rd_kafka_DeleteConsumerGroupOffsets_result_groups(result, &mut count);
                read_group_result(groups, count)
            }
        },
    );
    answers.into_iter().next().expect("one request, one answer")
}

/// DeleteGroups of one group.
pub fn delete_group(native: Native<'_>, wait: &Wait<'_>, group: &str) -> Result<(), Fault> {
    let answers = run(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_DELETEGROUPS,
        sys::RD_KAFKA_EVENT_DELETEGROUPS_RESULT,
        1,
        |_, options, queue| {
            let group = c_text(group)?;
            // SAFETY: all objects are valid; librdkafka copies the request, which is destroyed right after.
            unsafe {
                let mut request = sys::rd_kafka_DeleteGroup_new(group.as_ptr());
                sys::rd_kafka_DeleteGroups(native.ptr, &mut request, 1, options.ptr(), queue.ptr());
                sys::rd_kafka_DeleteGroup_destroy(request);
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; its groups live as long as the event. A deleted group has no partitions, and
            // a null list is read as empty.
            unsafe {
                let result = sys::rd_kafka_event_DeleteGroups_result(event.ptr());
                let mut count = 0;
                let groups = sys::rd_kafka_DeleteGroups_result_groups(result, &mut count);
                read_group_result(groups, count).map(|_| ())
            }
        },
    );
    answers.into_iter().next().expect("one request, one answer")
}
