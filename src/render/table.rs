use crate::model::visible;
use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table};

/// How a table is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// The terminal's width; `None` where there is none, and lines are as long as they are.
    pub width: Option<u16>,
    /// Whether large numbers have thousands separators: for eyes, not for programs.
    pub separators: bool,
    /// Whether words that matter are coloured.
    pub color: bool,
    /// As Markdown, for a report that people write.
    pub markdown: bool,
}

/// A table without lines: a header, and columns two blanks apart.
pub(super) struct Grid {
    table: Table,
    style: Style,
}

/// What a colour says; the words say it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Good,
    Notice,
    Bad,
}

impl Mark {
    fn color(self) -> Color {
        match self {
            Mark::Good => Color::Green,
            Mark::Notice => Color::Yellow,
            Mark::Bad => Color::Red,
        }
    }
}

/// A column's title, and whether it holds numbers.
pub(super) type Column = (&'static str, bool);

impl Grid {
    pub(super) fn new(style: Style, columns: &[Column]) -> Self {
        let mut table = Table::new();
        table.load_style(if style.markdown {
            comfy_table::presets::ASCII_MARKDOWN
        } else {
            comfy_table::presets::NOTHING
        });
        if style.color && !style.markdown {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        match style.width {
            Some(width) => {
                table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
            }
            None => {
                table.set_content_arrangement(ContentArrangement::Disabled);
            }
        }
        table.set_header(columns.iter().map(|(title, _)| *title));
        for (index, (_, is_number)) in columns.iter().enumerate() {
            if let Some(column) = table.column_mut(index) {
                if !style.markdown {
                    column.set_padding((0, 2));
                }
                if *is_number {
                    column.set_cell_alignment(CellAlignment::Right);
                }
            }
        }
        Grid { table, style }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.row_marked(cells, None);
    }

    /// A row, one cell of which is marked by its colour.
    pub(super) fn row_marked(&mut self, cells: impl IntoIterator<Item = String>, mark: Option<(usize, Mark)>) {
        let Style { markdown, color, .. } = self.style;
        self.table.add_row(cells.into_iter().enumerate().map(|(index, cell)| {
            let cell = visible(&cell);
            let cell = Cell::new(if markdown { cell.replace('|', "\\|") } else { cell.into_owned() });
            match mark {
                Some((marked, mark)) if color && marked == index => cell.fg(mark.color()),
                _ => cell,
            }
        }));
    }

    /// The lines, without blanks at their ends.
    pub(super) fn into_text(self) -> String {
        let mut text = String::new();
        if self.style.markdown {
            text.push('\n');
        }
        for line in self.table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if self.style.markdown {
            text.push('\n');
        }
        text
    }
}

impl Style {
    /// A number, or `-`.
    pub(super) fn number(self, number: Option<impl Into<i128>>) -> String {
        match number {
            None => "-".to_owned(),
            Some(number) => self.grouped(number.into()),
        }
    }

    /// A number that is there.
    pub(super) fn count(self, number: impl Into<i128>) -> String {
        self.grouped(number.into())
    }

    fn grouped(self, number: i128) -> String {
        let digits = number.unsigned_abs().to_string();
        let sign = if number < 0 { "-" } else { "" };
        if !self.separators {
            return format!("{sign}{digits}");
        }
        let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
        text.push_str(sign);
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        text
    }
}

/// Text, or `-`.
pub(super) fn text(text: Option<&str>) -> String {
    match text {
        None | Some("") => "-".to_owned(),
        Some(text) => text.to_owned(),
    }
}

/// `1 partition`, `2 partitions`.
pub(super) fn plural(style: Style, count: usize, one: &str, many: &str) -> String {
    let number = style.count(count as i128);
    if count == 1 { format!("{number} {one}") } else { format!("{number} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_for_eyes_alone() {
        let eyes = Style { separators: true, ..Style::default() };
        let shown = [0, 12, 123, 1234, 123_456, 1_234_567].map(|number| eyes.count(number));
        assert_eq!(shown, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
        assert_eq!(eyes.count(-1234), "-1,234");
        assert_eq!(Style::default().count(1_234_567), "1234567");
        assert_eq!(Style::default().number(None::<i64>), "-");
    }

    #[test]
    fn a_name_with_control_characters_stays_in_its_row() {
        let mut grid = Grid::new(Style::default(), &[("NAME", false), ("LAG", true)]);
        grid.row(["a\nb\u{1b}[2J".to_owned(), "5".to_owned()]);
        assert_eq!(grid.into_text(), "NAME           LAG\na\\nb\\u{1b}[2J    5\n");
    }
}
