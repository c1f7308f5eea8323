//! The only code that prints: stdout for what was asked for, stderr for what is said beside it.
//!
//! Colour is for terminals only, and `NO_COLOR` is honoured. Text that came from an agent passes `neutral` first.

mod agent;
mod channel;
mod conversation;
mod document;
mod finding;
mod message;
pub(crate) mod neutral;
mod permission;
mod problem;
mod question;
mod settings;
pub(crate) mod style;
mod surface;
pub(crate) mod table;
mod time;

#[cfg(test)]
pub(crate) mod captured;

use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use serde::Serialize;

use neutral::{neutral_json, one_line};
use table::Table;

pub(crate) use agent::{log_line, state_words};
pub(crate) use document::Document;
pub(crate) use message::{attachment_words, plan_words, system_words, tool_line, unusual_end};
pub(crate) use question::asked_words;
pub(crate) use settings::value_words;
pub(crate) use surface::exit_words;

/// Where the program's words go.
pub(crate) struct Output {
    out: Sink,
    err: Sink,
}

struct Sink {
    writer: Box<dyn Write>,
    device: Device,
    paint: Paint,
}

/// What a stream is connected with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Device {
    Terminal,
    /// A pipe, a file, or nothing.
    Pipe,
}

/// Whether styles are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Colour,
    Plain,
}

impl Paint {
    /// Returns the text in this style, or as it is.
    pub(crate) fn text(self, style: Style, text: &str) -> String {
        match self {
            Self::Colour if style != style::PLAIN => format!("{style}{text}{style:#}"),
            Self::Colour | Self::Plain => text.to_owned(),
        }
    }

    fn from_choice(choice: ColorChoice) -> Self {
        match choice {
            ColorChoice::Always | ColorChoice::AlwaysAnsi | ColorChoice::Auto => Self::Colour,
            ColorChoice::Never => Self::Plain,
        }
    }
}

impl Device {
    fn of(stream: &impl IsTerminal) -> Self {
        if stream.is_terminal() {
            Self::Terminal
        } else {
            Self::Pipe
        }
    }
}

impl Output {
    /// Returns the output of this process.
    pub(crate) fn of_process() -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        Self {
            out: Sink {
                device: Device::of(&out),
                paint: Paint::from_choice(AutoStream::choice(&out)),
                writer: Box::new(BufWriter::new(out)),
            },
            err: Sink {
                device: Device::of(&err),
                paint: Paint::from_choice(AutoStream::choice(&err)),
                writer: Box::new(err),
            },
        }
    }

    /// Returns what stdout is connected with.
    pub(crate) const fn device(&self) -> Device {
        self.out.device
    }

    /// Returns what stderr is connected with.
    pub(crate) const fn side_device(&self) -> Device {
        self.err.device
    }

    /// Writes a line to stdout.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out.writer, "{text}")?;
        self.out.writer.flush()
    }

    /// Writes a line to stdout in a style.
    pub(crate) fn styled_line(&mut self, style: Style, text: &str) -> io::Result<()> {
        let text = self.out.paint.text(style, text);
        self.line(&text)
    }

    /// Writes text to stdout in a style, at once and without a line break.
    pub(crate) fn stream(&mut self, style: Style, text: &str) -> io::Result<()> {
        self.out
            .writer
            .write_all(self.out.paint.text(style, text).as_bytes())?;
        self.out.writer.flush()
    }

    /// Writes a value as JSON: indented for a person at a terminal, else on one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let json = match self.out.device {
            Device::Terminal => serde_json::to_string_pretty(value),
            Device::Pipe => serde_json::to_string(value),
        };
        self.json_line(&json.expect("what we print has string keys and finite numbers"))?;
        self.flush()
    }

    /// Writes a line of JSON that is there already, as it is, at the next flush.
    pub(crate) fn json_line(&mut self, json: &str) -> io::Result<()> {
        writeln!(self.out.writer, "{}", neutral_json(json))
    }

    /// Writes what waits.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.writer.flush()
    }

    pub(crate) fn table(&mut self, table: &Table) -> io::Result<()> {
        for line in table.lines(self.out.paint) {
            writeln!(self.out.writer, "{line}")?;
        }
        self.out.writer.flush()
    }

    /// Says something beside the result, on one line of stderr.
    pub(crate) fn note(&mut self, text: &str) -> io::Result<()> {
        let text = self.err.paint.text(style::DIM, &one_line(text));
        writeln!(self.err.writer, "{text}")
    }

    /// Says something beside the result, but only to a person at a terminal.
    pub(crate) fn progress(&mut self, text: &str) -> io::Result<()> {
        match self.err.device {
            Device::Terminal => self.note(text),
            Device::Pipe => Ok(()),
        }
    }

    /// Writes a line of a question to stderr.
    pub(crate) fn question(&mut self, style: Style, text: &str) -> io::Result<()> {
        let text = self.err.paint.text(style, &one_line(text));
        writeln!(self.err.writer, "{text}")
    }

    /// Writes the end of a question to stderr, with the cursor behind it.
    pub(crate) fn prompt(&mut self, text: &str) -> io::Result<()> {
        write!(self.err.writer, "{text} ")?;
        self.err.writer.flush()
    }

    /// Says why the program fails: `pupitre: message`, one line.
    pub(crate) fn error(&mut self, message: &str) -> io::Result<()> {
        let name = self.err.paint.text(style::BAD, "pupitre:");
        writeln!(self.err.writer, "{name} {}", one_line(message))
    }
}
