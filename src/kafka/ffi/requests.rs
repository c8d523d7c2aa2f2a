//! Many admin requests at once over one private queue.

use super::owned::{AdminOptions, Event, Queue};
use super::{Fault, Native, raw, text};
use rdkafka_sys as sys;
use std::time::{Duration, Instant};

/// How long a wait lasts before [`Wait::give_up`] is asked again.
const SLICE: Duration = Duration::from_millis(20);

/// How long after a request's own timeout its event may take: librdkafka promises one event per request.
const GRACE: Duration = Duration::from_secs(5);

/// How long to wait, and when to stop waiting before that.
pub struct Wait<'a> {
    /// The longest that each request may take.
    pub timeout: Duration,
    /// Requests in flight at once.
    pub window: usize,
    /// Asked every few milliseconds: a reason to give up at once, such as a login that was refused.
    pub give_up: &'a (dyn Fn() -> Option<Fault> + 'a),
}

/// Runs `count` requests: `submit` sends the request of an index to the queue, `read` copies its event's result out.
/// The answers stand in the order of the indexes.
pub(super) fn run<T>(
    native: Native<'_>,
    wait: &Wait<'_>,
    operation: sys::rd_kafka_admin_op_t,
    event_type: i32,
    count: usize,
    mut submit: impl FnMut(usize, &AdminOptions, &Queue) -> Result<(), Fault>,
    read: impl Fn(&Event) -> Result<T, Fault>,
) -> Vec<Result<T, Fault>> {
    run_indexed(native, wait, operation, event_type, count, &mut submit, |_, event| read(event))
}

/// The same, with the request's index beside the event that answers it.
pub(super) fn run_indexed<T>(
    native: Native<'_>,
    wait: &Wait<'_>,
    operation: sys::rd_kafka_admin_op_t,
    event_type: i32,
    count: usize,
    mut submit: impl FnMut(usize, &AdminOptions, &Queue) -> Result<(), Fault>,
    read: impl Fn(usize, &Event) -> Result<T, Fault>,
) -> Vec<Result<T, Fault>> {
    let queue = Queue::new(native);
    let timeout_ms = i32::try_from(wait.timeout.as_millis()).unwrap_or(i32::MAX);
    let mut answers: Vec<Option<Result<T, Fault>>> = (0..count).map(|_| None).collect();
    let (mut next, mut flying) = (0, 0usize);
    let mut deadline = Instant::now() + wait.timeout + GRACE;
    while next < count || flying > 0 {
        while next < count && flying < wait.window.max(1) {
            let options = AdminOptions::new(native, operation, timeout_ms);
            options.mark(next);
            match submit(next, &options, &queue) {
                Ok(()) => flying += 1,
                Err(fault) => answers[next] = Some(Err(fault)),
            }
            next += 1;
            deadline = Instant::now() + wait.timeout + GRACE;
        }
        if flying == 0 {
            continue;
        }
        // SAFETY: the queue is valid; a polled event is owned by the caller.
        let event = unsafe { Event::take(sys::rd_kafka_queue_poll(queue.ptr(), SLICE.as_millis() as i32)) };
        let Some(event) = event else {
            let reason = (wait.give_up)().or_else(|| (Instant::now() >= deadline).then(|| Fault::of(TIMED_OUT)));
            if let Some(fault) = reason {
                return answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(fault.clone()))).collect();
            }
            continue;
        };
        // SAFETY: the event is valid while `event` lives; the opaque is the number that `mark` gave.
        let (kind, mark, code) = unsafe {
            (
                sys::rd_kafka_event_type(event.ptr()),
                sys::rd_kafka_event_opaque(event.ptr()) as usize,
                raw::event_error(event.ptr()),
            )
        };
        let Some(index) = mark.checked_sub(1) else { continue };
        let Some(answer) = answers.get_mut(index) else { continue };
        if kind != event_type || answer.is_some() {
            continue;
        }
        *answer = Some(if code != 0 {
            // SAFETY: the text belongs to the event and is copied.
            let message = unsafe { text(sys::rd_kafka_event_error_string(event.ptr())) };
            Err(Fault { message, ..Fault::of(code) })
        } else {
            read(index, &event)
        });
        flying -= 1;
    }
    answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(Fault::of(TIMED_OUT)))).collect()
}

const TIMED_OUT: i32 = sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__TIMED_OUT as i32;
