//! Functions of librdkafka that return or take error codes, declared again with `i32` in place of the closed enum.

use rdkafka_sys as sys;
use std::os::raw::{c_char, c_int};

#[allow(clashing_extern_declarations)]
unsafe extern "C" {
    #[link_name = "rd_kafka_event_error"]
    pub fn event_error(event: *mut sys::rd_kafka_event_t) -> i32;
    #[link_name = "rd_kafka_error_code"]
    pub fn error_code(error: *const sys::rd_kafka_error_t) -> i32;
    #[link_name = "rd_kafka_err2name"]
    pub fn err2name(code: i32) -> *const c_char;
    #[link_name = "rd_kafka_err2str"]
    pub fn err2str(code: i32) -> *const c_char;
    #[link_name = "rd_kafka_list_groups"]
    pub fn list_groups(
        client: *mut sys::rd_kafka_t,
        group: *const c_char,
        list: *mut *const sys::rd_kafka_group_list,
        timeout_ms: c_int,
    ) -> i32;
    #[link_name = "rd_kafka_metadata"]
    pub fn metadata(
        client: *mut sys::rd_kafka_t,
        all_topics: c_int,
        topic: *mut sys::rd_kafka_topic_t,
        metadata: *mut *const sys::rd_kafka_metadata,
        timeout_ms: c_int,
    ) -> i32;
    #[link_name = "rd_kafka_ConfigResource_error"]
    pub fn config_resource_error(resource: *const sys::rd_kafka_ConfigResource_t) -> i32;
    #[link_name = "rd_kafka_topic_result_error"]
    pub fn topic_result_error(topic: *const sys::rd_kafka_topic_result_t) -> i32;
    #[link_name = "rd_kafka_message_headers"]
    pub fn message_headers(message: *const sys::rd_kafka_message_t, headers: *mut *mut sys::rd_kafka_headers_t) -> i32;
    #[link_name = "rd_kafka_header_get_all"]
    pub fn header_get_all(
        headers: *const sys::rd_kafka_headers_t,
        index: usize,
        name: *mut *const c_char,
        value: *mut *const std::os::raw::c_void,
        size: *mut usize,
    ) -> i32;
    #[link_name = "rd_kafka_header_add"]
    pub fn header_add(
        headers: *mut sys::rd_kafka_headers_t,
        name: *const c_char,
        name_size: isize,
        value: *const std::os::raw::c_void,
        value_size: isize,
    ) -> i32;
    #[link_name = "rd_kafka_message_timestamp"]
    pub fn message_timestamp(message: *const sys::rd_kafka_message_t, kind: *mut c_int) -> i64;
}
