//! The file that is made when there is none: commented, with the demo agent and every known agent that was found.

use super::preset::{Preset, PresetProgram};

const HEAD: &str = "\
#:schema pupitre.schema.json
# Pupitre's configuration. It is yours: what you change here counts as soon as you save.
# `pupitre config check` says what is wrong with it, `pupitre config edit` opens it in your editor, and
# `pupitre config schema > pupitre.schema.json`, in this folder, lets your editor help you.

# theme = \"system\"                # \"light\", \"dark\", \"system\"
# language = \"system\"             # \"en\", \"fr\", \"system\"
# history = true                  # false: conversations are forgotten when the daemon ends
# scripting = false               # true: your own programs may type into terminals
# ai_unrestricted = false         # true: agents may, too
# ai_injection_fence = true       # texts of terminals and agents are marked as untrusted for other agents
# agent_stall_threshold_secs = 180  # a silent turn counts as stalled after this; 0: never
# port = 0                        # of the page, on this machine only; 0: any free one

# [limits]
# maxRunningAgents = 4            # 1 to 64
# stopIdleAgentsAfter = \"15m\"     # \"30s\" to \"24h\", or \"never\"

# Keys of the whole file stand above this line: below an [[agents]] they would be the agent's.

# The demo agent is inside Pupitre and answers without any model. Try: pupitre ask demo help
[[agents]]
name = \"demo\"
preset = \"demo\"
";

const TAIL: &str = "
# An agent of your own: any program that speaks the Agent Client Protocol on its stdin and stdout.
# [[agents]]
# name = \"mine\"
# title = \"My agent\"
# command = \"my-agent\"
# args = [\"--acp\"]
# cwd = \"~/src/app\"
# env = { API_KEY = \"$API_KEY\" }  # $NAME is read from the daemon's environment
# permissions = \"ask\"             # \"ask\", \"allow_reads\", \"deny\"

# A room with several agents.
# [[channels]]
# name = \"review\"
# agents = [\"demo\"]

# A tool server for your agents.
# [[mcp_servers]]
# name = \"docs\"
# command = \"docs-mcp\"
";

/// Returns the text of a first file with these known agents, which were found on `PATH`.
pub fn first_file<'a>(found: impl IntoIterator<Item = &'a Preset>) -> String {
    let mut text = HEAD.to_owned();
    for preset in found {
        match preset.program {
            PresetProgram::Ourselves => {}
            PresetProgram::Command { name: command, .. } => {
                let Preset { name, title, .. } = preset;
                let args: String = preset.args.iter().map(|arg| format!(" {arg}")).collect();
                text.push_str(&format!(
                    "\n# {title}: runs `{command}{args}`, which was found on your PATH.\n[[agents]]\nname = \"{name}\"\npreset = \"{name}\"\n"
                ));
            }
        }
    }
    text.push_str(TAIL);
    text
}
