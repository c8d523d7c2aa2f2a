use crate::model::visible;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};
use crossterm::style::Stylize;
use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

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
    style: Style,
    columns: Vec<Narrow>,
    rows: Vec<Row>,
}

/// A row's cells, one of which may be marked.
struct Row {
    cells: Vec<String>,
    mark: Option<(usize, Mark)>,
}

/// A column, and how narrow it may get.
struct Narrow {
    title: &'static str,
    is_number: bool,
    /// Its widest cell, as a terminal shows it.
    content: usize,
}

impl Narrow {
    /// The longest word of the title: titles are broken at their hyphens alone.
    fn longest_word(&self) -> usize {
        self.title.split('-').map(str::len).max().unwrap_or_default()
    }

    fn width(&self) -> usize {
        self.content.max(self.title.len())
    }
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
    fn color(self) -> crossterm::style::Color {
        use crossterm::style::Color;
        match self {
            Mark::Good => Color::Green,
            Mark::Notice => Color::Yellow,
            Mark::Bad => Color::Red,
        }
    }

    fn cell_color(self) -> comfy_table::Color {
        use comfy_table::Color;
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
        let columns = columns.iter().map(|&(title, is_number)| Narrow { title, is_number, content: 0 });
        Grid { style, columns: columns.collect(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.row_marked(cells, None);
    }

    /// A row, one cell of which is marked by its colour.
    pub(super) fn row_marked(&mut self, cells: impl IntoIterator<Item = String>, mark: Option<(usize, Mark)>) {
        let cells = cells.into_iter().enumerate().map(|(index, cell)| {
            let cell = match visible(&cell) {
                Cow::Borrowed(_) => cell,
                Cow::Owned(shown) => shown,
            };
            if let Some(column) = self.columns.get_mut(index) {
                column.content = column.content.max(cell.width());
            }
            cell
        });
        let cells = cells.collect();
        self.rows.push(Row { cells, mark });
    }

    /// The lines, without blanks at their ends.
    pub(super) fn into_text(self) -> String {
        let whole: usize = self.columns.iter().map(|column| column.width() + usize::from(GAP)).sum();
        let fits = self.style.width.is_none_or(|width| whole <= usize::from(width) + usize::from(GAP));
        if fits && !self.style.markdown { self.unwrapped() } else { self.arranged() }
    }

    /// Where nothing has to be wrapped: ten thousand rows take a tenth of the time.
    fn unwrapped(self) -> String {
        let line: usize = self.columns.iter().map(|column| column.width() + usize::from(GAP)).sum();
        let mut text = String::with_capacity((line + 1) * (self.rows.len() + 1));
        let add = |text: &mut String, cells: &mut dyn Iterator<Item = &str>, mark: Option<(usize, Mark)>| {
            let (mut blanks, mut first) = (0, true);
            for (index, (cell, column)) in cells.zip(&self.columns).enumerate() {
                let pad = column.width().saturating_sub(cell.width());
                let gap = if first { 0 } else { usize::from(GAP) };
                let before = blanks + gap + if column.is_number { pad } else { 0 };
                if !cell.is_empty() {
                    text.extend(std::iter::repeat_n(' ', before));
                    match mark {
                        Some((marked, mark)) if self.style.color && marked == index => {
                            text.push_str(&cell.with(mark.color()).to_string());
                        }
                        _ => text.push_str(cell),
                    }
                    blanks = 0;
                } else {
                    blanks = before;
                }
                blanks += if column.is_number { 0 } else { pad };
                first = false;
            }
            text.push('\n');
        };
        add(&mut text, &mut self.columns.iter().map(|column| column.title), None);
        for row in &self.rows {
            add(&mut text, &mut row.cells.iter().map(String::as_str), row.mark);
        }
        text
    }

    /// Wrapped to the terminal's width, or as Markdown.
    fn arranged(self) -> String {
        let Style { markdown, color, width, .. } = self.style;
        let mut table = Table::new();
        table.load_style(if markdown { comfy_table::presets::ASCII_MARKDOWN } else { comfy_table::presets::NOTHING });
        if color && !markdown {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        match width {
            Some(width) => {
                table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
            }
            None => {
                table.set_content_arrangement(ContentArrangement::Disabled);
            }
        }
        table.set_header(self.columns.iter().map(|column| Cell::new(column.title).set_delimiter('-')));
        for row in self.rows {
            table.add_row(row.cells.into_iter().enumerate().map(|(index, cell)| {
                let cell = Cell::new(if markdown { cell.replace('|', "\\|") } else { cell });
                match row.mark {
                    Some((marked, mark)) if color && marked == index => cell.fg(mark.cell_color()),
                    _ => cell,
                }
            }));
        }
        for (index, narrow) in self.columns.iter().enumerate() {
            let Some(column) = table.column_mut(index) else { continue };
            if !markdown {
                column.set_padding((0, GAP));
            }
            if narrow.is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if width.is_some() {
                // Numbers stay whole, and titles break at hyphens; what gives way on a narrow terminal are names.
                let content = if narrow.is_number { narrow.content } else { narrow.content.min(NARROWEST_NAME) };
                let least = u16::try_from(content.max(narrow.longest_word())).unwrap_or(u16::MAX).saturating_add(GAP);
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
            }
        }
        let mut text = String::new();
        if markdown {
            text.push('\n');
        }
        for line in table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if markdown {
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

    proptest::proptest! {
        /// Comfy-table lays the same table out in the same way.
        #[test]
        fn what_needs_no_wrapping_looks_as_if_it_were_arranged(
            rows in proptest::collection::vec(("[a-zé注\\-]{0,12}", "[0-9,]{1,9}", "[a-z ]{0,7}"), 0..6),
        ) {
            let columns = [("TOPIC", false), ("CURRENT-OFFSET", true), ("STATUS", false)];
            let grid = || {
                let mut grid = Grid::new(Style::default(), &columns);
                for (name, number, status) in &rows {
                    grid.row([name.clone(), number.clone(), status.trim().to_owned()]);
                }
                grid
            };
            proptest::prop_assert_eq!(grid().unwrapped(), grid().arranged());
        }
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
    fn what_is_marked_has_its_colour_and_keeps_its_place() {
        let mut grid = Grid::new(Style { color: true, ..Style::default() }, &[("STATUS", false), ("LAG", true)]);
        grid.row_marked(["ok".to_owned(), "5".to_owned()], Some((0, Mark::Good)));
        let text = grid.into_text();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("STATUS  LAG"));
        let line = lines.next().unwrap();
        let plain = console::strip_ansi_codes(line);
        assert_eq!(plain, "ok        5");
        assert!(line.starts_with('\u{1b}') && line.ends_with("        5"), "{line:?}");
    }

    #[test]
    fn a_name_with_control_characters_stays_in_its_row() {
        let mut grid = Grid::new(Style::default(), &[("NAME", false), ("LAG", true)]);
        grid.row(["a\nb\u{1b}[2J".to_owned(), "5".to_owned()]);
        assert_eq!(grid.into_text(), "NAME           LAG\na\\nb\\u{1b}[2J    5\n");
    }
}
