//! Real shapes of agents' processes, and what only looks like one.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(exe: &str, comm: &str, argv: &[&str], tool: Option<&str>) {
    check_with(&Signatures::built_in(), exe, comm, argv, tool);
}

/// An empty `exe` is one that cannot be read.
#[track_caller]
fn check_with(signatures: &Signatures, exe: &str, comm: &str, argv: &[&str], tool: Option<&str>) {
    let argv: Vec<String> = argv.iter().map(|argument| (*argument).to_owned()).collect();
    let process = ProcessFacts {
        exe: (!exe.is_empty()).then_some(exe),
        comm,
        argv: &argv,
    };
    assert_eq!(signatures.tool(&process), tool, "{process:?}");
}

const NODE: &str = "/usr/local/bin/node";
const PYTHON: &str = "/usr/bin/python3.12";

#[test]
fn measured_agents_are_recognised() {
    let claude = "/opt/npm/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe";
    check(claude, "claude", &["claude", ""], Some("claude"));
    check(
        claude,
        "claude",
        &["claude", "--settings", "/x.json", ""],
        Some("claude"),
    );
    check(
        NODE,
        "node",
        &["node", "/opt/npm/bin/codex", "--no-alt-screen"],
        Some("codex"),
    );
    let native = "/opt/npm/lib/node_modules/@openai/codex/node_modules/@openai/codex-linux-x64/vendor/\
                  x86_64-unknown-linux-musl/bin/codex";
    check(native, "codex", &[native, "-c", "x=1"], Some("codex"));
    let opencode = "/opt/npm/lib/node_modules/opencode-ai/bin/opencode.exe";
    check(opencode, "opencode", &["opencode"], Some("opencode"));
    check(NODE, "node", &["node", "/opt/npm/bin/gemini"], Some("gemini"));
    let relaunched = [
        "/usr/local/bin/node",
        "--max-old-space-size=3963",
        "/opt/npm/bin/gemini",
    ];
    check(NODE, "node", &relaunched, Some("gemini"));
    check(NODE, "node", &["node", "/opt/npm/bin/qwen"], Some("qwen"));
    check(NODE, "pi", &["pi", "", "", ""], Some("pi"));
    check(NODE, "node", &["node", "/opt/npm/bin/copilot"], Some("copilot"));
    let copilot = "/opt/npm/lib/node_modules/@github/copilot/node_modules/@github/copilot-linux-x64/copilot";
    check(copilot, "MainThread", &[copilot], Some("copilot"));
}

#[test]
fn other_shapes_are_recognised() {
    for (exe, comm, argv, tool) in [
        // An installer's link to a file that is called as its version.
        (
            "/home/u/.local/share/claude/versions/2.1.332",
            "claude",
            &["claude"][..],
            "claude",
        ),
        (
            "/home/u/.local/share/claude/versions/2.1.332 (deleted)",
            "claude",
            &["claude"],
            "claude",
        ),
        (
            NODE,
            "node",
            &["node", "/x/node_modules/@anthropic-ai/claude-code/cli.js"],
            "claude",
        ),
        (NODE, "claude", &["claude"], "claude"),
        (
            "/nix/store/x/bin/.claude-wrapped",
            ".claude-wrapped",
            &["/nix/store/x/bin/claude"],
            "claude",
        ),
        (
            "/usr/bin/codex-x86_64-unknown-linux-musl",
            "codex-x86_64-un",
            &["codex"],
            "codex",
        ),
        // Where the executable cannot be read.
        ("", "codex", &["codex"], "codex"),
        ("", "claude", &["/usr/bin/claude", "-c"], "claude"),
        ("", "node", &["node", "/usr/bin/gemini"], "gemini"),
        // Where it was replaced while it runs.
        (
            "/usr/bin/node (deleted)",
            "node",
            &["node", "/usr/bin/gemini"],
            "gemini",
        ),
        ("/usr/bin/codex (deleted)", "x", &["x"], "codex"),
        // Scripts.
        (
            NODE,
            "node",
            &["node", "-r", "/x/hook.js", "/opt/bin/qwen", "-p", "hi"],
            "qwen",
        ),
        (
            NODE,
            "node",
            &["node", "--import=tsx", "--", "/opt/bin/gemini.mjs"],
            "gemini",
        ),
        (
            NODE,
            "node",
            &["node", "/x/@google/gemini-cli/dist/index.js"],
            "gemini",
        ),
        (
            NODE,
            "node",
            &["node", "/x/@mariozechner/pi-coding-agent/dist/cli.js"],
            "pi",
        ),
        (
            "/usr/bin/node22",
            "node22",
            &["node22", "/opt/bin/codex.js"],
            "codex",
        ),
        (
            "/usr/bin/bun",
            "bun",
            &["bun", "run", "/opt/bin/gemini"],
            "gemini",
        ),
        (
            "/usr/bin/deno",
            "deno",
            &["deno", "run", "-A", "/opt/bin/gemini"],
            "gemini",
        ),
        (
            PYTHON,
            "aider",
            &["/usr/bin/python3", "/opt/bin/aider", "--model", "x"],
            "aider",
        ),
        (
            PYTHON,
            "python3",
            &["python3", "-X", "dev", "/opt/bin/aider.py"],
            "aider",
        ),
        (PYTHON, "python3", &["python3", "-m", "aider"], "aider"),
        (
            PYTHON,
            "vibe",
            &["/opt/venv/bin/python", "/opt/venv/bin/vibe"],
            "vibe",
        ),
        ("/opt/goose", "goose", &["goose", "session"], "goose"),
        ("/usr/bin/crush", "crush", &["crush"], "crush"),
        ("/home/u/.local/bin/amp", "amp", &["amp"], "amp"),
        (
            "/home/u/.local/share/cursor-agent/versions/2026.01.01/node",
            "node",
            &[
                "/home/u/.local/bin/cursor-agent",
                "--use-system-ca",
                "/x/index.js",
            ],
            "cursor-agent",
        ),
    ] {
        check(exe, comm, argv, Some(tool));
    }
}

#[test]
fn what_only_looks_like_an_agent_is_none() {
    for (exe, comm, argv) in [
        // The word is an argument.
        ("/usr/bin/vim", "vim", &["vim", "claude"][..]),
        ("/usr/bin/grep", "grep", &["grep", "-r", "claude", "."]),
        ("/usr/bin/less", "less", &["less", "gemini"]),
        ("/usr/bin/cat", "cat", &["cat", "/opt/bin/codex"]),
        ("/usr/bin/man", "man", &["man", "goose"]),
        ("/usr/bin/tail", "tail", &["tail", "-f", "/var/log/claude"]),
        ("/usr/bin/bash", "bash", &["bash", "-c", "claude"]),
        ("/usr/bin/bash", "bash", &["-bash"]),
        ("/usr/bin/which", "which", &["which", "opencode"]),
        ("/usr/bin/ssh", "ssh", &["ssh", "codex"]),
        ("/usr/bin/git", "git", &["git", "checkout", "qwen"]),
        (NODE, "node", &["node", "server.js", "codex"]),
        (NODE, "node", &["node", "/srv/app.js", "/opt/bin/gemini"]),
        (NODE, "node", &["node", "-r", "codex", "app.js"]),
        (NODE, "node", &["node", "-e", "claude"]),
        (NODE, "node", &["node", "--inspect"]),
        (NODE, "node", &["node"]),
        (PYTHON, "python3", &["python3", "-c", "aider"]),
        (PYTHON, "python3", &["python3", "-m", "http.server", "aider"]),
        (PYTHON, "python3", &["python3", "-W", "aider", "app.py"]),
        ("/usr/bin/bun", "bun", &["bun", "test", "codex"]),
        // The word is part of another one, or of a folder.
        ("/opt/codex/bin/rg", "rg", &["rg", "x"]),
        (
            "/x/@anthropic-ai/claude-code/vendor/ripgrep/x64-linux/rg",
            "rg",
            &["rg", "x"],
        ),
        ("/usr/bin/claude-monitor", "claude-monitor", &["claude-monitor"]),
        ("/usr/bin/geminispace", "geminispace", &["geminispace"]),
        (NODE, "node", &["node", "/home/u/codex/index.js"]),
        (
            NODE,
            "node",
            &["node", "/x/@google/gemini-cli/node_modules/y/index.js"],
        ),
        (NODE, "node", &["node", "/opt/bin/claude-code-router"]),
        ("/home/u/claude/versions", "versions", &["versions"]),
        // ACP programs and servers serve programs, no person.
        ("/opt/bin/codex-acp", "codex-acp", &["codex-acp"]),
        (
            "/opt/bin/claude-agent-acp",
            "claude-agent-ac",
            &["claude-agent-acp"],
        ),
        (NODE, "node", &["node", "/opt/bin/claude-agent-acp"]),
        (NODE, "node", &["node", "/opt/bin/gemini", "--experimental-acp"]),
        (NODE, "node", &["node", "/opt/bin/qwen", "--model", "x", "--acp"]),
        ("/opt/bin/opencode", "opencode", &["opencode", "acp"]),
        ("/opt/bin/codex", "codex", &["codex", "app-server"]),
        ("/opt/bin/goose", "goose", &["goose", "acp"]),
        // A short word.
        ("/home/u/pi", "pi", &["pi"]),
        ("/home/u/pi", "pi", &["./pi", "1000"]),
        ("/usr/bin/bash", "pi", &["/bin/bash", "/home/u/bin/pi"]),
        (NODE, "node", &["node", "/home/u/pi.js"]),
        (NODE, "pi", &["node", "/home/u/pi"]),
        (PYTHON, "python3", &["python3", "pi.py"]),
        // A name that the arguments do not bear out.
        ("/usr/bin/sleep", "claude", &["sleep", "100"]),
        ("/usr/bin/bash", "codex", &["/bin/bash", "/home/u/bin/else"]),
        // Nothing at all.
        ("", "", &[]),
        ("", "node", &[]),
        ("", "claude", &[]),
        ("", "claude", &[""]),
        ("/", "kthreadd", &[]),
    ] {
        check(exe, comm, argv, None);
    }
}

#[test]
fn a_script_of_a_shell_is_an_agent_when_it_is_called_as_one() {
    let is_agent = |exe: &str, comm: &str, argv: &[&str]| {
        let argv: Vec<String> = argv.iter().map(|argument| (*argument).to_owned()).collect();
        let process = ProcessFacts {
            exe: Some(exe),
            comm,
            argv: &argv,
        };
        Signatures::built_in().is_agent(&process)
    };
    for (exe, comm, argv, tool) in [
        // `#!/bin/bash`, `#!/bin/bash -e`, `#!/usr/bin/env bash`.
        (
            "/usr/bin/bash",
            "gemini",
            &["/bin/bash", "/home/u/bin/gemini", "-i", "hello"][..],
            "gemini",
        ),
        (
            "/usr/bin/bash",
            "gemini",
            &["/bin/bash", "-e", "/home/u/bin/gemini"],
            "gemini",
        ),
        ("/usr/bin/bash", "bash", &["bash", "/home/u/bin/gemini"], "gemini"),
        (
            "/usr/bin/bash",
            "bash",
            &["bash", "-euo", "pipefail", "-O", "extglob", "--", "./codex"],
            "codex",
        ),
        (
            "/usr/bin/bash",
            "bash",
            &["bash", "--rcfile", "/x/rc", "+x", "claude"],
            "claude",
        ),
        ("/usr/bin/dash", "sh", &["sh", "-", "/home/u/bin/qwen"], "qwen"),
        (
            "/usr/bin/zsh",
            "zsh",
            &["zsh", "-f", "/home/u/bin/opencode"],
            "opencode",
        ),
        (
            "/bin/busybox",
            "claude",
            &["/bin/sh", "/usr/local/bin/claude"],
            "claude",
        ),
    ] {
        check(exe, comm, argv, Some(tool));
        assert!(is_agent(exe, comm, argv), "{argv:?}");
    }
    // One that speaks ACP is none for a person, and an agent all the same.
    let serves = ["/bin/bash", "/home/u/bin/codex-acp"];
    check("/usr/bin/bash", "codex-acp", &serves, None);
    assert!(is_agent("/usr/bin/bash", "codex-acp", &serves));
    for argv in [
        &["bash"][..],
        &["-bash"],
        &["bash", "-i"],
        &["bash", "-l"],
        &["bash", "-c", "claude"],
        &["bash", "-c", "/home/u/bin/claude"],
        &["bash", "-lc", "claude", "claude"],
        &["bash", "-ic", "gemini"],
        &["bash", "-o", "pipefail", "-c", "codex"],
        &["bash", "-s", "claude"],
        &["bash", "--rcfile", "claude"],
        &["bash", "-o", "codex"],
        &["bash", "-x", "/home/u/bin/start", "claude"],
        &["bash", "/home/u/claude/start"],
        &["bash", "/home/u/bin/claude-wrapper"],
        &["bash", "/home/u/bin/claude.txt"],
    ] {
        check("/usr/bin/bash", "bash", argv, None);
        assert!(!is_agent("/usr/bin/bash", "bash", argv), "{argv:?}");
    }
    // A shell gives itself no title.
    check("/usr/bin/bash", "pi", &["pi"], None);
}

#[test]
fn the_agent_that_a_script_starts_is_the_agent() {
    let check = |processes: &[(&str, &[&str])], expected: Option<(usize, &str)>| {
        let argvs: Vec<Vec<String>> = processes
            .iter()
            .map(|(_, argv)| argv.iter().map(|argument| (*argument).to_owned()).collect())
            .collect();
        let facts = processes.iter().zip(&argvs).map(|((exe, _), argv)| ProcessFacts {
            exe: Some(exe),
            comm: base(exe),
            argv,
        });
        let signatures = Signatures::built_in();
        assert_eq!(signatures.agent_among(facts), expected, "{processes:?}");
    };
    let shell: (&str, &[&str]) = ("/usr/bin/bash", &["bash"]);
    let script: (&str, &[&str]) = ("/usr/bin/bash", &["/bin/bash", "/home/u/bin/claude"]);
    let native: (&str, &[&str]) = ("/opt/bin/claude", &["claude"]);
    let wrapper: (&str, &[&str]) = (NODE, &["node", "/opt/bin/codex"]);
    let wrapped: (&str, &[&str]) = ("/opt/vendor/bin/codex", &["codex"]);
    check(&[], None);
    check(&[shell], None);
    check(&[shell, script], Some((1, "claude")));
    check(&[script, shell, native], Some((2, "claude")));
    check(&[script, script], Some((0, "claude")));
    check(&[script, wrapper], Some((1, "codex")));
    // What an interpreter runs is the agent itself, whatever it starts.
    check(&[wrapper, wrapped], Some((0, "codex")));
}

#[test]
fn what_serves_programs_is_an_agent_all_the_same() {
    let is_agent = |exe: &str, argv: &[&str]| {
        let argv: Vec<String> = argv.iter().map(|argument| (*argument).to_owned()).collect();
        let process = ProcessFacts {
            exe: Some(exe),
            comm: base(exe),
            argv: &argv,
        };
        Signatures::built_in().is_agent(&process)
    };
    for (exe, argv) in [
        ("/usr/bin/claude", &["claude"][..]),
        ("/usr/bin/codex", &["codex", "app-server"]),
        (NODE, &["node", "/opt/bin/gemini", "--acp"]),
        (NODE, &["node", "/opt/bin/claude-agent-acp"]),
        ("/opt/bin/codex-acp", &["codex-acp"]),
    ] {
        assert!(is_agent(exe, argv), "{argv:?}");
    }
    for (exe, argv) in [
        ("/usr/bin/vim", &["vim", "codex-acp"][..]),
        (NODE, &["node", "server.js", "codex", "--acp"]),
        ("/usr/bin/bash", &["-bash"]),
    ] {
        assert!(!is_agent(exe, argv), "{argv:?}");
    }
}

#[test]
fn more_agents_can_be_told() {
    let signatures = Signatures::with_more(
        r#"
        [[agent]]
        tool = "mine"
        executables = ["mine", "my-*/bin/run"]

        [[agent]]
        tool = "long"
        names = ["a-very-long-agent-name"]
        titles = ["la"]
        scripts = ["long", "@me/long/dist/*.js"]

        [[agent]]
        tool = "other-codex"
        executables = ["codex"]
        "#,
    )
    .expect("a good file");
    let check = |exe, comm, argv: &[&str], tool| check_with(&signatures, exe, comm, argv, tool);
    check("/x/mine", "mine", &["mine"], Some("mine"));
    check("/x/my-agent/bin/run", "run", &["run"], Some("mine"));
    check("/x/my-agent/run", "run", &["run"], None);
    check(
        "/x/y",
        "a-very-long-age",
        &["a-very-long-agent-name"],
        Some("long"),
    );
    check("/x/y", "a-very-long-age", &["a-very-long-age"], None);
    check(NODE, "la", &["la"], Some("long"));
    check(NODE, "node", &["node", "/x/@me/long/dist/start.js"], Some("long"));
    check("/x/codex", "codex", &["codex"], Some("other-codex"));
    check(NODE, "node", &["node", "/x/gemini"], Some("gemini"));
}

#[test]
fn a_wrong_file_is_refused_where_it_is_wrong() {
    let check = |text: &str, line, column, part: &str| {
        let error = Signatures::with_more(text).expect_err(text);
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert!(error.message.contains(part), "{error}");
        assert!(!error.message.contains('\n'), "{error}");
    };
    check("agent = ", 1, 9, "");
    check(
        "[[agent]]\ntool = \"x\"\nscreen = []\n",
        3,
        1,
        "unknown field `screen`",
    );
    check("# é\n[agents]\n", 2, 2, "unknown field `agents`");
    check("[[agent]]\nnames = [\"x\"]\n", 1, 1, "missing field `tool`");
    check(
        "[[agent]]\ntool = \"x\"\nnames = [\"x\"]\n\n[[agent]]\ntool = \"y\"\n",
        5,
        1,
        "nothing to be recognised by",
    );
    check("[[agent]]\ntool = \"Big\"\nnames = [\"x\"]\n", 1, 1, "\"Big\"");
    check("[[agent]]\ntool = \"x\"\nnames = 3\n", 3, 9, "sequence");
    for empty in ["", "*", "/", "*/*"] {
        check(
            &format!("[[agent]]\ntool = \"x\"\nscripts = [\"ok\", \"{empty}\"]\n"),
            1,
            1,
            "an empty pattern",
        );
    }
    assert_eq!(Signatures::with_more(""), Ok(Signatures::built_in()));
}

proptest! {
    #[test]
    fn any_process_is_looked_at(
        exe in proptest::option::of(any::<String>()),
        comm in any::<String>(),
        argv in vec(any::<String>(), 0..5),
    ) {
        let process = ProcessFacts { exe: exe.as_deref(), comm: &comm, argv: &argv };
        Signatures::built_in().tool(&process);
    }

    #[test]
    fn a_star_is_any_text(start in "[a-c]{0,3}", middle in "[a-c]{0,3}", end in "[a-c]{0,3}", any in "[a-d]{0,4}") {
        let pattern = format!("{start}*{middle}*{end}");
        let text = format!("{start}{any}{middle}{any}{end}");
        prop_assert!(is_like(&text, &pattern));
        let other = format!("x{text}");
        prop_assert!(!is_like(&other, &pattern) || start.is_empty());
    }

    #[test]
    fn arguments_alone_make_no_agent(argv in vec("(claude|codex|gemini|pi|goose|/usr/bin/qwen|-c|x)", 0..6)) {
        let argv: Vec<String> = std::iter::once("vim".to_owned()).chain(argv).collect();
        let process = ProcessFacts { exe: Some("/usr/bin/vim"), comm: "vim", argv: &argv };
        let signatures = Signatures::built_in();
        prop_assert_eq!(signatures.tool(&process), None);
    }
}
