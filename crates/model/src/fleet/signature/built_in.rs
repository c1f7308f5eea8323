//! The agents that are known without any file.
//!
//! Measured on Linux, with the real programs running: claude, codex, opencode, gemini, qwen, pi, copilot. What the
//! others look like is known from their packages: a binary, a script of Node's, a script of Python's.

use super::Signature;

/// One agent that is known.
pub(super) struct Known {
    tool: &'static str,
    executables: &'static [&'static str],
    names: &'static [&'static str],
    titles: &'static [&'static str],
    scripts: &'static [&'static str],
}

impl Known {
    pub(super) fn signature(&self) -> Signature {
        let owned = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        Signature {
            tool: self.tool.to_owned(),
            executables: owned(self.executables),
            names: owned(self.names),
            titles: owned(self.titles),
            scripts: owned(self.scripts),
        }
    }
}

/// A binary that is called as the agent is.
const fn binary(tool: &'static str, own: &'static [&'static str]) -> Known {
    Known {
        tool,
        executables: own,
        names: own,
        titles: &[],
        scripts: own,
    }
}

/// A script that an interpreter runs, called as the agent is; where the interpreter is not `env`'s, the kernel calls it so too.
const fn script(tool: &'static str, own: &'static [&'static str], scripts: &'static [&'static str]) -> Known {
    Known {
        tool,
        executables: &[],
        names: own,
        titles: &[],
        scripts,
    }
}

pub(super) const AGENTS: &[Known] = &[
    // Measured.
    Known {
        tool: "claude",
        // The second is the installer's: a link called `claude` to a file that is called as its version.
        executables: &["claude", "claude/versions/*"],
        names: &["claude"],
        titles: &[],
        scripts: &["claude", "@anthropic-ai/claude-code/cli.js"],
    },
    Known {
        tool: "codex",
        executables: &["codex", "codex-*-unknown-linux-*"],
        names: &["codex"],
        titles: &[],
        scripts: &["codex"],
    },
    binary("opencode", &["opencode"]),
    script(
        "gemini",
        &["gemini"],
        &["gemini", "@google/gemini-cli/dist/index.js"],
    ),
    script("qwen", &["qwen"], &["qwen", "@qwen-code/qwen-code/dist/index.js"]),
    Known {
        tool: "pi",
        executables: &[],
        // Too short a word to trust a name alone.
        names: &[],
        titles: &["pi"],
        scripts: &["pi-coding-agent/dist/cli.js"],
    },
    Known {
        tool: "copilot",
        executables: &["copilot-linux-*/copilot"],
        names: &["copilot"],
        titles: &[],
        scripts: &["copilot", "@github/copilot/index.js"],
    },
    // Not measured.
    script("aider", &["aider"], &["aider"]),
    binary("amp", &["amp"]),
    script("auggie", &["auggie"], &["auggie"]),
    script("cline", &["cline"], &["cline"]),
    binary("crush", &["crush"]),
    Known {
        tool: "cursor-agent",
        executables: &["cursor-agent", "cursor-agent/versions/*/node"],
        names: &["cursor-agent"],
        titles: &[],
        scripts: &["cursor-agent"],
    },
    binary("droid", &["droid"]),
    script("fast-agent", &["fast-agent"], &["fast-agent"]),
    binary("goose", &["goose"]),
    binary("kimi", &["kimi"]),
    binary("kiro", &["kiro-cli", "kiro-cli-chat"]),
    script("openhands", &["openhands"], &["openhands"]),
    script("vibe", &["vibe"], &["vibe"]),
];
