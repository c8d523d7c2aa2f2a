//! The compose file says what its comment and the other documents promise.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

fn compose() -> Value {
    let text = include_str!("../../docker-compose.yml");
    serde_saphyr::from_str(text).unwrap()
}

#[test]
fn one_broker_of_the_official_image_in_the_version_that_tests_use() {
    let compose = compose();
    let services = compose["services"].as_object().unwrap();
    assert_eq!(services.keys().collect::<Vec<_>>(), ["kafka"]);
    let image = services["kafka"]["image"].as_str().unwrap();
    let version = local_kafka::DEFAULT_VERSION;
    assert_eq!(image, format!("apache/kafka:${{KAFKA_VERSION:-{version}}}"));
}

#[test]
fn it_listens_on_this_machine_alone() {
    let ports = compose()["services"]["kafka"]["ports"].clone();
    assert_eq!(ports, serde_json::json!(["127.0.0.1:9092:9092"]));
}

#[test]
fn it_is_healthy_when_the_broker_answers() {
    let check = compose()["services"]["kafka"]["healthcheck"].clone();
    let test: Vec<&str> = check["test"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    assert_eq!(test, ["CMD", "/opt/kafka/bin/kafka-broker-api-versions.sh", "--bootstrap-server", "127.0.0.1:9092"]);
    assert!(check["retries"].as_u64().unwrap() > 1);
    for key in ["interval", "timeout", "start_period"] {
        assert!(check[key].as_str().unwrap().ends_with('s'), "{key}");
    }
}

#[test]
fn its_settings_are_kafkas_and_those_of_a_node_alone() {
    let environment = compose()["services"]["kafka"]["environment"].clone();
    let get = |key: &str| environment[key].as_str().unwrap_or_default().to_owned();
    for (key, value) in [
        ("KAFKA_PROCESS_ROLES", "broker,controller"),
        ("KAFKA_ADVERTISED_LISTENERS", "PLAINTEXT://127.0.0.1:9092"),
        ("KAFKA_CONTROLLER_QUORUM_VOTERS", "1@localhost:9093"),
        ("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false"),
        ("KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR", "1"),
        ("KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR", "1"),
        ("KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR", "1"),
    ] {
        assert_eq!(get(key), value, "{key}");
    }
    let names = environment.as_object().unwrap();
    assert!(names.keys().all(|key| key.starts_with("KAFKA_")));
    // Each listener is named, mapped and of this one node.
    for listener in ["PLAINTEXT", "CONTROLLER"] {
        assert!(get("KAFKA_LISTENERS").contains(&format!("{listener}://:")));
        assert!(get("KAFKA_LISTENER_SECURITY_PROTOCOL_MAP").contains(&format!("{listener}:PLAINTEXT")));
    }
    let voter = format!("{}@", get("KAFKA_NODE_ID"));
    assert!(get("KAFKA_CONTROLLER_QUORUM_VOTERS").starts_with(&voter));
}
