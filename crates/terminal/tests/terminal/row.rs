//! A row in a form that the emulator's cells and the engine's runs can both be brought to.

use alacritty_terminal::term::cell::{Cell, Flags};
use pupitre_terminal::{Attributes, Color, Style, StyledRow, Wrap};
use vte::ansi::{Color as CellColor, NamedColor};

/// Every character of a row that shows, with its look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) characters: Vec<(char, Look)>,
    pub(crate) wraps: bool,
}

/// Marks that the engine keeps on one character.
pub(crate) const MARKS_PER_CELL: usize = 32;

/// The look of a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Look {
    style: Style,
    attributes: Vec<&'static str>,
    link: Option<String>,
}

impl Row {
    pub(crate) fn of_cells(cells: &[Cell]) -> Self {
        let wraps = cells
            .last()
            .expect("a row has cells")
            .flags
            .contains(Flags::WRAPLINE);
        let mut end = cells.len();
        // Tabs leave a mark, and edits may have moved a wrap flag here.
        let blank = |cell: &Cell| {
            let seen = Cell {
                c: if cell.c == '\t' { ' ' } else { cell.c },
                flags: cell.flags - Flags::WRAPLINE,
                ..cell.clone()
            };
            seen == Cell::default()
        };
        while !wraps && end > 0 && blank(&cells[end - 1]) {
            end -= 1;
        }
        let mut characters = Vec::new();
        for (at, cell) in cells[..end].iter().enumerate() {
            let leads = cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER);
            let is_where_row_goes_on = wraps && at + 1 == end;
            if cell.flags.contains(Flags::WIDE_CHAR_SPACER) || leads && is_where_row_goes_on {
                continue;
            }
            let look = Look::of_cell(cell);
            characters.push((if cell.c == '\t' { ' ' } else { cell.c }, look.clone()));
            // The engine keeps this many marks on a character; `hostile` shows why.
            let marks = cell.zerowidth().into_iter().flatten().take(MARKS_PER_CELL);
            characters.extend(marks.map(|mark| (*mark, look.clone())));
        }
        Self { characters, wraps }.trimmed()
    }

    /// Takes away blanks at the end that look like nothing, whatever part of a broken character they were.
    fn trimmed(mut self) -> Self {
        while !self.wraps
            && self
                .characters
                .last()
                .is_some_and(|last| *last == (' ', Look::default()))
        {
            self.characters.pop();
        }
        self
    }

    pub(crate) fn of_styled(row: &StyledRow) -> Self {
        let mut characters = Vec::new();
        for run in &row.runs {
            let look = Look {
                style: Style {
                    attributes: Attributes::NONE,
                    ..run.style
                },
                attributes: ATTRIBUTES
                    .iter()
                    .filter(|(_, attribute, _)| run.style.attributes.contains(*attribute))
                    .map(|(name, _, _)| *name)
                    .collect(),
                link: run.link.as_ref().and_then(|link| link_name(&link.id, &link.uri)),
            };
            characters.extend(run.text.chars().map(|character| (character, look.clone())));
        }
        Self {
            characters,
            wraps: row.wrap == Wrap::Continues,
        }
        .trimmed()
    }

    pub(crate) fn text(&self) -> String {
        self.characters.iter().map(|(character, _)| *character).collect()
    }
}

const ATTRIBUTES: [(&str, Attributes, Flags); 11] = [
    ("inverse", Attributes::INVERSE, Flags::INVERSE),
    ("bold", Attributes::BOLD, Flags::BOLD),
    ("italic", Attributes::ITALIC, Flags::ITALIC),
    ("dim", Attributes::DIM, Flags::DIM),
    ("hidden", Attributes::HIDDEN, Flags::HIDDEN),
    ("strikeout", Attributes::STRIKEOUT, Flags::STRIKEOUT),
    ("underline", Attributes::UNDERLINE, Flags::UNDERLINE),
    ("double", Attributes::DOUBLE_UNDERLINE, Flags::DOUBLE_UNDERLINE),
    ("curly", Attributes::CURLY_UNDERLINE, Flags::UNDERCURL),
    ("dotted", Attributes::DOTTED_UNDERLINE, Flags::DOTTED_UNDERLINE),
    ("dashed", Attributes::DASHED_UNDERLINE, Flags::DASHED_UNDERLINE),
];

impl Look {
    fn of_cell(cell: &Cell) -> Self {
        let style = Style {
            foreground: color(cell.fg),
            background: color(cell.bg),
            underline: cell.underline_color().map_or(Color::Default, color),
            attributes: Attributes::NONE,
        };
        let has = ATTRIBUTES
            .iter()
            .filter(|(_, _, flag)| cell.flags.contains(*flag));
        let link = cell.hyperlink().and_then(|link| link_name(link.id(), link.uri()));
        Self {
            style,
            attributes: has.map(|(name, _, _)| *name).collect(),
            link,
        }
    }
}

/// Links without an id get one from a counter, which differs from one emulator to the next.
fn link_name(id: &str, uri: &str) -> Option<String> {
    let name = if id.ends_with("_alacritty") {
        uri.to_owned()
    } else {
        format!("{id} {uri}")
    };
    (name.len() < LINK_BYTES).then_some(name)
}

/// Links whose sequence is longer than this are left out (`hostile` shows why).
const LINK_BYTES: usize = 2000;

fn color(color: CellColor) -> Color {
    match color {
        CellColor::Named(NamedColor::Foreground | NamedColor::Background) => Color::Default,
        CellColor::Named(name) => Color::Named(name as u8),
        CellColor::Indexed(index) => Color::Indexed(index),
        CellColor::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
    }
}

/// Joins rows where they wrap, without blanks at the end of lines and blank lines at the end.
pub(crate) fn lines(rows: &[Row]) -> Vec<Row> {
    let mut lines: Vec<Row> = Vec::new();
    let mut open = false;
    for row in rows {
        match lines.last_mut() {
            Some(line) if open => line.characters.extend(row.characters.iter().cloned()),
            _ => lines.push(Row {
                characters: row.characters.clone(),
                wraps: false,
            }),
        }
        open = row.wraps;
    }
    for line in &mut lines {
        // The emulator drops blanks of these looks when it breaks lines anew.
        let blank = |(character, look): &(char, Look)| {
            let unseen = ["bold", "italic", "dim", "hidden"];
            *character == ' '
                && look.style.foreground == Color::Default
                && look.style.background == Color::Default
                && look.attributes.iter().all(|attribute| unseen.contains(attribute))
        };
        while line.characters.last().is_some_and(blank) {
            line.characters.pop();
        }
    }
    while lines.last().is_some_and(|line| line.characters.is_empty()) {
        lines.pop();
    }
    lines
}
