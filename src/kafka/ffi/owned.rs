//! Owners of librdkafka's objects: each is destroyed exactly once, when it is dropped.

use super::{Fault, Native, raw, text};
use rdkafka_sys as sys;
use std::ffi::CString;
use std::os::raw::{c_char, c_void};
use std::ptr::{NonNull, addr_of};

macro_rules! owner {
    ($(#[$doc:meta])* $name:ident, $native:ty, $destroy:path) => {
        $(#[$doc])*
        pub struct $name(NonNull<$native>);

        impl $name {
            /// Takes what librdkafka made; `None` for null.
            ///
            /// # Safety
            /// `ptr` is null, or valid and owned by nobody else.
            #[allow(dead_code)]
            pub(super) unsafe fn take(ptr: *mut $native) -> Option<Self> {
                NonNull::new(ptr).map($name)
            }

            pub(super) fn ptr(&self) -> *mut $native {
                self.0.as_ptr()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: this owner holds the only pointer, and drops once.
                unsafe { $destroy(self.0.as_ptr()) }
            }
        }
    };
}

owner!(
    /// An event queue.
    Queue, sys::rd_kafka_queue_t, sys::rd_kafka_queue_destroy
);
owner!(
    /// A polled event; results point into it.
    Event, sys::rd_kafka_event_t, sys::rd_kafka_event_destroy
);
owner!(
    /// Options of one admin request.
    AdminOptions, sys::rd_kafka_AdminOptions_t, sys::rd_kafka_AdminOptions_destroy
);
owner!(
    /// A list of partitions.
    PartitionList, sys::rd_kafka_topic_partition_list_t, sys::rd_kafka_topic_partition_list_destroy
);
owner!(
    /// An error object.
    ErrorObject, sys::rd_kafka_error_t, sys::rd_kafka_error_destroy
);

impl Queue {
    /// A new queue of this client.
    pub fn new(native: Native<'_>) -> Self {
        // SAFETY: the handle is valid while `native` lives; a new queue is owned by the caller.
        unsafe { Queue::take(sys::rd_kafka_queue_new(native.ptr)) }.expect("rd_kafka_queue_new never returns null")
    }
}

impl ErrorObject {
    /// What an options setter returned: null is success.
    ///
    /// # Safety
    /// `ptr` is null, or an error object that the caller owns.
    pub(super) unsafe fn check(ptr: *mut sys::rd_kafka_error_t) -> Result<(), Fault> {
        // SAFETY: the caller's promise; the object is read before it is dropped.
        unsafe {
            match ErrorObject::take(ptr) {
                None => Ok(()),
                Some(error) => Err(fault_of_error(error.ptr())),
            }
        }
    }
}

/// The fault that an error object tells.
///
/// # Safety
/// `error` is a valid error object.
pub(super) unsafe fn fault_of_error(error: *const sys::rd_kafka_error_t) -> Fault {
    // SAFETY: the caller's promise; texts are copied.
    unsafe {
        let code = raw::error_code(error);
        Fault { code, name: text(raw::err2name(code)), message: text(sys::rd_kafka_error_string(error)) }
    }
}

impl AdminOptions {
    /// Options for this operation, whose single result event comes within `timeout` at the latest.
    pub fn new(native: Native<'_>, operation: sys::rd_kafka_admin_op_t, timeout_ms: i32) -> Self {
        // SAFETY: the handle is valid; the options are owned here; the error buffer is as long as it says.
        unsafe {
            let options = AdminOptions::take(sys::rd_kafka_AdminOptions_new(native.ptr, operation))
                .expect("options exist for every operation used here");
            let mut why: [c_char; 256] = [0; 256];
            sys::rd_kafka_AdminOptions_set_request_timeout(
                options.ptr(),
                timeout_ms.clamp(1, 3_600_000),
                why.as_mut_ptr(),
                why.len(),
            );
            options
        }
    }

    /// Sends the request to this broker rather than to where it would go.
    pub fn to_broker(&self, broker: i32) {
        let mut why: [c_char; 256] = [0; 256];
        // SAFETY: the options are valid, and the error buffer is as long as it says. Broker ids are never negative, so it can't
        // fail.
        unsafe {
            sys::rd_kafka_AdminOptions_set_broker(self.ptr(), broker, why.as_mut_ptr(), why.len());
        }
    }

    /// Marks the request, so that its event can be told from others on the same queue.
    pub fn mark(&self, index: usize) {
        // SAFETY: the opaque is a number in a pointer's place, never followed.
        unsafe { sys::rd_kafka_AdminOptions_set_opaque(self.ptr(), (index + 1) as *mut c_void) }
    }
}

/// One row of a partition list, copied out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionRow {
    /// The topic's name.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset, librdkafka's negative ones included (−1001: none).
    pub offset: i64,
    /// The row's own fault.
    pub fault: Option<Fault>,
    /// The leader epoch, −1 where there is none.
    pub leader_epoch: i32,
    /// The commit's metadata.
    pub metadata: Option<Vec<u8>>,
}

/// A row to send.
#[derive(Debug, Clone, Copy)]
pub struct PartitionEntry<'a> {
    /// The topic's name.
    pub topic: &'a str,
    /// The partition.
    pub partition: i32,
    /// The offset, or a spec where the call takes one.
    pub offset: i64,
    /// The commit's metadata.
    pub metadata: Option<&'a str>,
}

impl PartitionList {
    /// A list of these rows. A topic name with a NUL byte is a fault: no such topic can exist.
    pub fn of<'a>(entries: impl ExactSizeIterator<Item = PartitionEntry<'a>>) -> Result<Self, Fault> {
        // SAFETY: the list is owned from the line it is made; `add` copies the name and returns a valid element; the
        // metadata is allocated by `malloc`, since librdkafka frees it.
        unsafe {
            let list = PartitionList::take(sys::rd_kafka_topic_partition_list_new(entries.len() as i32))
                .expect("rd_kafka_topic_partition_list_new never returns null");
            for entry in entries {
                let topic = c_text(entry.topic)?;
                let element = sys::rd_kafka_topic_partition_list_add(list.ptr(), topic.as_ptr(), entry.partition);
                (*element).offset = entry.offset;
                if let Some(metadata) = entry.metadata.filter(|text| !text.is_empty()) {
                    let copy = libc::malloc(metadata.len());
                    assert!(!copy.is_null(), "out of memory");
                    std::ptr::copy_nonoverlapping(metadata.as_ptr(), copy.cast::<u8>(), metadata.len());
                    (*element).metadata = copy;
                    (*element).metadata_size = metadata.len();
                }
            }
            Ok(list)
        }
    }
}

/// A C string; a NUL inside is a fault, not a panic.
pub(super) fn c_text(text: &str) -> Result<CString, Fault> {
    CString::new(text).map_err(|_| Fault {
        code: sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__INVALID_ARG as i32,
        name: "_INVALID_ARG".to_owned(),
        message: format!("{text:?} holds a NUL byte"),
    })
}

/// Copies a row out.
///
/// # Safety
/// `row` points to a valid element of a partition list.
pub(super) unsafe fn read_row(row: *const sys::rd_kafka_topic_partition_t) -> PartitionRow {
    // SAFETY: the caller's promise. Fields are read one by one: `err` may hold a value that the Rust enum lacks.
    unsafe {
        let metadata = (*row).metadata;
        PartitionRow {
            topic: text((*row).topic),
            partition: (*row).partition,
            offset: (*row).offset,
            fault: Fault::unless_ok(addr_of!((*row).err).cast::<i32>().read()),
            leader_epoch: sys::rd_kafka_topic_partition_get_leader_epoch(row),
            metadata: (!metadata.is_null())
                .then(|| std::slice::from_raw_parts(metadata.cast::<u8>(), (*row).metadata_size).to_vec()),
        }
    }
}

/// Copies a list out; null is empty.
///
/// # Safety
/// `list` is null or valid.
pub(super) unsafe fn read_list(list: *const sys::rd_kafka_topic_partition_list_t) -> Vec<PartitionRow> {
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's promise; `elems` holds `cnt` elements.
    unsafe { (0..(*list).cnt as usize).map(|index| read_row((*list).elems.add(index))).collect() }
}
