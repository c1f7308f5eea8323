//! Prints a turn as it comes: on a terminal with reasoning and tools between the text, into a pipe the text alone.

use std::io;

use super::turn::{Begins, Step};
use crate::output::neutral::Neutraliser;
use crate::output::{Device, Output, attachment_words, plan_words, style, system_words, tool_line};

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As it comes.
    Stream(Device),
    /// One object at the end; until then nothing.
    Json,
}

/// Where on the page the answer stands.
#[derive(Debug)]
pub(super) struct Printer {
    style: Style,
    neutraliser: Neutraliser,
    line: Line,
}

/// What stands on the last line of stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Nothing, and above it a blank line or nothing at all.
    Blank,
    /// Nothing.
    Start,
    Middle,
}

impl Printer {
    pub(super) fn new(style: Style) -> Self {
        Self {
            style,
            neutraliser: Neutraliser::default(),
            line: Line::Blank,
        }
    }

    /// Prints what is to print of a step.
    pub(super) fn print(&mut self, output: &mut Output, step: &Step) -> io::Result<()> {
        let Style::Stream(device) = self.style else {
            return Ok(());
        };
        match (step, device) {
            (Step::Text { text, begins }, _) => self.stream(output, style::PLAIN, text, *begins),
            (Step::Thought { text, begins }, Device::Terminal) => {
                self.stream(output, style::DIM, text, *begins)
            }
            (Step::Thought { .. }, Device::Pipe) => Ok(()),
            (Step::Tool(tool), _) => self.aside(output, &tool_line(tool)),
            (Step::Plan(entries), _) => self.aside(output, &plan_words(entries)),
            (Step::Attachment(part), _) => self.aside(output, &attachment_words(part)),
            (Step::Remark(code), _) => self.aside(output, system_words(*code)),
            (Step::Stalled, _) => self.aside(
                output,
                "the agent has said nothing for a while and may be stuck: wait, cancel it with Ctrl-C, or see `pupitre agents restart`",
            ),
            // Asked, not printed.
            (Step::Asks(_) | Step::Answered(_) | Step::Elicits(_) | Step::ElicitationOver(_), _)
            | (Step::WantsLogin(_) | Step::LoginOver | Step::Lost | Step::Ended(_), _) => Ok(()),
        }
    }

    /// Says something on stderr, on a line of its own where both are one terminal.
    pub(super) fn aside(&mut self, output: &mut Output, note: &str) -> io::Result<()> {
        self.make_room(output)?;
        output.note(note)
    }

    /// Ends the line that stdout is in, where stderr shows on the same terminal.
    pub(super) fn make_room(&mut self, output: &mut Output) -> io::Result<()> {
        match self.style {
            Style::Stream(Device::Terminal) => {
                self.end_line(output)?;
                // What stderr writes now is no blank line.
                self.line = Line::Start;
                Ok(())
            }
            Style::Stream(Device::Pipe) | Style::Json => Ok(()),
        }
    }

    /// Ends the last line of the answer.
    pub(super) fn finish(&mut self, output: &mut Output) -> io::Result<()> {
        self.end_line(output)
    }

    fn stream(
        &mut self,
        output: &mut Output,
        style: anstyle::Style,
        text: &str,
        begins: Begins,
    ) -> io::Result<()> {
        let shown = self.neutraliser.piece(text);
        match begins {
            Begins::Paragraph => self.begin_paragraph(output)?,
            Begins::Nothing => {}
        }
        output.stream(style, &shown)?;
        if let Some(above) = shown.strip_suffix('\n') {
            let blank = above.ends_with('\n') || above.is_empty() && self.line != Line::Middle;
            self.line = if blank { Line::Blank } else { Line::Start };
        } else if !shown.is_empty() {
            self.line = Line::Middle;
        }
        Ok(())
    }

    fn begin_paragraph(&mut self, output: &mut Output) -> io::Result<()> {
        match self.line {
            Line::Blank => {}
            Line::Start => output.stream(style::PLAIN, "\n")?,
            Line::Middle => output.stream(style::PLAIN, "\n\n")?,
        }
        self.line = Line::Blank;
        Ok(())
    }

    fn end_line(&mut self, output: &mut Output) -> io::Result<()> {
        if self.line == Line::Middle {
            output.stream(style::PLAIN, "\n")?;
            self.line = Line::Start;
        }
        Ok(())
    }
}
