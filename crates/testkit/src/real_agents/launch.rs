//! How each agent is started: command, arguments, environment and the files it wants in its home.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;
use serde_json::json;

use super::{AgentPackage, RealAgent, Unavailable};

/// All that is needed to start an agent.
#[derive(Clone, Debug, Serialize)]
pub struct Launch {
    pub command: PathBuf,
    pub args: Vec<String>,
    /// The whole environment: nothing else is to be inherited.
    pub env: Vec<(String, String)>,
    /// Files to write below the home before the start.
    pub files: Vec<HomeFile>,
}

#[derive(Clone, Debug, Serialize)]
pub struct HomeFile {
    pub path: PathBuf,
    pub text: String,
}

impl Launch {
    /// Returns how to start `agent`, installed below `cache`, with the model server at `server_url`.
    pub fn new(agent: RealAgent, cache: &Path, server_url: &str, home: &Path) -> Result<Self, Unavailable> {
        let folder = agent_folder(agent, cache)?;
        Self::of(agent, home, Start::of(agent, &folder, server_url, home))
    }

    /// Adds what every agent gets.
    pub(super) fn of(agent: impl Into<AgentPackage>, home: &Path, start: Start) -> Result<Self, Unavailable> {
        if let Some(path) = start.needed.into_iter().find(|path| !path.exists()) {
            return Err(Unavailable::Incomplete {
                agent: agent.into().name(),
                path,
            });
        }
        let mut env: Vec<(String, String)> = start.env;
        let mut add = |name: &str, value: String| env.push((name.to_owned(), value));
        add("HOME", home.display().to_string());
        add("PATH", std::env::var("PATH").unwrap_or_default());
        add("LANG", "C.UTF-8".to_owned());
        add("TERM", "dumb".to_owned());
        add("NO_PROXY", "127.0.0.1,localhost".to_owned());
        add("no_proxy", "127.0.0.1,localhost".to_owned());
        Ok(Self {
            command: start.command,
            args: start.args,
            env,
            files: start.files,
        })
    }

    /// Writes the files and returns the command, with nothing else in its environment.
    pub fn prepare(&self) -> std::io::Result<Command> {
        for file in &self.files {
            if let Some(folder) = file.path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&file.path, &file.text)?;
        }
        #[expect(clippy::disallowed_methods, reason = "test support starts agents of others")]
        let mut command = Command::new(&self.command);
        command
            .args(&self.args)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }
}

/// Returns the folder of an agent that is installed.
pub(super) fn agent_folder(agent: impl Into<AgentPackage>, cache: &Path) -> Result<PathBuf, Unavailable> {
    let package = agent.into();
    let folder = package.folder(cache);
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Unavailable::NotInstalled {
        agent: package.name(),
        path: folder,
    })
}

/// Returns the native program: the script in `.bin` works only after an install script, and none is run.
pub(super) fn opencode_program(modules: &Path) -> PathBuf {
    let of = |variant: &str| modules.join(format!("opencode-{}{variant}/bin/opencode", native()));
    // The baseline variant runs on every processor of its kind; some kinds have no other.
    let baseline = of("-baseline");
    if baseline.exists() { baseline } else { of("") }
}

/// Returns what packages of native programs are called after: the system and the processor.
pub(super) fn native() -> String {
    let system = if cfg!(target_os = "macos") {
        "darwin"
    } else {
        "linux"
    };
    let processor = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    format!("{system}-{processor}")
}

/// Returns the settings of OpenCode, for a variable of its environment.
pub(super) fn opencode_settings(server_url: &str) -> String {
    let settings = json!({
        "model": "tests/test-model",
        "small_model": "tests/test-model",
        "autoupdate": false,
        "share": "disabled",
        "provider": {"tests": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Tests",
            "options": {"baseURL": format!("{server_url}/v1"), "apiKey": "no-key"},
            "models": {"test-model": {"name": "Test model", "limit": {"context": 200_000, "output": 8_000}}},
        }},
        "permission": {"bash": "ask", "edit": "ask"},
    });
    settings.to_string()
}

pub(super) struct Start {
    command: PathBuf,
    args: Vec<String>,
    env: Vec<(String, String)>,
    files: Vec<HomeFile>,
    /// Files without which the installation is not whole.
    needed: Vec<PathBuf>,
}

impl Start {
    fn of(agent: RealAgent, folder: &Path, server_url: &str, home: &Path) -> Self {
        let modules = folder.join("node_modules");
        match agent {
            RealAgent::TypeScriptExample => {
                let script = modules.join("@agentclientprotocol/sdk/dist/examples/agent.js");
                Self::with(
                    "node".into(),
                    &[&script.display().to_string()],
                    &[],
                    vec![],
                    vec![script.clone()],
                )
            }
            RealAgent::PythonEcho => {
                let script = folder.join("examples/echo_agent.py");
                let library = folder.join("lib").display().to_string();
                let env = [("PYTHONPATH", library.as_str()), ("PYTHONDONTWRITEBYTECODE", "1")];
                Self::with(
                    "python3".into(),
                    &[&script.display().to_string()],
                    &env,
                    vec![],
                    vec![script.clone()],
                )
            }
            RealAgent::Codex => {
                let settings = home.join(".codex");
                let text = format!(
                    "model = \"gpt-5\"\nmodel_provider = \"tests\"\napproval_policy = \"untrusted\"\n\
                     sandbox_mode = \"danger-full-access\"\n\n[model_providers.tests]\nname = \"tests\"\n\
                     base_url = \"{server_url}/v1\"\nwire_api = \"responses\"\nenv_key = \"TESTS_MODEL_KEY\"\n\
                     request_max_retries = 0\nstream_max_retries = 1\n"
                );
                let file = HomeFile {
                    path: settings.join("config.toml"),
                    text,
                };
                let program = modules.join(".bin/codex-acp");
                let settings = settings.display().to_string();
                let env = [("CODEX_HOME", settings.as_str()), ("TESTS_MODEL_KEY", "no-key")];
                Self::with(program.clone(), &[], &env, vec![file], vec![program])
            }
            RealAgent::Claude => {
                let program = modules.join(".bin/claude-agent-acp");
                let env = [
                    ("ANTHROPIC_BASE_URL", server_url),
                    ("ANTHROPIC_API_KEY", "no-key"),
                    ("ANTHROPIC_MODEL", "claude-sonnet-4-5"),
                    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
                    ("DISABLE_TELEMETRY", "1"),
                    ("DISABLE_AUTOUPDATER", "1"),
                ];
                Self::with(program.clone(), &[], &env, vec![], vec![program])
            }
            RealAgent::Gemini => {
                let program = modules.join(".bin/gemini");
                let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
                let file = HomeFile {
                    path: home.join(".gemini/settings.json"),
                    text: settings.to_string(),
                };
                let env = [
                    ("GEMINI_API_KEY", "no-key"),
                    ("GOOGLE_GEMINI_BASE_URL", server_url),
                    ("GEMINI_CLI_NO_RELAUNCH", "true"),
                ];
                Self::with(program.clone(), &["--acp"], &env, vec![file], vec![program])
            }
            RealAgent::Qwen => {
                let program = modules.join(".bin/qwen");
                let base_url = format!("{server_url}/v1");
                let env = [
                    ("OPENAI_API_KEY", "no-key"),
                    ("OPENAI_BASE_URL", base_url.as_str()),
                    ("OPENAI_MODEL", "test-model"),
                ];
                Self::with(
                    program.clone(),
                    &["--acp", "--auth-type", "openai"],
                    &env,
                    vec![],
                    vec![program],
                )
            }
            RealAgent::OpenCode => {
                let program = opencode_program(&modules);
                let settings = opencode_settings(server_url);
                let env = [
                    ("OPENCODE_CONFIG_CONTENT", settings.as_str()),
                    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
                    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                    ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
                ];
                Self::with(program.clone(), &["acp"], &env, vec![], vec![program])
            }
        }
    }

    pub(super) fn with(
        command: PathBuf,
        args: &[&str],
        env: &[(&str, &str)],
        files: Vec<HomeFile>,
        needed: Vec<PathBuf>,
    ) -> Self {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        Self {
            command,
            args,
            env: env.iter().map(pair).collect(),
            files,
            needed,
        }
    }
}
