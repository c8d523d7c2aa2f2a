//! Links krewind's own search and comparison in librdkafka's partition lists in the place of librdkafka's (`src/kafka/ffi/find.rs`).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // `--wrap` is known to GNU ld, gold, lld and mold; elsewhere librdkafka's own search stays.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo:rustc-link-arg=-Wl,--wrap=rd_kafka_topic_partition_list_find");
        println!("cargo:rustc-link-arg=-Wl,--wrap=rd_kafka_topic_partition_cmp");
    }
}
