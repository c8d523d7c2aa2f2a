"""Reads a window with Spark's Kafka source, and compares it with what krewind replayed and with what was produced."""

import base64
import json
import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import unix_millis

bootstrap, jars, window_file, replayed_file, produced_file = sys.argv[1:]

spark = (
    SparkSession.builder.master("local[2]")
    .appName("krewind-spark-check")
    .config("spark.jars", jars)
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")

with open(window_file) as file:
    window = json.load(file)
source = (
    spark.read.format("kafka")
    .option("kafka.bootstrap.servers", bootstrap)
    .option("kafka.isolation.level", "read_committed")
    .option("includeHeaders", "true")
)
for option in ("assign", "startingOffsets", "endingOffsets"):
    source = source.option(option, json.dumps(window[option]))
frame = source.load()
rows = frame.select(
    "topic", "partition", "offset", unix_millis("timestamp").alias("ms"), "key", "value", "headers"
).collect()


def raw(value):
    return None if value is None else bytes(value)


def written(record, field):
    if field + "_base64" in record:
        return base64.b64decode(record[field + "_base64"])
    return None if record[field] is None else record[field].encode()


spark_read = [
    (
        row.topic,
        row.partition,
        row.offset,
        row.ms,
        raw(row.key),
        raw(row.value),
        tuple((header.key, raw(header.value)) for header in row.headers or ()),
    )
    for row in rows
]
krewind_read = []
with open(replayed_file) as file:
    for line in file:
        record = json.loads(line)
        krewind_read.append(
            (
                record["topic"],
                record["partition"],
                record["offset"],
                record["timestamp_ms"],
                written(record, "key"),
                written(record, "value"),
                tuple((header["key"], written(header, "value")) for header in record["headers"]),
            )
        )
produced = set()
with open(produced_file) as file:
    for line in file:
        topic, partition, offset = line.strip().split(",")
        produced.add((topic, int(partition), int(offset)))

wrong = []
for name, read in (("Spark", spark_read), ("krewind", krewind_read)):
    if len(read) != len(set(read)):
        wrong.append(f"{name} read a record twice")
only_spark, only_krewind = set(spark_read) - set(krewind_read), set(krewind_read) - set(spark_read)
if only_spark or only_krewind:
    wrong.append(f"only Spark: {sorted(only_spark, key=str)[:5]}; only krewind: {sorted(only_krewind, key=str)[:5]}")
topics = sorted({topic for topic, *_ in spark_read} | {topic for topic, *_ in krewind_read})
for topic in topics:
    places = {row[:3] for row in spark_read if row[0] == topic}
    right = {place for place in produced if place[0] == topic}
    offsets = sum(
        end - window["startingOffsets"][topic][partition] for partition, end in window["endingOffsets"][topic].items()
    )
    count = sum(1 for row in krewind_read if row[0] == topic)
    # What the cleaner has left of a compacted topic nobody but the broker knows: no list of it.
    if right and places != right:
        wrong.append(f"{topic}: Spark read {len(places)} records, and {len(right)} were produced there")
    known = f"{len(right)} produced" if right else "compacted"
    print(f"{topic}: {offsets} offsets, {known}; Spark read {len(places)}, krewind {count}")
for what in wrong:
    print("different:", what)
print("the same records" if not wrong else "NOT the same records", f"({spark.version})")
spark.stop()
sys.exit(1 if wrong else 0)
