use crate::model::visible;
use comfy_table::{Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width};

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
    columns: Vec<Narrow>,
}

/// How narrow a column may get.
struct Narrow {
    is_number: bool,
    /// The longest word of its title: titles are broken at their hyphens alone.
    title: usize,
    /// Its widest cell.
    content: usize,
}

/// A name is wrapped on a narrow terminal, yet never into crumbs; then lines are longer than the terminal.
const NARROWEST_NAME: usize = 10;

/// Between columns.
const GAP: u16 = 2;

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
        table.set_header(columns.iter().map(|(title, _)| Cell::new(title).set_delimiter('-')));
        for (index, (_, is_number)) in columns.iter().enumerate() {
            if let Some(column) = table.column_mut(index) {
                if !style.markdown {
                    column.set_padding((0, GAP));
                }
                if *is_number {
                    column.set_cell_alignment(CellAlignment::Right);
                }
            }
        }
        let columns = columns.iter().map(|(title, is_number)| Narrow {
            is_number: *is_number,
            title: title.split('-').map(str::len).max().unwrap_or_default(),
            content: 0,
        });
        Grid { table, style, columns: columns.collect() }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.row_marked(cells, None);
    }

    /// A row, one cell of which is marked by its colour.
    pub(super) fn row_marked(&mut self, cells: impl IntoIterator<Item = String>, mark: Option<(usize, Mark)>) {
        let Style { markdown, color, .. } = self.style;
        let columns = &mut self.columns;
        self.table.add_row(cells.into_iter().enumerate().map(|(index, cell)| {
            let cell = visible(&cell);
            if let Some(column) = columns.get_mut(index) {
                column.content = column.content.max(cell.chars().count());
            }
            let cell = Cell::new(if markdown { cell.replace('|', "\\|") } else { cell.into_owned() });
            match mark {
                Some((marked, mark)) if color && marked == index => cell.fg(mark.color()),
                _ => cell,
            }
        }));
    }

    /// Numbers stay whole, and titles break at hyphens; what gives way on a narrow terminal are names.
    fn keep_numbers_whole(&mut self) {
        if self.style.width.is_none() {
            return;
        }
        for (index, narrow) in self.columns.iter().enumerate() {
            let content = if narrow.is_number { narrow.content } else { narrow.content.min(NARROWEST_NAME) };
            let least = u16::try_from(content.max(narrow.title)).unwrap_or(u16::MAX).saturating_add(GAP);
            if let Some(column) = self.table.column_mut(index) {
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
            }
        }
    }

    /// The lines, without blanks at their ends.
    pub(super) fn into_text(mut self) -> String {
        self.keep_numbers_whole();
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
    fn on_a_narrow_terminal_names_give_way_and_numbers_stay_whole() {
        let style = Style { width: Some(40), ..Style::default() };
        let mut grid = Grid::new(style, &[("TOPIC", false), ("CURRENT-OFFSET", true), ("LAG", true)]);
        grid.row(["orders-with-a-very-long-name".to_owned(), "1234567".to_owned(), "89".to_owned()]);
        let text = grid.into_text();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().any(|line| line.ends_with("1234567   89")), "{text}");
        assert!(lines.iter().all(|line| line.len() <= 40), "{text}");
        for word in ["TOPIC", "CURRENT", "OFFSET", "LAG"] {
            assert!(text.contains(word), "{text}");
        }
        let name: String = lines
            .iter()
            .map(|line| line.split("  ").next().unwrap_or_default().trim())
            .filter(|part| *part != "TOPIC")
            .collect();
        assert_eq!(name, "orders-with-a-very-long-name");
    }

    #[test]
    fn a_name_with_control_characters_stays_in_its_row() {
        let mut grid = Grid::new(Style::default(), &[("NAME", false), ("LAG", true)]);
        grid.row(["a\nb\u{1b}[2J".to_owned(), "5".to_owned()]);
        assert_eq!(grid.into_text(), "NAME           LAG\na\\nb\\u{1b}[2J    5\n");
    }
}
