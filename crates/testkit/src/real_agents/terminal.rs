//! Agents of others on a terminal, as a person starts them: with a prompt, and asking before a tool runs.

use std::path::Path;

use serde_json::json;

use super::launch::{HomeFile, Launch, Start, agent_folder, native, opencode_program, opencode_settings};
use super::{AgentPackage, RealAgent, Runs, Source, Unavailable};

/// A terminal agent of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalAgent {
    Claude,
    Codex,
    Gemini,
    OpenCode,
    Qwen,
}

/// Where a terminal agent is started.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Where agents are installed.
    pub cache: &'a Path,
    /// The model server's address.
    pub server_url: &'a str,
    pub home: &'a Path,
    /// The working folder, which is trusted.
    pub work: &'a Path,
}

/// Long enough for the last 20 characters to be told apart: those are noted as approved.
const CLAUDE_KEY: &str = "no-key-for-the-tests-0000000000";

impl TerminalAgent {
    pub const ALL: [Self; 5] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::OpenCode,
        Self::Qwen,
    ];

    /// Returns what it is called by people, and by us.
    pub fn tool(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Qwen => "qwen",
        }
    }

    /// Returns a pattern for the line with which it asks whether a tool may run. Enter says yes.
    pub fn question(self) -> &'static str {
        match self {
            Self::Claude => "Do you want to proceed",
            Self::Codex => "Would you like to run",
            Self::Gemini => "Allow execution of",
            Self::OpenCode => "Permission required",
            Self::Qwen => "Waiting for user confirmation|Allow execution|Yes, allow",
        }
    }

    /// Returns the words for the model server with which the agent runs a command after it has asked. The command is one
    /// for JSON as it stands.
    pub fn shell(self, command: &str) -> String {
        match self {
            // Its sandbox would run it without asking.
            Self::Codex => format!(
                r#"{{{{call exec_command {{"cmd":"{command}","sandbox_permissions":"require_escalated","justification":"a test"}}}}}}"#
            ),
            Self::Claude | Self::Gemini | Self::OpenCode | Self::Qwen => format!("{{{{shell {command}}}}}"),
        }
    }

    /// Returns how to start it with this prompt.
    ///
    /// # Errors
    ///
    /// When it is not installed.
    pub fn launch(self, surroundings: &Surroundings<'_>, prompt: &str) -> Result<Launch, Unavailable> {
        let folder = agent_folder(self, surroundings.cache)?;
        Launch::of(self, surroundings.home, self.start(&folder, surroundings, prompt))
    }

    fn start(self, folder: &Path, surroundings: &Surroundings<'_>, prompt: &str) -> Start {
        let Surroundings {
            cache: _,
            server_url,
            home,
            work,
        } = *surroundings;
        let modules = folder.join("node_modules");
        let base_url = format!("{server_url}/v1");
        let settings_file = |path: &str, text: String| HomeFile {
            path: home.join(path),
            text,
        };
        match self {
            Self::Claude => {
                // The script in `.bin` works only after an install script, and none is run.
                let program = modules.join(format!("@anthropic-ai/claude-code-{}/claude", native()));
                let settings = json!({
                    "hasCompletedOnboarding": true,
                    "lastOnboardingVersion": CLAUDE_VERSION,
                    "theme": "dark",
                    "numStartups": 3,
                    "customApiKeyResponses": {"approved": [&CLAUDE_KEY[CLAUDE_KEY.len() - 20..]], "rejected": []},
                    "projects": {work.display().to_string(): {
                        "hasTrustDialogAccepted": true,
                        "hasCompletedProjectOnboarding": true,
                        "allowedTools": [],
                    }},
                });
                let file = settings_file(".claude.json", settings.to_string());
                let env = [
                    ("ANTHROPIC_BASE_URL", server_url),
                    ("ANTHROPIC_API_KEY", CLAUDE_KEY),
                    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
                    ("DISABLE_TELEMETRY", "1"),
                    ("DISABLE_AUTOUPDATER", "1"),
                ];
                let args = ["--permission-mode", "default", prompt];
                Start::with(program.clone(), &args, &env, vec![file], vec![program])
            }
            Self::Codex => {
                let program = modules.join(".bin/codex");
                let text = format!(
                    "model = \"gpt-5\"\nmodel_provider = \"tests\"\napproval_policy = \"on-request\"\n\
                     sandbox_mode = \"read-only\"\ncheck_for_update_on_startup = false\n\n\
                     [model_providers.tests]\nname = \"tests\"\nbase_url = \"{base_url}\"\nwire_api = \"responses\"\n\
                     env_key = \"TESTS_MODEL_KEY\"\n\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n\n\
                     [features]\ndaemon_auto_start = false\n",
                    work.display()
                );
                let file = settings_file(".codex/config.toml", text);
                let settings = home.join(".codex").display().to_string();
                let env = [("CODEX_HOME", settings.as_str()), ("TESTS_MODEL_KEY", "no-key")];
                Start::with(program.clone(), &[prompt], &env, vec![file], vec![program])
            }
            Self::Gemini => {
                let program = modules.join(".bin/gemini");
                let settings = json!({
                    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
                    "general": {"enableAutoUpdate": false},
                });
                let file = settings_file(".gemini/settings.json", settings.to_string());
                let env = [
                    ("GEMINI_API_KEY", "no-key"),
                    ("GOOGLE_GEMINI_BASE_URL", server_url),
                ];
                Start::with(program.clone(), &["-i", prompt], &env, vec![file], vec![program])
            }
            Self::OpenCode => {
                let program = opencode_program(&modules);
                let settings = opencode_settings(server_url);
                let env = [
                    ("OPENCODE_CONFIG_CONTENT", settings.as_str()),
                    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
                    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
                    ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
                ];
                Start::with(
                    program.clone(),
                    &["--prompt", prompt],
                    &env,
                    vec![],
                    vec![program],
                )
            }
            Self::Qwen => {
                let program = modules.join(".bin/qwen");
                let settings = json!({
                    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
                    "general": {"disableAutoUpdate": true},
                });
                let file = settings_file(".qwen/settings.json", settings.to_string());
                let env = [
                    ("OPENAI_API_KEY", "no-key"),
                    ("OPENAI_BASE_URL", base_url.as_str()),
                    ("OPENAI_MODEL", "test-model"),
                ];
                Start::with(program.clone(), &["-i", prompt], &env, vec![file], vec![program])
            }
        }
    }
}

const CLAUDE_VERSION: &str = "2.1.332";

impl From<TerminalAgent> for AgentPackage {
    fn from(agent: TerminalAgent) -> Self {
        match agent {
            TerminalAgent::Claude => Self {
                name: "claude-code",
                source: Source::Npm {
                    name: "@anthropic-ai/claude-code",
                    version: CLAUDE_VERSION,
                },
                runs: Runs::Always,
            },
            TerminalAgent::Codex => Self {
                name: "codex",
                source: Source::Npm {
                    name: "@openai/codex",
                    version: "0.171.0",
                },
                runs: Runs::Always,
            },
            // The same packages serve both ways. A script that runs itself again is tried in every run.
            TerminalAgent::Gemini => Self {
                runs: Runs::Always,
                ..RealAgent::Gemini.into()
            },
            TerminalAgent::OpenCode => RealAgent::OpenCode.into(),
            TerminalAgent::Qwen => RealAgent::Qwen.into(),
        }
    }
}
