//! DescribeConfigs of topics and of a broker; the names of all topics.

use super::owned::c_text;
use super::requests::{Wait, run};
use super::{Fault, Native, optional_text, raw, text};
use rdkafka_sys as sys;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::time::Duration;

/// Whose settings are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource<'a> {
    /// A topic's.
    Topic(&'a str),
    /// A broker's: the request goes to that broker itself.
    Broker(i32),
}

/// The settings of one resource.
pub struct DescribedConfigs {
    /// The topic's name, or the broker's id.
    pub name: String,
    /// The resource's own fault.
    pub fault: Option<Fault>,
    /// What was asked for and has a value.
    pub values: BTreeMap<String, String>,
}

/// An owned resource of a request.
struct Asked(NonNull<sys::rd_kafka_ConfigResource_t>);

impl Drop for Asked {
    fn drop(&mut self) {
        // SAFETY: this owner holds the only pointer, and drops once.
        unsafe { sys::rd_kafka_ConfigResource_destroy(self.0.as_ptr()) }
    }
}

impl Asked {
    fn new(resource: &Resource<'_>, settings: &[&str]) -> Result<Self, Fault> {
        let (kind, name) = match resource {
            Resource::Topic(topic) => (sys::rd_kafka_ResourceType_t::RD_KAFKA_RESOURCE_TOPIC, (*topic).to_owned()),
            Resource::Broker(id) => (sys::rd_kafka_ResourceType_t::RD_KAFKA_RESOURCE_BROKER, id.to_string()),
        };
        let name = c_text(&name)?;
        // SAFETY: names are copied. The value stands for "this one, please": a describe sends names alone.
        unsafe {
            let asked = Asked(
                NonNull::new(sys::rd_kafka_ConfigResource_new(kind, name.as_ptr()))
                    .ok_or_else(|| Fault::of(sys::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR__INVALID_ARG as i32))?,
            );
            for setting in settings {
                let setting = c_text(setting)?;
                sys::rd_kafka_ConfigResource_set_config(asked.0.as_ptr(), setting.as_ptr(), c"".as_ptr());
            }
            Ok(asked)
        }
    }
}

/// DescribeConfigs in chunks of resources, of these settings alone. No chunk may hold a broker beside another resource.
pub fn describe_configs(
    native: Native<'_>,
    wait: &Wait<'_>,
    chunks: &[&[Resource<'_>]],
    settings: &[&str],
) -> Vec<Result<Vec<DescribedConfigs>, Fault>> {
    run(
        native,
        wait,
        sys::rd_kafka_admin_op_t::RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS,
        sys::RD_KAFKA_EVENT_DESCRIBECONFIGS_RESULT,
        chunks.len(),
        |index, options, queue| {
            let asked =
                chunks[index].iter().map(|resource| Asked::new(resource, settings)).collect::<Result<Vec<_>, _>>()?;
            let mut pointers: Vec<_> = asked.iter().map(|asked| asked.0.as_ptr()).collect();
            // SAFETY: all objects are valid; librdkafka copies the resources, which are destroyed right after.
            unsafe {
                sys::rd_kafka_DescribeConfigs(
                    native.ptr,
                    pointers.as_mut_ptr(),
                    pointers.len(),
                    options.ptr(),
                    queue.ptr(),
                );
            }
            Ok(())
        },
        |event| {
            // SAFETY: the event has this result; everything is copied while it lives.
            unsafe {
                let result = sys::rd_kafka_event_DescribeConfigs_result(event.ptr());
                let mut count = 0;
                let resources = sys::rd_kafka_DescribeConfigs_result_resources(result, &mut count);
                Ok((0..count).map(|index| read_resource(*resources.add(index))).collect())
            }
        },
    )
}

/// # Safety
/// `resource` is valid.
unsafe fn read_resource(resource: *const sys::rd_kafka_ConfigResource_t) -> DescribedConfigs {
    // SAFETY: the caller's promise; everything is copied.
    unsafe {
        let code = raw::config_resource_error(resource);
        let fault = Fault::unless_ok(code).map(|fault| Fault {
            message: optional_text(sys::rd_kafka_ConfigResource_error_string(resource)).unwrap_or(fault.message),
            ..fault
        });
        let mut count = 0;
        let entries = sys::rd_kafka_ConfigResource_configs(resource, &mut count);
        let values = (0..count)
            .filter_map(|index| {
                let entry = *entries.add(index);
                let value = optional_text(sys::rd_kafka_ConfigEntry_value(entry))?;
                Some((text(sys::rd_kafka_ConfigEntry_name(entry)), value))
            })
            .collect();
        DescribedConfigs { name: text(sys::rd_kafka_ConfigResource_name(resource)), fault, values }
    }
}

/// The names of all topics that this login may describe.
pub fn topic_names(native: Native<'_>, timeout: Duration) -> Result<Vec<String>, Fault> {
    let mut metadata: *const sys::rd_kafka_metadata = std::ptr::null();
    let timeout_ms = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: the handle is valid; a null topic and "all topics" ask for all of them; what comes back is copied and destroyed
    // once. Topics are read field by field: their `err` may hold a value that the Rust enum lacks.
    unsafe {
        let code = raw::metadata(native.ptr, 1, std::ptr::null_mut(), &mut metadata, timeout_ms);
        if let Some(fault) = Fault::unless_ok(code) {
            return Err(fault);
        }
        let topics = (*metadata).topics;
        let names = (0..(*metadata).topic_cnt as usize).map(|index| text((*topics.add(index)).topic)).collect();
        sys::rd_kafka_metadata_destroy(metadata);
        Ok(names)
    }
}
