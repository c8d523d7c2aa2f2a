//! DescribeTopics: partitions, leaders, and the topic's id.

use super::owned::{c_text, fault_of_error};
use super::requests::{Wait, run};
use super::{Fault, Native, optional_text, text};
use rdkafka_sys as sys;
use std::os::raw::c_char;

/// A described topic.
pub struct DescribedTopic {
    /// The topic's name.
    pub topic: String,
    /// The topic's own fault (UNKNOWN_TOPIC_OR_PART, TOPIC_AUTHORIZATION_FAILED).
    pub fault: Option<Fault>,
    /// The topic's id in base64; all zeros from brokers that have none.
    pub topic_id: Option<String>,
    /// Whether Kafka keeps its own state in it.
    pub is_internal: bool,
    /// Each partition, and whether it has a leader.
    pub partitions: Vec<(i32, bool)>,
}

/// DescribeTopics in chunks of names; of this broker, or of the one that librdkafka takes for the controller.
pub fn describe_topics(
    native: Native<'_>,
    wait: &Wait<'_>,
    broker: Option<i32>,
    chunks: &[&[&str]],
) -> Vec<Result<Vec<DescribedTopic>, Fault>> {
    run(
        native,
        wait,
        sys::rd_kafka_admin_op_t::RD_KAFKA_ADMIN_OP_DESCRIBETOPICS,
        sys::RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT,
        chunks.len(),
        |index, options, queue| {
            if let Some(broker) = broker {
                options.to_broker(broker);
            }
            let names = chunks[index].iter().map(|name| c_text(name)).collect::<Result<Vec<_>, _>>()?;
            let mut pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
            // SAFETY: the collection copies the names; it is destroyed once, after the request copied it.
            unsafe {
                let collection = sys::rd_kafka_TopicCollection_of_topic_names(pointers.as_mut_ptr(), pointers.len());
                sys::rd_kafka_DescribeTopics(native.ptr, collection, options.ptr(), queue.ptr());
                sys::rd_kafka_TopicCollection_destroy(collection);
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; everything is copied while it lives.
            unsafe {
                let result = sys::rd_kafka_event_DescribeTopics_result(event.ptr());
                let mut count = 0;
                let topics = sys::rd_kafka_DescribeTopics_result_topics(result, &mut count);
                Ok((0..count).map(|index| read_topic(*topics.add(index))).collect())
            }
        },
    )
}

/// # Safety
/// `topic` is valid.
unsafe fn read_topic(topic: *const sys::rd_kafka_TopicDescription_t) -> DescribedTopic {
    // SAFETY: the caller's promise; everything is copied.
    unsafe {
        let error = sys::rd_kafka_TopicDescription_error(topic);
        let fault = (!error.is_null()).then(|| fault_of_error(error)).filter(|fault| fault.code != 0);
        let mut count = 0;
        let partitions = sys::rd_kafka_TopicDescription_partitions(topic, &mut count);
        let id = sys::rd_kafka_TopicDescription_topic_id(topic);
        DescribedTopic {
            topic: text(sys::rd_kafka_TopicDescription_name(topic)),
            topic_id: if id.is_null() || fault.is_some() {
                None
            } else {
                optional_text(sys::rd_kafka_Uuid_base64str(id))
            },
            fault,
            is_internal: sys::rd_kafka_TopicDescription_is_internal(topic) != 0,
            partitions: (0..count)
                .map(|index| {
                    let partition = *partitions.add(index);
                    let leader = sys::rd_kafka_TopicPartitionInfo_leader(partition);
                    (
                        sys::rd_kafka_TopicPartitionInfo_partition(partition),
                        !leader.is_null() && sys::rd_kafka_Node_id(leader) >= 0,
                    )
                })
                .collect(),
        }
    }
}
