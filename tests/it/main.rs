//! The real binary against a real Apache Kafka: what it prints, how it exits, and what the cluster looks like afterwards.

mod reset;
