//! Reading in batches: a queue of our own that partitions are forwarded to, and messages lent from it.

use super::owned::Queue;
use super::{Fault, Native, owned::c_text, raw, text};
use crate::model::{Header, TimestampType};
use rdkafka_sys as sys;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr::addr_of;
use std::time::Duration;

/// Librdkafka's code for "no more records now" (with `enable.partition.eof`).
pub const PARTITION_EOF: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__PARTITION_EOF as i32;

/// A queue that receives the messages of the partitions that were forwarded to it.
pub struct BatchQueue<'a> {
    queue: Queue,
    native: Native<'a>,
    size: usize,
}

impl<'a> BatchQueue<'a> {
    /// A queue that hands out up to `size` messages at once.
    pub fn new(native: Native<'a>, size: usize) -> Self {
        BatchQueue { queue: Queue::new(native), native, size: size.max(1) }
    }

    /// Sends this partition's messages here. Call it before `assign()`: the forwarding survives that.
    pub fn forward(&self, topic: &str, partition: i32) -> Result<(), Fault> {
        let topic = c_text(topic)?;
        // SAFETY: the handle is valid; the partition's queue is owned until the end of the block, and forwarding holds its own
        // reference to the target.
        unsafe {
            let Some(source) =
                Queue::take(sys::rd_kafka_queue_get_partition(self.native.ptr, topic.as_ptr(), partition))
            else {
                return Err(Fault::of(sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION as i32));
            };
            sys::rd_kafka_queue_forward(source.ptr(), self.queue.ptr());
        }
        Ok(())
    }

    /// Waits up to `timeout` for messages and hands out what came, at most `most`.
    pub fn poll(&self, timeout: Duration, most: usize) -> Batch<'a> {
        let size = self.size.min(most.max(1));
        let mut messages: Vec<*mut sys::rd_kafka_message_t> = Vec::with_capacity(size);
        // SAFETY: the array has room for `size` pointers, of which `count` were written; the messages that come are owned by the
        // batch until it is dropped.
        unsafe {
            let count = sys::rd_kafka_consume_batch_queue(
                self.queue.ptr(),
                timeout.as_millis() as c_int,
                messages.as_mut_ptr(),
                size,
            );
            messages.set_len(usize::try_from(count).unwrap_or(0).min(size));
        }
        Batch { messages, client: PhantomData }
    }
}

/// Messages of one poll, destroyed together. The client must outlive them: they count on its partitions.
pub struct Batch<'a> {
    messages: Vec<*mut sys::rd_kafka_message_t>,
    client: PhantomData<&'a ()>,
}

// SAFETY: librdkafka's messages belong to whoever holds them, on any thread; what they share with the client (buffers, partition
// and topic objects) is counted atomically or under locks.
unsafe impl Send for Batch<'_> {}

impl Batch<'_> {
    /// How many messages came.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether none came.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The message at this place.
    pub fn get(&self, place: usize) -> Message<'_> {
        Message { ptr: self.messages[place], batch: PhantomData }
    }

    /// The messages in the order they came.
    pub fn iter(&self) -> impl Iterator<Item = Message<'_>> {
        self.messages.iter().map(|&ptr| Message { ptr, batch: PhantomData })
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        for &message in &self.messages {
            // SAFETY: each message came from this poll and is destroyed here alone.
            unsafe { sys::rd_kafka_message_destroy(message) }
        }
    }
}

/// A message or an event in a message's place, lent by its batch.
#[derive(Clone, Copy)]
pub struct Message<'b> {
    ptr: *const sys::rd_kafka_message_t,
    batch: PhantomData<&'b ()>,
}

impl<'b> Message<'b> {
    /// The error code; 0 for a record, [`PARTITION_EOF`] for the end of a log.
    pub fn code(&self) -> i32 {
        // SAFETY: the message lives as long as its batch; `err` is read as a number.
        unsafe { addr_of!((*self.ptr).err).cast::<i32>().read() }
    }

    /// The words of an error message.
    pub fn error_text(&self) -> String {
        // SAFETY: for a message with an error the payload is its text, which `errstr` returns; copied.
        unsafe { text(sys::rd_kafka_message_errstr(self.ptr)) }
    }

    /// The topic's name; empty for an error of the whole client.
    pub fn topic(&self) -> &'b str {
        // SAFETY: the topic object outlives the message, and its name is text that librdkafka keeps with it.
        unsafe {
            let topic = addr_of!((*self.ptr).rkt).read();
            if topic.is_null() {
                return "";
            }
            let name: *const c_char = sys::rd_kafka_topic_name(topic);
            std::ffi::CStr::from_ptr(name).to_str().unwrap_or("")
        }
    }

    /// The topic object's address: equal for messages of one topic, so that names need not be compared.
    pub fn topic_address(&self) -> usize {
        // SAFETY: only the pointer's value is read.
        unsafe { addr_of!((*self.ptr).rkt).read() as usize }
    }

    /// The partition.
    pub fn partition(&self) -> i32 {
        // SAFETY: the message lives as long as its batch.
        unsafe { addr_of!((*self.ptr).partition).read() }
    }

    /// The record's offset, or for [`PARTITION_EOF`] the offset that the next record will get.
    pub fn offset(&self) -> i64 {
        // SAFETY: the message lives as long as its batch.
        unsafe { addr_of!((*self.ptr).offset).read() }
    }

    /// The key.
    pub fn key(&self) -> Option<&'b [u8]> {
        // SAFETY: key and length belong together, and live as long as the message.
        unsafe { bytes(addr_of!((*self.ptr).key).read(), addr_of!((*self.ptr).key_len).read()) }
    }

    /// The value.
    pub fn value(&self) -> Option<&'b [u8]> {
        // SAFETY: payload and length belong together, and live as long as the message.
        unsafe { bytes(addr_of!((*self.ptr).payload).read(), addr_of!((*self.ptr).len).read()) }
    }

    /// The timestamp in milliseconds and where it comes from.
    pub fn timestamp(&self) -> (i64, TimestampType) {
        let mut kind: c_int = 0;
        // SAFETY: the message is valid; the type is written as an integer.
        let timestamp = unsafe { raw::message_timestamp(self.ptr, &mut kind) };
        match kind {
            1 => (timestamp, TimestampType::CreateTime),
            2 => (timestamp, TimestampType::LogAppendTime),
            _ => (-1, TimestampType::NotAvailable),
        }
    }

    /// Appends the headers, in their order; clears `into` first.
    pub fn headers(&self, into: &mut Vec<Header<'b>>) {
        into.clear();
        let mut headers: *mut sys::rd_kafka_headers_t = std::ptr::null_mut();
        // SAFETY: headers are parsed into the message and live as long as it; names and values point into them.
        unsafe {
            if raw::message_headers(self.ptr, &mut headers) != 0 || headers.is_null() {
                return;
            }
            let mut index = 0;
            loop {
                let (mut name, mut value, mut size) = (std::ptr::null::<c_char>(), std::ptr::null::<c_void>(), 0usize);
                if raw::header_get_all(headers, index, &mut name, &mut value, &mut size) != 0 {
                    return;
                }
                into.push(Header { key: std::ffi::CStr::from_ptr(name).to_bytes(), value: bytes(value, size) });
                index += 1;
            }
        }
    }
}

/// # Safety
/// `ptr` is null or points to `len` bytes that live for `'b`.
unsafe fn bytes<'b>(ptr: *const c_void, len: usize) -> Option<&'b [u8]> {
    // SAFETY: the caller's promise.
    (!ptr.is_null()).then(|| unsafe { std::slice::from_raw_parts(ptr.cast::<u8>(), len) })
}
