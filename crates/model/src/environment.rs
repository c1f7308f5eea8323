//! Which variables of its starter would mislead a daemon and through it every agent, or a program in a pane: those that
//! say in which terminal, multiplexer, editor or agent session the starter runs. What configures a program or lets it in
//! (keys, tokens, homes, providers) is not among them.

/// A name, or the beginning of names.
enum Pattern {
    Name(&'static str),
    Prefix(&'static str),
}

use Pattern::{Name, Prefix};

#[rustfmt::skip]
const MISLEADING: &[Pattern] = &[
    // Multiplexers.
    Name("TMUX"), Prefix("TMUX_"), Name("STY"), Name("WINDOW"), Name("ZELLIJ"), Prefix("ZELLIJ_"),
    // Terminals.
    Name("WT_SESSION"), Name("WT_PROFILE_ID"), Prefix("WEZTERM_"), Prefix("KITTY_"), Prefix("ITERM_"),
    Name("LC_TERMINAL"), Name("LC_TERMINAL_VERSION"), Name("TERM_PROGRAM"), Name("TERM_PROGRAM_VERSION"),
    Name("TERM_SESSION_ID"), Name("TERMINFO"), Prefix("GNOME_TERMINAL_"), Name("KONSOLE_VERSION"), Prefix("GHOSTTY_"), Prefix("ALACRITTY_"), Name("VTE_VERSION"), Name("WINDOWID"),
    Name("COLUMNS"), Name("LINES"),
    // Editors.
    Prefix("VSCODE_"), Name("NVIM"), Name("INSIDE_EMACS"), Name("ZED_TERM"),
    // Claude Code's sessions, and its hooks'.
    Name("CLAUDECODE"), Name("CLAUDE_PID"), Name("CLAUDE_PROJECT_DIR"), Name("CLAUDE_ENV_FILE"),
    Name("CLAUDE_SESSION_ID"), Name("CLAUDE_PLUGIN_ROOT"), Name("CLAUDE_PLUGIN_DATA"), Name("CLAUDE_CODE_SESSION_ID"),
    Name("CLAUDE_CODE_ENTRYPOINT"), Name("CLAUDE_CODE_EXECPATH"), Name("CLAUDE_CODE_SSE_PORT"),
    Prefix("CLAUDE_CODE_MESSAGING_"), Name("CLAUDE_CODE_SUBAGENT"), Name("CLAUDE_CODE_PARENT_SESSION_ID"),
    Name("CLAUDE_AGENT_SDK_VERSION"), Name("AI_AGENT"),
    // Codex's.
    Name("CODEX_THREAD_ID"), Name("CODEX_CI"), Prefix("CODEX_SANDBOX"), Name("CODEX_MANAGED_BY_NPM"),
    Name("CODEX_MANAGED_BY_BUN"), Name("CODEX_INTERNAL_ORIGINATOR_OVERRIDE"),
    // Gemini CLI's, and those of the editor it runs in.
    Name("GEMINI_CLI"), Name("GEMINI_SESSION_ID"), Name("GEMINI_PROJECT_DIR"), Name("GEMINI_CWD"),
    Name("GEMINI_CLI_NO_RELAUNCH"), Prefix("GEMINI_CLI_IDE_"),
    // opencode's.
    Name("OPENCODE"), Name("OPENCODE_PID"), Name("OPENCODE_CALLER"), Name("OPENCODE_CLIENT"),
    Name("OPENCODE_RUN_ID"), Name("OPENCODE_PROCESS_ROLE"), Name("OPENCODE_SESSION_ID"), Name("AGENT"),
    // Ours: the socket is passed on by name, and a daemon stands in no pane.
    Name("PUPITRE_SURFACE_ID"), Name("PUPITRE_WORKSPACE_ID"), Name("PUPITRE_SOCKET_PATH"),
];

/// Returns whether a daemon, or a program in a pane, must not inherit this variable (conductor page, Panes and The gate).
pub fn misleads(name: &str) -> bool {
    MISLEADING.iter().any(|pattern| match *pattern {
        Name(exact) => name == exact,
        Prefix(prefix) => name.starts_with(prefix),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_where_the_starter_runs_is_left_behind() {
        for name in [
            "TMUX",
            "TMUX_PANE",
            "STY",
            "ZELLIJ",
            "ZELLIJ_SESSION_NAME",
            "WT_SESSION",
            "WEZTERM_PANE",
            "KITTY_WINDOW_ID",
            "ITERM_SESSION_ID",
            "TERM_PROGRAM",
            "TERM_PROGRAM_VERSION",
            "VSCODE_IPC_HOOK_CLI",
            "CLAUDECODE",
            "CLAUDE_CODE_SESSION_ID",
            "CLAUDE_CODE_ENTRYPOINT",
            "CLAUDE_CODE_MESSAGING_TOKEN",
            "CODEX_SANDBOX",
            "CODEX_SANDBOX_NETWORK_DISABLED",
            "CODEX_THREAD_ID",
            "GEMINI_CLI",
            "GEMINI_CLI_IDE_SERVER_PORT",
            "OPENCODE",
            "OPENCODE_PID",
            "PUPITRE_SURFACE_ID",
            "PUPITRE_WORKSPACE_ID",
            "PUPITRE_SOCKET_PATH",
        ] {
            assert!(misleads(name), "{name}");
        }
    }

    #[test]
    fn what_an_agent_needs_is_kept() {
        for name in [
            "PATH",
            "HOME",
            "LANG",
            "TERM",
            "SSH_AUTH_SOCK",
            "XDG_RUNTIME_DIR",
            "ANTHROPIC_API_KEY",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "CODEX_HOME",
            "CODEX_API_KEY",
            "GEMINI_API_KEY",
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_CONTENT",
            "OPENCODE_DISABLE_AUTOUPDATE",
            "PUPITRE_CONFIG",
            "PUPITRE_SCRIPTING",
            "PUPITRE_DEMO_PACE_MS",
        ] {
            assert!(!misleads(name), "{name}");
        }
    }
}
