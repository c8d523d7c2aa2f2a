//! The calls of librdkafka that rdkafka has no safe form for: group and offset admin requests, and reading in batches.
//!
//! This is the only room with `unsafe`. Each call blocks, uses a private queue, and copies everything out before it returns:
//! no reference into C memory leaves, except that a [`batch::Batch`] lends its records while it lives.
//!
//! Two rules hold everywhere here:
//! - rdkafka-sys declares `rd_kafka_resp_err_t` as a closed Rust enum, while librdkafka passes the broker's codes through. A
//!   code it does not know would be undefined behaviour, so codes are read as `i32` (`raw`), and no reference to a struct
//!   that holds one is ever formed.
//! - A pointer is wrapped in its owner ([`owned`]) on the line it is made.

#![allow(unsafe_code)]

mod raw;

pub mod batch;
pub mod configs;
mod find;
pub mod groups;
pub mod offsets;
pub mod owned;
pub mod produce;
pub mod removal;
pub mod requests;
pub mod scratch;
pub mod topics;

use rdkafka::client::{Client, ClientContext};
use rdkafka_sys as sys;
use std::ffi::CStr;
use std::marker::PhantomData;
use std::os::raw::c_char;

/// A client's native handle, lent: it can't outlive the client.
#[derive(Clone, Copy)]
pub struct Native<'a> {
    ptr: *mut sys::rd_kafka_t,
    client: PhantomData<&'a ()>,
}

impl<'a> Native<'a> {
    /// The handle of this client.
    pub fn of<C: ClientContext>(client: &'a Client<C>) -> Self {
        Native { ptr: client.native_ptr(), client: PhantomData }
    }
}

/// What librdkafka or a broker answered: its code (Kafka's positive, librdkafka's negative), name and words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The code, also one that librdkafka has no name for.
    pub code: i32,
    /// The code's name, `UNKNOWN_MEMBER_ID`, `_TIMED_OUT`.
    pub name: String,
    /// What librdkafka said.
    pub message: String,
}

impl Fault {
    /// The fault of a bare code.
    pub fn of(code: i32) -> Self {
        // SAFETY: both functions take any integer and return a pointer to static text, or to a thread-local buffer that is
        // copied at once.
        let (name, message) = unsafe { (text(raw::err2name(code)), text(raw::err2str(code))) };
        Fault { code, name, message }
    }

    /// `None` for code 0.
    fn unless_ok(code: i32) -> Option<Self> {
        (code != 0).then(|| Fault::of(code))
    }
}

/// Copies a C string; null is empty, bytes that are not UTF-8 are replaced.
///
/// # Safety
/// `ptr` is null or points to a NUL-terminated string.
unsafe fn text(ptr: *const c_char) -> String {
    if ptr.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(ptr) }.to_string_lossy().into_owned()
}

/// Whether a C string, never null, has these bytes.
///
/// # Safety
/// `ptr` points to a NUL-terminated string.
unsafe fn is_text(ptr: *const c_char, text: &str) -> bool {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(ptr) }.to_bytes() == text.as_bytes()
}

/// Like [`text`], null is `None`.
///
/// # Safety
/// As [`text`].
unsafe fn optional_text(ptr: *const c_char) -> Option<String> {
    // SAFETY: the caller's promise.
    (!ptr.is_null()).then(|| unsafe { text(ptr) })
}

/// Ends the process at once, without exit handlers: OpenSSL's would tear down what librdkafka's threads still use.
pub fn leave(code: u8) -> ! {
    // SAFETY: `_exit` takes any code and does not return.
    unsafe { libc::_exit(i32::from(code)) }
}
