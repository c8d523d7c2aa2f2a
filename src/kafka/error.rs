//! From a broker's or librdkafka's code to krewind's.

use super::ffi::Fault;
use crate::error::{Code, Error};
use std::fmt;

/// Error codes that krewind acts on. Positive: Kafka's protocol (`org.apache.kafka.common.protocol.Errors`). Negative:
/// librdkafka's own (`rd_kafka_resp_err_t`).
pub mod codes {
    #![allow(missing_docs)]
    pub const OFFSET_OUT_OF_RANGE: i32 = 1;
    pub const UNKNOWN_TOPIC_OR_PARTITION: i32 = 3;
    pub const LEADER_NOT_AVAILABLE: i32 = 5;
    pub const NOT_LEADER_OR_FOLLOWER: i32 = 6;
    pub const REQUEST_TIMED_OUT: i32 = 7;
    pub const COORDINATOR_LOAD_IN_PROGRESS: i32 = 14;
    pub const COORDINATOR_NOT_AVAILABLE: i32 = 15;
    pub const NOT_COORDINATOR: i32 = 16;
    pub const UNKNOWN_MEMBER_ID: i32 = 25;
    pub const TOPIC_AUTHORIZATION_FAILED: i32 = 29;
    pub const GROUP_AUTHORIZATION_FAILED: i32 = 30;
    pub const CLUSTER_AUTHORIZATION_FAILED: i32 = 31;
    pub const TOPIC_ALREADY_EXISTS: i32 = 36;
    pub const NON_EMPTY_GROUP: i32 = 68;
    pub const GROUP_ID_NOT_FOUND: i32 = 69;
    pub const GROUP_SUBSCRIBED_TO_TOPIC: i32 = 86;
    pub const OFFSET_NOT_AVAILABLE: i32 = 78;
    pub const UNSTABLE_OFFSET_COMMIT: i32 = 88;
    pub const UNKNOWN_TOPIC_ID: i32 = 100;
    pub const TRANSPORT: i32 = -195;
    pub const RESOLVE: i32 = -193;
    pub const UNKNOWN_TOPIC: i32 = -188;
    pub const UNKNOWN_PARTITION: i32 = -190;
    pub const ALL_BROKERS_DOWN: i32 = -187;
    pub const INVALID_ARG: i32 = -186;
    pub const TIMED_OUT: i32 = -185;
    pub const SSL: i32 = -181;
    pub const AUTHENTICATION: i32 = -169;
    pub const NOENT: i32 = -156;
    pub const MAX_POLL_EXCEEDED: i32 = -147;
    pub const AUTO_OFFSET_RESET: i32 = -140;
    /// Not librdkafka's: a leader whose answer librdkafka left out of a merged result without an error.
    pub const LEADER_DID_NOT_ANSWER: i32 = -90_001;
    /// Not librdkafka's: the row is missing from the answer.
    pub const NO_ANSWER: i32 = -90_002;
    /// Not librdkafka's: an earlier request failed, so this row's was not sent.
    pub const NOT_SENT: i32 = -90_003;
}

/// What one thing asked of a broker ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerFault {
    /// The code ([`codes`]), also one that librdkafka does not know.
    pub code: i32,
    /// Its name, as Kafka writes it.
    pub name: String,
    /// Words for a person.
    pub message: String,
}

impl From<Fault> for BrokerFault {
    fn from(fault: Fault) -> Self {
        BrokerFault { code: fault.code, name: fault.name, message: fault.message }
    }
}

impl BrokerFault {
    /// A leader that did not answer: its rows come back empty and without an error.
    pub fn leader_did_not_answer() -> Self {
        BrokerFault {
            code: codes::LEADER_DID_NOT_ANSWER,
            name: "LEADER_DID_NOT_ANSWER".to_owned(),
            message: "the partition's leader did not answer".to_owned(),
        }
    }

    /// A row that is missing from the answer.
    pub fn no_answer() -> Self {
        BrokerFault {
            code: codes::NO_ANSWER,
            name: "NO_ANSWER".to_owned(),
            message: "the broker's answer leaves this partition out".to_owned(),
        }
    }

    /// A row that was not sent, because the request before it went unanswered.
    pub fn not_sent() -> Self {
        BrokerFault {
            code: codes::NOT_SENT,
            name: "NOT_SENT".to_owned(),
            message: "not sent: the request before it went unanswered".to_owned(),
        }
    }

    /// Whether the coordinator is moving or loading: asked again, it may answer.
    pub fn is_coordinator_moving(&self) -> bool {
        matches!(
            self.code,
            codes::COORDINATOR_LOAD_IN_PROGRESS | codes::COORDINATOR_NOT_AVAILABLE | codes::NOT_COORDINATOR
        )
    }

    /// Whether this principal may not do that.
    pub fn is_unauthorized(&self) -> bool {
        matches!(
            self.code,
            codes::TOPIC_AUTHORIZATION_FAILED | codes::GROUP_AUTHORIZATION_FAILED | codes::CLUSTER_AUTHORIZATION_FAILED
        )
    }

    /// Whether the topic or partition does not exist.
    pub fn is_missing_topic(&self) -> bool {
        matches!(
            self.code,
            codes::UNKNOWN_TOPIC_OR_PARTITION
                | codes::UNKNOWN_TOPIC_ID
                | codes::UNKNOWN_TOPIC
                | codes::UNKNOWN_PARTITION
        )
    }

    /// Whether it is not known what the broker did: the request may have arrived.
    pub fn is_undecided(&self) -> bool {
        matches!(
            self.code,
            codes::TIMED_OUT | codes::TRANSPORT | codes::ALL_BROKERS_DOWN | codes::REQUEST_TIMED_OUT | codes::NO_ANSWER
        )
    }

    /// The error of a run that this fault ends, while doing `what` ("describing group `x`").
    pub fn into_error(self, what: &str) -> Error {
        let code = match self.code {
            codes::AUTHENTICATION => Code::AuthenticationFailed,
            codes::SSL => Code::TlsFailed,
            codes::TRANSPORT | codes::RESOLVE | codes::ALL_BROKERS_DOWN => Code::ConnectionFailed,
            codes::TIMED_OUT | codes::REQUEST_TIMED_OUT | codes::LEADER_DID_NOT_ANSWER => Code::TimedOut,
            codes::GROUP_ID_NOT_FOUND => Code::GroupNotFound,
            codes::UNKNOWN_MEMBER_ID => Code::GroupActive,
            codes::UNSTABLE_OFFSET_COMMIT => Code::PendingTransaction,
            _ if self.is_unauthorized() => Code::Unauthorized,
            _ if self.is_missing_topic() => Code::TopicNotFound,
            _ => Code::Internal,
        };
        let error = Error::new(code, format!("{what}: {self}"));
        match code {
            Code::TimedOut => error.hint("`--timeout 60s` waits longer; a broker that `advertised.listeners` names may be unreachable from here"),
            Code::Unauthorized => error.hint("ask for DESCRIBE and READ on the group and its topics (`kafka-acls --add …`), or log in as another principal with `-F`"),
            _ => error,
        }
    }
}

impl fmt::Display for BrokerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.code < -90_000 {
            return f.write_str(&self.message);
        }
        write!(f, "{} ({})", self.message.trim_end_matches('.'), self.name)
    }
}
