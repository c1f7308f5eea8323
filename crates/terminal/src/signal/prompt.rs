//! OSC 133: where a shell's prompt, input and output begin.

use crate::history::LineNumber;

/// A step of a shell's prompt and the line it was told on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptMark {
    pub step: PromptStep,
    pub line: LineNumber,
}

/// What begins or ends at a prompt mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptStep {
    /// A: the prompt begins.
    Prompt,
    /// B: the prompt ends, what the person types begins.
    Input,
    /// C: the command's output begins.
    Output,
    /// D: the command ended.
    End { exit_code: Option<i32> },
}

impl PromptStep {
    /// Reads what stands behind `133;`.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let mut parts = text.split(|byte| *byte == b';');
        match parts.next()? {
            b"A" => Some(Self::Prompt),
            b"B" => Some(Self::Input),
            b"C" => Some(Self::Output),
            b"D" => {
                let code = parts.next().and_then(|code| std::str::from_utf8(code).ok());
                Some(Self::End {
                    exit_code: code.and_then(|code| code.parse().ok()),
                })
            }
            _ => None,
        }
    }
}
