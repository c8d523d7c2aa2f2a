//! Producing from lent slices, and the delivery reports.

use super::owned::{ErrorObject, Event, Queue, c_text};
use super::{Fault, Native, raw, text};
use crate::model::Header;
use rdkafka_sys as sys;
use std::marker::PhantomData;
use std::os::raw::{c_int, c_void};
use std::ptr::{NonNull, addr_of};
use std::time::Duration;

/// Librdkafka's code for "the queue is full, poll and try again".
pub const QUEUE_FULL: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__QUEUE_FULL as i32;

/// `RD_KAFKA_PARTITION_UA`: the partitioner decides.
const PARTITIONER: i32 = -1;

/// A record on its way out; nothing is kept of it but a copy.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// The partition; `None` leaves it to the partitioner.
    pub partition: Option<i32>,
    /// Milliseconds since the epoch, never 0: librdkafka reads that as "now".
    pub timestamp_ms: i64,
    /// The key; `None` is null.
    pub key: Option<&'a [u8]>,
    /// The value; `None` is null.
    pub value: Option<&'a [u8]>,
    /// The headers, in two runs.
    pub headers: [&'a [Header<'a>]; 2],
}

/// What became of a record: its mark, and why it was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivery {
    /// What it was marked with.
    pub mark: u64,
    /// The code; 0 for a record that all replicas have.
    pub code: i32,
    /// Where the record stands in its partition; negative where that is not known.
    pub offset: i64,
}

/// A topic to produce to, with its queue of events.
pub struct ProduceTopic<'a> {
    topic: NonNull<sys::rd_kafka_topic_t>,
    events: Queue,
    client: PhantomData<&'a ()>,
}

// SAFETY: librdkafka's topic and queue objects may be used from any thread.
unsafe impl Send for ProduceTopic<'_> {}

impl<'a> ProduceTopic<'a> {
    /// The topic by this name, and the main queue of the client, which nobody else may poll.
    pub fn new(native: Native<'a>, name: &str) -> Result<Self, Fault> {
        let name = c_text(name)?;
        // SAFETY: the handle is valid; topic and queue are owned here, and given back in `drop` and by `Queue`.
        unsafe {
            let topic = NonNull::new(sys::rd_kafka_topic_new(native.ptr, name.as_ptr(), std::ptr::null_mut()));
            let Some(topic) = topic else {
                return Err(Fault::of(sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__INVALID_ARG as i32));
            };
            let events = Queue::take(sys::rd_kafka_queue_get_main(native.ptr)).expect("every client has a main queue");
            Ok(ProduceTopic { topic, events, client: PhantomData })
        }
    }

    /// Hands a copy of the record to librdkafka. The mark comes back with its delivery.
    pub fn send(&self, native: Native<'a>, record: &Outgoing<'_>, mark: u64) -> Result<(), Fault> {
        use sys::rd_kafka_vtype_t as vtype;
        type Union = sys::rd_kafka_vu_s__bindgen_ty_1;
        let memory = |bytes: Option<&[u8]>| Union {
            mem: sys::rd_kafka_vu_s__bindgen_ty_1__bindgen_ty_1 {
                ptr: bytes.map_or(std::ptr::null_mut(), |bytes| bytes.as_ptr().cast_mut().cast::<c_void>()),
                size: bytes.map_or(0, <[u8]>::len),
            },
        };
        let headers = HeaderList::of(record.headers);
        let given = |vtype, u| sys::rd_kafka_vu_t { vtype, u };
        let values = [
            given(vtype::RD_KAFKA_VTYPE_RKT, Union { rkt: self.topic.as_ptr() }),
            given(vtype::RD_KAFKA_VTYPE_PARTITION, Union { i32_: record.partition.unwrap_or(PARTITIONER) }),
            given(vtype::RD_KAFKA_VTYPE_MSGFLAGS, Union { i: sys::RD_KAFKA_MSG_F_COPY as c_int }),
            given(vtype::RD_KAFKA_VTYPE_VALUE, memory(record.value)),
            given(vtype::RD_KAFKA_VTYPE_KEY, memory(record.key)),
            given(vtype::RD_KAFKA_VTYPE_TIMESTAMP, Union { i64_: record.timestamp_ms }),
            given(vtype::RD_KAFKA_VTYPE_OPAQUE, Union { ptr: mark as usize as *mut c_void }),
            given(
                vtype::RD_KAFKA_VTYPE_HEADERS,
                Union { headers: headers.as_ref().map_or(std::ptr::null_mut(), |list| list.0.as_ptr()) },
            ),
        ];
        // SAFETY: handle and topic are valid; key and value are copied before the call returns; the opaque is a number in a
        // pointer's place; the error object is owned by the caller.
        unsafe { ErrorObject::check(sys::rd_kafka_produceva(native.ptr, values.as_ptr(), values.len()))? };
        // Taken with the record.
        std::mem::forget(headers);
        Ok(())
    }

    /// Waits up to `timeout` for an event. Deliveries go to `delivered`, errors of the whole client to `trouble`. False where
    /// none came.
    pub fn poll(
        &self,
        timeout: Duration,
        delivered: &mut dyn FnMut(Delivery),
        trouble: &mut dyn FnMut(i32, String),
    ) -> bool {
        // SAFETY: the event is owned until the end of the block; its messages live as long as it, and their fields are read as
        // plain numbers.
        unsafe {
            let polled = sys::rd_kafka_queue_poll(self.events.ptr(), timeout.as_millis() as c_int);
            let Some(event) = Event::take(polled) else { return false };
            match sys::rd_kafka_event_type(event.ptr()) {
                sys::RD_KAFKA_EVENT_DR => loop {
                    let message = sys::rd_kafka_event_message_next(event.ptr());
                    if message.is_null() {
                        break;
                    }
                    delivered(Delivery {
                        mark: addr_of!((*message)._private).read() as usize as u64,
                        code: addr_of!((*message).err).cast::<i32>().read(),
                        offset: addr_of!((*message).offset).read(),
                    });
                },
                sys::RD_KAFKA_EVENT_ERROR => {
                    trouble(raw::event_error(event.ptr()), text(sys::rd_kafka_event_error_string(event.ptr())));
                }
                _ => {}
            }
            true
        }
    }
}

impl Drop for ProduceTopic<'_> {
    fn drop(&mut self) {
        // SAFETY: this owner holds the only pointer, and drops once.
        unsafe { sys::rd_kafka_topic_destroy(self.topic.as_ptr()) }
    }
}

/// Headers to send; librdkafka takes them over with the record.
struct HeaderList(NonNull<sys::rd_kafka_headers_t>);

impl HeaderList {
    fn of(runs: [&[Header<'_>]; 2]) -> Option<Self> {
        let count = runs.iter().map(|run| run.len()).sum();
        if count == 0 {
            return None;
        }
        // SAFETY: the list is owned here; names and values are copied with the lengths that they have.
        unsafe {
            let list = NonNull::new(sys::rd_kafka_headers_new(count)).map(HeaderList)?;
            for header in runs.into_iter().flatten() {
                let value = header.value.map_or(std::ptr::null(), <[u8]>::as_ptr);
                raw::header_add(
                    list.0.as_ptr(),
                    header.key.as_ptr().cast(),
                    header.key.len() as isize,
                    value.cast(),
                    header.value.map_or(0, <[u8]>::len) as isize,
                );
            }
            Some(list)
        }
    }
}

impl Drop for HeaderList {
    fn drop(&mut self) {
        // SAFETY: nobody else holds the list: what librdkafka took is forgotten, not dropped.
        unsafe { sys::rd_kafka_headers_destroy(self.0.as_ptr()) }
    }
}
