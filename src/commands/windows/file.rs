//! `--window-file`: each partition's own start and end.

use crate::commands::saved;
use crate::error::{Code, Error, Result};
use crate::model::{PartitionSet, TopicPartition, TopicSelection};
use std::collections::BTreeMap;
use std::path::Path;

/// Start and end by partition.
pub type Rows = BTreeMap<TopicPartition, (i64, i64)>;

const HEADER: [&str; 4] = ["topic", "partition", "start_offset", "end_offset"];

/// Reads a file; one bad line refuses it as a whole.
pub fn read(path: &Path) -> Result<Rows> {
    parse(path, &saved::bytes(path)?)
}

/// A header, comments, quotes, CRLF, blank lines and a byte order mark are fine.
fn parse(path: &Path, bytes: &[u8]) -> Result<Rows> {
    let shown = path.display();
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut rows = Rows::new();
    let mut header = false;
    const HINT: &str = "a line is `topic,partition,start_offset,end_offset`, as `krewind window -o csv` writes it";
    for (index, line) in saved::csv_lines(path, text, HINT).enumerate() {
        let line = line?;
        let bad = |why: String| line.bad(why);
        let fields: Vec<&str> = line.record.iter().map(str::trim).collect();
        if line.is_header(index) {
            if !fields.iter().map(|field| field.to_ascii_lowercase()).eq(HEADER) {
                return Err(bad(format!("has the columns `{}`", fields.join(","))));
            }
            header = true;
            continue;
        }
        let [topic, partition, start, end] = fields.as_slice() else {
            return Err(bad(format!("has {} columns, not 4", fields.len())));
        };
        let topic = topic.parse::<TopicSelection>().map_err(|why| bad(format!("names no topic: {why}")))?.topic;
        let partition: i32 = match partition.parse() {
            Ok(number @ 0..) => number,
            _ => return Err(bad(format!("has `{partition}` for a partition"))),
        };
        let offset = |text: &str| match text.parse::<i64>() {
            // Below zero there is no offset: -1 and -2 are protocols' words for the end and the start.
            Ok(offset @ 0..) if text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(offset),
            _ => Err(bad(format!("has `{text}` for an offset"))),
        };
        let (start, end) = (offset(start)?, offset(end)?);
        if start > end {
            return Err(bad(format!("ends at {end}, before it starts at {start}")));
        }
        let partition = TopicPartition::new(topic, partition);
        if rows.contains_key(&partition) {
            return Err(bad(format!("names `{partition}` again")));
        }
        rows.insert(partition, (start, end));
    }
    if rows.is_empty() {
        let what = if header { "has a header alone" } else { "has no line with a window" };
        return Err(Error::new(Code::BadFile, format!("`{shown}` {what}")));
    }
    Ok(rows)
}

/// Leaves the windows of these topics and partitions; one that is named and not in the file is an error.
pub fn restrict(path: &Path, rows: &mut Rows, topics: &[TopicSelection]) -> Result<()> {
    let missing = |what: String| Error::usage(format!("`{}` has no window for {what}", path.display()));
    for selection in topics {
        let mut of_topic = rows.keys().filter(|partition| partition.topic == selection.topic);
        if of_topic.next().is_none() {
            return Err(missing(format!("topic `{}`", selection.topic)));
        }
        if let PartitionSet::Only(numbers) = &selection.partitions
            && let Some(number) = numbers
                .iter()
                .find(|number| !rows.contains_key(&TopicPartition::new(selection.topic.as_str(), **number)))
        {
            return Err(missing(format!("`{}-{number}`", selection.topic)));
        }
    }
    rows.retain(|partition, _| {
        topics
            .iter()
            .any(|selection| selection.topic == partition.topic && selection.partitions.contains(partition.partition))
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<(String, i64, i64)>> {
        let rows = parse(Path::new("w.csv"), text.as_bytes())?;
        Ok(rows.into_iter().map(|(partition, (start, end))| (partition.to_string(), start, end)).collect())
    }

    #[test]
    fn a_file_as_other_programs_leave_it_is_read() {
        let expected = vec![("orders-0".to_owned(), 5, 12), ("orders-10".to_owned(), 0, 0)];
        for text in [
            "orders,0,5,12\norders,10,0,0\n",
            "topic,partition,start_offset,end_offset\norders,10,0,0\norders,0,5,12",
            "\u{feff}Topic,Partition,Start_Offset,End_Offset\r\norders,0,5,12\r\n\r\n# a comment\r\n\"orders\",10,0,0\r\n",
            "# written by hand\norders, 0, 5, 12\n\norders , 10 , 0 , 0\n",
        ] {
            assert_eq!(parsed(text).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn one_bad_line_refuses_the_file_with_its_number() {
        for (text, line, words) in [
            ("orders,0,5,12\norders,1,5\n", 2, "3 columns"),
            ("# c\n\norders,x,5,12\n", 3, "`x` for a partition"),
            ("topic,partition,start_offset,end_offset\norders,0,-2,12\n", 2, "`-2`"),
            ("orders,0,+5,12\n", 1, "`+5`"),
            ("orders,0,5,latest\n", 1, "`latest`"),
            ("orders,0,12,5\n", 1, "before it starts"),
            ("orders,0,5,12\norders,0,6,12\n", 2, "again"),
            ("or ders,0,5,12\n", 1, "names no topic"),
            ("topic,partition,offset\norders,0,5\n", 1, "columns `topic,partition,offset`"),
        ] {
            let error = parsed(text).unwrap_err();
            assert_eq!(error.code, Code::BadFile, "{text:?}");
            assert!(error.message.starts_with(&format!("line {line} of `w.csv`")), "{text:?}: {}", error.message);
            assert!(error.message.contains(words), "{text:?}: {}", error.message);
        }
        for text in ["", "# nothing\n", "topic,partition,start_offset,end_offset\n"] {
            assert_eq!(parsed(text).unwrap_err().code, Code::BadFile, "{text:?}");
        }
    }

    #[test]
    fn topics_that_are_named_restrict_the_file() {
        let all = parse(Path::new("w.csv"), b"a,0,1,2\na,1,1,2\nb,0,1,2\n").unwrap();
        let left = |selections: &[&str]| {
            let mut rows = all.clone();
            let topics: Vec<TopicSelection> = selections.iter().map(|text| text.parse().unwrap()).collect();
            restrict(Path::new("w.csv"), &mut rows, &topics)?;
            Ok::<_, Error>(rows.keys().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(left(&["a:1", "b"]).unwrap(), ["a-1", "b-0"]);
        assert!(left(&["c"]).unwrap_err().message.contains("`c`"));
        assert!(left(&["a:2"]).unwrap_err().message.contains("`a-2`"));
    }
}
