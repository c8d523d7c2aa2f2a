//! CreateTopics, DeleteTopics, DeleteRecords: of one topic.

use super::owned::{PartitionEntry, PartitionList, c_text, read_list};
use super::requests::{Wait, run};
use super::{Fault, Native, raw, text};
use rdkafka_sys as sys;
use std::os::raw::c_char;

use sys::rd_kafka_admin_op_t as op;

/// CreateTopics of one topic with one partition, and as many replicas as the brokers give by themselves.
pub fn create_topic(native: Native<'_>, wait: &Wait<'_>, topic: &str, settings: &[(&str, &str)]) -> Result<(), Fault> {
    let answers = run(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_CREATETOPICS,
        sys::RD_KAFKA_EVENT_CREATETOPICS_RESULT,
        1,
        |_, options, queue| {
            let topic = c_text(topic)?;
            let settings = settings
                .iter()
                .map(|(name, value)| Ok((c_text(name)?, c_text(value)?)))
                .collect::<Result<Vec<_>, _>>()?;
            let mut why: [c_char; 256] = [0; 256];
            // SAFETY: all objects are valid, and the error buffer is as long as it says; librdkafka copies the request, which is
            // destroyed right after.
            unsafe {
                let mut request = sys::rd_kafka_NewTopic_new(topic.as_ptr(), 1, -1, why.as_mut_ptr(), why.len());
                if request.is_null() {
                    return Err(Fault { message: text(why.as_ptr()), ..Fault::of(INVALID_ARG) });
                }
                for (name, value) in &settings {
                    sys::rd_kafka_NewTopic_set_config(request, name.as_ptr(), value.as_ptr());
                }
                sys::rd_kafka_CreateTopics(native.ptr, &mut request, 1, options.ptr(), queue.ptr());
                sys::rd_kafka_NewTopic_destroy(request);
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; its topics live as long as the event.
            unsafe {
                let result = sys::rd_kafka_event_CreateTopics_result(event.ptr());
                let mut count = 0;
                let topics = sys::rd_kafka_CreateTopics_result_topics(result, &mut count);
                read_topic_result(topics, count)
            }
        },
    );
    answers.into_iter().next().expect("one request, one answer")
}

/// DeleteTopics of one topic.
pub fn delete_topic(native: Native<'_>, wait: &Wait<'_>, topic: &str) -> Result<(), Fault> {
    let answers = run(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_DELETETOPICS,
        sys::RD_KAFKA_EVENT_DELETETOPICS_RESULT,
        1,
        |_, options, queue| {
            let topic = c_text(topic)?;
            // SAFETY: all objects are valid; librdkafka copies the request, which is destroyed right after.
            unsafe {
                let mut request = sys::rd_kafka_DeleteTopic_new(topic.as_ptr());
                sys::rd_kafka_DeleteTopics(native.ptr, &mut request, 1, options.ptr(), queue.ptr());
                sys::rd_kafka_DeleteTopic_destroy(request);
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; its topics live as long as the event.
            unsafe {
                let result = sys::rd_kafka_event_DeleteTopics_result(event.ptr());
                let mut count = 0;
                let topics = sys::rd_kafka_DeleteTopics_result_topics(result, &mut count);
                read_topic_result(topics, count)
            }
        },
    );
    answers.into_iter().next().expect("one request, one answer")
}

/// DeleteRecords of one partition; the log's new start.
pub fn delete_records(
    native: Native<'_>,
    wait: &Wait<'_>,
    topic: &str,
    partition: i32,
    before: i64,
) -> Result<i64, Fault> {
    let answers = run(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_DELETERECORDS,
        sys::RD_KAFKA_EVENT_DELETERECORDS_RESULT,
        1,
        |_, options, queue| {
            let entry = PartitionEntry { topic, partition, offset: before, metadata: None };
            let list = PartitionList::of([entry].into_iter())?;
            // SAFETY: all objects are valid; librdkafka copies the request, which is destroyed right after.
            unsafe {
                let mut request = sys::rd_kafka_DeleteRecords_new(list.ptr());
                sys::rd_kafka_DeleteRecords(native.ptr, &mut request, 1, options.ptr(), queue.ptr());
                sys::rd_kafka_DeleteRecords_destroy(request);
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; the list lives as long as the event and is copied.
            let rows = unsafe {
                let result = sys::rd_kafka_event_DeleteRecords_result(event.ptr());
                read_list(sys::rd_kafka_DeleteRecords_result_offsets(result))
            };
            match rows.into_iter().next() {
                None => Err(Fault::of(NOENT)),
                Some(row) => row.fault.map_or(Ok(row.offset), Err),
            }
        },
    );
    answers.into_iter().next().expect("one request, one answer")
}

const INVALID_ARG: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__INVALID_ARG as i32;
const NOENT: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__NOENT as i32;

/// What became of the only topic.
///
/// # Safety
/// `topics` holds `count` valid pointers.
unsafe fn read_topic_result(topics: *mut *const sys::rd_kafka_topic_result_t, count: usize) -> Result<(), Fault> {
    if count == 0 {
        return Err(Fault::of(NOENT));
    }
    // SAFETY: the caller's promise; the text is copied.
    unsafe {
        let topic = *topics;
        match Fault::unless_ok(raw::topic_result_error(topic)) {
            None => Ok(()),
            Some(fault) => {
                let message = text(sys::rd_kafka_topic_result_error_string(topic));
                Err(if message.is_empty() { fault } else { Fault { message, ..fault } })
            }
        }
    }
}
