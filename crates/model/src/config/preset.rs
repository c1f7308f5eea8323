//! Known agents: how each is called and started, so that an entry of the file needs only `preset`.

/// An agent that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// The word of `preset`, and the agent's name in a first file.
    pub name: &'static str,
    pub title: &'static str,
    pub icon: &'static str,
    pub description: &'static str,
    pub program: PresetProgram,
    pub args: &'static [&'static str],
}

/// What a known agent runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PresetProgram {
    /// This program.
    Ourselves,
    /// A command that is looked for on `PATH`, and the command line that puts it there: of a published package, and the
    /// shortest of those that its authors give.
    Command {
        name: &'static str,
        install: &'static str,
    },
}

const fn of(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    command: &'static str,
    args: &'static [&'static str],
    install: &'static str,
) -> Preset {
    Preset {
        name,
        title,
        icon: name,
        description,
        program: PresetProgram::Command {
            name: command,
            install,
        },
        args,
    }
}

/// The known agents. Each command speaks ACP on its stdin and stdout.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "demo",
        title: "Demo",
        icon: "demo",
        description: "A scripted agent that shows what an agent can do",
        program: PresetProgram::Ourselves,
        args: &["demo-agent"],
    },
    of(
        "claude",
        "Claude Code",
        "Anthropic's agent, through its ACP adapter",
        "claude-agent-acp",
        &[],
        "npm install -g @agentclientprotocol/claude-agent-acp",
    ),
    of(
        "codex",
        "Codex",
        "OpenAI's agent, through its ACP adapter",
        "codex-acp",
        &[],
        "npm install -g @agentclientprotocol/codex-acp",
    ),
    of(
        "gemini",
        "Gemini CLI",
        "Google's agent",
        "gemini",
        &["--acp"],
        "npm install -g @google/gemini-cli",
    ),
    of(
        "opencode",
        "OpenCode",
        "An open-source agent for many models",
        "opencode",
        &["acp"],
        "npm install -g opencode-ai",
    ),
    of(
        "qwen",
        "Qwen Code",
        "Alibaba's agent",
        "qwen",
        &["--acp"],
        "npm install -g @qwen-code/qwen-code",
    ),
    of(
        "kimi",
        "Kimi Code",
        "Moonshot AI's agent",
        "kimi",
        &["acp"],
        "npm install -g @moonshot-ai/kimi-code",
    ),
    of(
        "vibe",
        "Mistral Vibe",
        "Mistral AI's agent",
        "vibe-acp",
        &[],
        "uv tool install mistral-vibe",
    ),
    of(
        "fast-agent",
        "fast-agent",
        "An agent made of MCP servers and prompts",
        "fast-agent",
        &["acp"],
        "uv tool install fast-agent-mcp",
    ),
];

/// The icons that the page has for a name; it shows its general one for a known agent that has none of its own.
pub(super) const ICONS: &[&str] = &[
    "book",
    "braces",
    "claude",
    "codex",
    "database",
    "db",
    "demo",
    "eye",
    "fast-agent",
    "flask",
    "gauge",
    "gemini",
    "globe",
    "hammer",
    "kimi",
    "loop",
    "moon",
    "opencode",
    "pencil",
    "plan",
    "qwen",
    "search",
    "spark",
    "terminal",
    "vibe",
];

/// Returns the known agent with this name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_agent_has_an_icon() {
        for preset in PRESETS {
            assert!(ICONS.contains(&preset.icon), "{}", preset.name);
        }
    }
}
