//! ListConsumerGroups, DescribeConsumerGroups, and the legacy list, which alone names share and streams groups.

use super::owned::{AdminOptions, ErrorObject, Event, Queue, c_text, fault_of_error, read_list};
use super::requests::{Wait, run};
use super::{Fault, Native, optional_text, raw, text};
use rdkafka_sys as sys;
use std::os::raw::c_char;
use std::ptr::addr_of;
use std::time::Duration;

use sys::rd_kafka_admin_op_t as op;

/// A row of ListConsumerGroups; numbers are librdkafka's own enums.
pub struct ListedGroup {
    /// The group's id.
    pub group: String,
    /// 0 unknown, 1 consumer, 2 classic.
    pub group_type: u32,
    /// `rd_kafka_consumer_group_state_t`.
    pub state: u32,
    /// Whether commits come from no member.
    pub is_simple: bool,
}

/// What one broker listed.
pub type ListedByBroker = Result<Vec<ListedGroup>, Fault>;

/// ListConsumerGroups, each of these brokers by itself: asked of all at once, librdkafka waits for the slowest, and one that does
/// not answer takes the answers of the others with it.
pub fn list_groups(native: Native<'_>, wait: &Wait<'_>, brokers: &[i32]) -> Vec<ListedByBroker> {
    run(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS,
        sys::RD_KAFKA_EVENT_LISTCONSUMERGROUPS_RESULT,
        brokers.len(),
        |index, options, queue| {
            options.to_broker(brokers[index]);
            // SAFETY: all objects are valid.
            unsafe { sys::rd_kafka_ListConsumerGroups(native.ptr, options.ptr(), queue.ptr()) }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; listings and errors live as long as it, and are copied.
            unsafe {
                let result = sys::rd_kafka_event_ListConsumerGroups_result(event.ptr());
                let (mut count, mut errors) = (0, 0);
                let listings = sys::rd_kafka_ListConsumerGroups_result_valid(result, &mut count);
                let faults = sys::rd_kafka_ListConsumerGroups_result_errors(result, &mut errors);
                if errors > 0 {
                    return Err(fault_of_error(*faults));
                }
                Ok((0..count)
                    .map(|index| {
                        let listing = *listings.add(index);
                        ListedGroup {
                            group: text(sys::rd_kafka_ConsumerGroupListing_group_id(listing)),
                            group_type: sys::rd_kafka_ConsumerGroupListing_type(listing) as u32,
                            state: sys::rd_kafka_ConsumerGroupListing_state(listing) as u32,
                            is_simple: sys::rd_kafka_ConsumerGroupListing_is_simple_consumer_group(listing) != 0,
                        }
                    })
                    .collect())
            }
        },
    )
}

/// The ids of the brokers that the cluster has now.
pub fn broker_ids(native: Native<'_>, timeout: Duration) -> Result<Vec<i32>, Fault> {
    let mut metadata: *const sys::rd_kafka_metadata = std::ptr::null();
    let timeout_ms = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: the handle is valid; a null topic and "not all topics" ask for brokers alone; what comes back is copied and
    // destroyed once.
    unsafe {
        let code = raw::metadata(native.ptr, 0, std::ptr::null_mut(), &mut metadata, timeout_ms);
        if let Some(fault) = Fault::unless_ok(code) {
            return Err(fault);
        }
        let ids = (0..(*metadata).broker_cnt as usize).map(|index| (*(*metadata).brokers.add(index)).id).collect();
        sys::rd_kafka_metadata_destroy(metadata);
        Ok(ids)
    }
}

/// A DescribeCluster that was sent and whose answer nobody has read yet.
pub struct ClusterQuestion(Queue);

// SAFETY: librdkafka's queues may be used and destroyed from any thread.
unsafe impl Send for ClusterQuestion {}

/// Has a broker connected to at once, and asks what this login may do with the cluster (KIP-430). Requests that any broker may
/// answer wait until one is connected, and left to itself librdkafka connects to one only after a pause of 11 ms ("sparse
/// connections"); a request for the controller connects now.
pub fn ask_for_cluster(native: Native<'_>, timeout: Duration) -> ClusterQuestion {
    let timeout_ms = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
    let queue = Queue::new(native);
    let options = AdminOptions::new(native, op::RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER, timeout_ms);
    // SAFETY: handle, options and queue are valid. The setter fails only for another operation; where it fails nothing is
    // told, which is not an answer either.
    unsafe {
        let _ = ErrorObject::check(sys::rd_kafka_AdminOptions_set_include_authorized_operations(options.ptr(), 1));
        sys::rd_kafka_DescribeCluster(native.ptr, options.ptr(), queue.ptr());
    }
    ClusterQuestion(queue)
}

impl ClusterQuestion {
    /// Whether this login may do everything with the cluster: a superuser, or a cluster without an authorizer. `None` where no
    /// answer came in time, or the broker is too old to tell.
    pub fn may_do_everything(&self, timeout: Duration) -> Option<bool> {
        let timeout_ms = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: the queue is valid; the event is owned here, and its result is read while it lives. Operations come from
        // librdkafka's own table, so that the Rust enum has each of them.
        unsafe {
            let event = Event::take(sys::rd_kafka_queue_poll(self.0.ptr(), timeout_ms))?;
            let told = sys::rd_kafka_event_type(event.ptr()) == sys::RD_KAFKA_EVENT_DESCRIBECLUSTER_RESULT;
            if !told || raw::event_error(event.ptr()) != 0 {
                return None;
            }
            let mut count = 0;
            let result = sys::rd_kafka_event_DescribeCluster_result(event.ptr());
            let operations = sys::rd_kafka_DescribeCluster_result_authorized_operations(result, &mut count);
            if operations.is_null() {
                return None;
            }
            let operations: Vec<u32> = (0..count).map(|index| *operations.add(index) as u32).collect();
            use sys::rd_kafka_AclOperation_t as acl;
            let everything = [acl::RD_KAFKA_ACL_OPERATION_ALTER, acl::RD_KAFKA_ACL_OPERATION_CLUSTER_ACTION];
            Some(everything.into_iter().all(|operation| operations.contains(&(operation as u32))))
        }
    }
}

/// A described group's member.
pub struct DescribedMember {
    /// The member's id.
    pub member_id: String,
    /// `group.instance.id`.
    pub instance_id: Option<String>,
    /// `client.id`.
    pub client_id: String,
    /// Where it connected from.
    pub host: String,
    /// Topic and partition of each partition that it was given.
    pub assignment: Vec<(String, i32)>,
}

/// A row of DescribeConsumerGroups.
pub struct DescribedGroup {
    /// The group's id.
    pub group: String,
    /// The group's own fault.
    pub fault: Option<Fault>,
    /// 0 unknown, 1 consumer, 2 classic.
    pub group_type: u32,
    /// `rd_kafka_consumer_group_state_t`.
    pub state: u32,
    /// Whether commits come from no member.
    pub is_simple: bool,
    /// The assignor.
    pub assignor: String,
    /// The coordinator's id, host and port.
    pub coordinator: Option<(i32, String, u16)>,
    /// The members.
    pub members: Vec<DescribedMember>,
}

/// DescribeConsumerGroups: one request a group, all in flight within the window.
pub fn describe_groups(native: Native<'_>, wait: &Wait<'_>, groups: &[&str]) -> Vec<Result<DescribedGroup, Fault>> {
    run(
        native,
        wait,
        op::RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS,
        sys::RD_KAFKA_EVENT_DESCRIBECONSUMERGROUPS_RESULT,
        groups.len(),
        |index, options, queue| {
            let group = c_text(groups[index])?;
            let mut names: [*const c_char; 1] = [group.as_ptr()];
            // SAFETY: one valid name, copied by librdkafka.
            unsafe {
                sys::rd_kafka_DescribeConsumerGroups(native.ptr, names.as_mut_ptr(), 1, options.ptr(), queue.ptr())
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; everything is copied while it lives.
            unsafe {
                let result = sys::rd_kafka_event_DescribeConsumerGroups_result(event.ptr());
                let mut count = 0;
                let descriptions = sys::rd_kafka_DescribeConsumerGroups_result_groups(result, &mut count);
                if count == 0 {
                    return Err(Fault::of(sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__FAIL as i32));
                }
                Ok(read_description(*descriptions))
            }
        },
    )
}

/// # Safety
/// `description` is valid.
unsafe fn read_description(description: *const sys::rd_kafka_ConsumerGroupDescription_t) -> DescribedGroup {
    // SAFETY: the caller's promise; everything is copied.
    unsafe {
        let error = sys::rd_kafka_ConsumerGroupDescription_error(description);
        let node = sys::rd_kafka_ConsumerGroupDescription_coordinator(description);
        let members = sys::rd_kafka_ConsumerGroupDescription_member_count(description);
        DescribedGroup {
            group: text(sys::rd_kafka_ConsumerGroupDescription_group_id(description)),
            fault: (!error.is_null()).then(|| fault_of_error(error)).filter(|fault| fault.code != 0),
            group_type: sys::rd_kafka_ConsumerGroupDescription_type(description) as u32,
            state: sys::rd_kafka_ConsumerGroupDescription_state(description) as u32,
            is_simple: sys::rd_kafka_ConsumerGroupDescription_is_simple_consumer_group(description) != 0,
            assignor: text(sys::rd_kafka_ConsumerGroupDescription_partition_assignor(description)),
            coordinator: (!node.is_null()).then(|| {
                (sys::rd_kafka_Node_id(node), text(sys::rd_kafka_Node_host(node)), sys::rd_kafka_Node_port(node))
            }),
            members: (0..members)
                .map(|index| {
                    let member = sys::rd_kafka_ConsumerGroupDescription_member(description, index);
                    let assignment = sys::rd_kafka_MemberDescription_assignment(member);
                    let partitions = if assignment.is_null() {
                        std::ptr::null()
                    } else {
                        sys::rd_kafka_MemberAssignment_partitions(assignment)
                    };
                    DescribedMember {
                        member_id: text(sys::rd_kafka_MemberDescription_consumer_id(member)),
                        instance_id: optional_text(sys::rd_kafka_MemberDescription_group_instance_id(member))
                            .filter(|id| !id.is_empty()),
                        client_id: text(sys::rd_kafka_MemberDescription_client_id(member)),
                        host: text(sys::rd_kafka_MemberDescription_host(member)),
                        assignment: read_list(partitions).into_iter().map(|row| (row.topic, row.partition)).collect(),
                    }
                })
                .collect(),
        }
    }
}

/// Names of all groups that the brokers list, share and streams groups among them. Only names: this old call describes a live
/// KIP-848 group as "Dead". With a broker that did not answer there is a fault beside the names of the others.
pub fn legacy_group_names(native: Native<'_>, timeout: Duration) -> (Vec<String>, Option<Fault>) {
    let mut list: *const sys::rd_kafka_group_list = std::ptr::null();
    let timeout_ms = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: the handle is valid, null means all groups; a list that comes back is read field by field (its `err` is a closed
    // enum), copied and destroyed once, also on failure.
    unsafe {
        let code = raw::list_groups(native.ptr, std::ptr::null(), &mut list, timeout_ms);
        let mut names = Vec::new();
        if !list.is_null() {
            for index in 0..(*list).group_cnt as usize {
                let group = (*list).groups.add(index);
                names.push(text(addr_of!((*group).group).read()));
            }
            sys::rd_kafka_group_list_destroy(list);
        }
        (names, Fault::unless_ok(code))
    }
}

/// The cluster's id, waited for up to `timeout`; `None` while no broker has answered.
pub fn cluster_id(native: Native<'_>, timeout: Duration) -> Option<String> {
    // SAFETY: the handle is valid; the text is copied and freed by librdkafka's own function.
    unsafe {
        let id = sys::rd_kafka_clusterid(native.ptr, timeout.as_millis() as i32);
        let copy = optional_text(id);
        if !id.is_null() {
            sys::rd_kafka_mem_free(native.ptr, id.cast());
        }
        copy
    }
}
