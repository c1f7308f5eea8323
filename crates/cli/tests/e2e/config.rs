//! The configuration file: checked, watched, applied, written, and another one opened.

mod check;
mod claim;
mod doubt;
mod obstacle;

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use pupitre_protocol::agent::AgentState;
use pupitre_protocol::configuration::{
    ConfigBrowseParams, ConfigOpenParams, ConfigSaveParams, ConfigSource, ConfigValidateParams, NotSaved,
};
use pupitre_protocol::event::{ConfigChanged, Event, EventKind, SubscribeParams};
use pupitre_protocol::method::{agent, config};
use pupitre_protocol::system::Empty;
use pupitre_protocol::{ErrorKind, agent::AgentParams};

use crate::support::{Desk, Events, TestAgent, agent_name, utf8};

/// A change is noticed within a second; the rest is for a busy machine.
const NOTICED: Duration = Duration::from_secs(15);

fn changes(desk: &Desk) -> Events {
    let params = SubscribeParams {
        types: Some(vec![EventKind::ConfigChanged]),
        ..SubscribeParams::default()
    };
    desk.events_with(&params).with_patience(NOTICED)
}

fn next_change(events: &mut Events) -> ConfigChanged {
    events.wait_for("the configuration changed", |frame| match &frame.event {
        Event::ConfigChanged(changed) => Some(changed.clone()),
        _ => None,
    })
}

/// A file with one agent, whose title tells one text from another.
fn text(title: &str) -> String {
    format!("[[agents]]\nname = \"demo\"\npreset = \"demo\"\ntitle = \"{title}\"\n")
}

/// Checks that the change to this title comes as one event.
#[track_caller]
fn expect_title(desk: &Desk, events: &mut Events, title: &str) {
    let changed = next_change(events);
    assert!(changed.valid, "{changed:?}");
    assert_eq!(desk.agent("demo").title, title);
}

/// Checks that no event came before one that this makes.
#[track_caller]
fn expect_silence(desk: &Desk, events: &mut Events, marker: &str) {
    std::fs::write(desk.config(), text(marker)).unwrap();
    expect_title(desk, events, marker);
}

fn rename_over(path: &Path, text: &str) {
    let beside = path.with_extension("tmp");
    std::fs::write(&beside, text).unwrap();
    std::fs::rename(&beside, path).unwrap();
}

#[test]
fn a_first_file_has_the_agents_that_are_there() {
    let mut desk = Desk::without_daemon(&[]);
    std::fs::remove_file(desk.config()).unwrap();
    let commands = desk.path("commands");
    std::fs::create_dir(&commands).unwrap();
    for command in ["gemini", "opencode"] {
        std::fs::write(commands.join(command), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(commands.join(command), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    desk.set_variable("PATH", &format!("{}:/usr/bin:/bin", commands.display()));
    desk.run(&["config", "path", "--json"])
        .expect_code(0)
        .expect_stdout("\"source\":\"default\",\"exists\":false");
    desk.run(&["doctor"])
        .expect_code(0)
        .expect_stdout("on PATH: gemini, opencode");
    desk.start_daemon();
    let current = desk.call::<config::Current>(Empty {});
    assert!(current.created && current.valid, "{current:?}");
    assert_eq!(current.source, ConfigSource::Default);
    let names: Vec<String> = desk
        .call::<agent::List>(Empty {})
        .agents
        .into_iter()
        .map(|agent| agent.name.to_string())
        .collect();
    assert_eq!(names, ["demo", "gemini", "opencode"]);
    let known = desk.call::<config::Known>(Empty {}).agents;
    let found: Vec<&str> = known
        .iter()
        .filter(|agent| agent.found)
        .map(|agent| agent.name.as_str())
        .collect();
    assert_eq!(found, names, "and no others");
    let qwen = known
        .iter()
        .find(|agent| agent.name == "qwen")
        .expect("it is known");
    assert_eq!(
        qwen.install.as_deref(),
        Some("npm install -g @qwen-code/qwen-code")
    );
    let mode = std::fs::metadata(desk.config()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    desk.run(&["config", "init"])
        .expect_code(1)
        .expect_stderr("is there already");
    desk.run(&["config", "check"])
        .expect_code(0)
        .expect_stdout("is valid");
    desk.stop_daemon();
    desk.start_daemon();
    assert!(!desk.call::<config::Current>(Empty {}).created);
}

#[test]
fn every_way_of_saving_is_noticed_once() {
    let desk = Desk::start();
    let mut events = changes(&desk);
    let file = desk.config();
    // In place, as VS Code does it, and `echo >`.
    std::fs::write(&file, text("in place")).unwrap();
    expect_title(&desk, &mut events, "in place");
    // Written beside and renamed over, as `sed -i` does it.
    rename_over(&file, &text("renamed over"));
    expect_title(&desk, &mut events, "renamed over");
    // Moved away first, as vim does it with a backup.
    std::fs::rename(&file, file.with_extension("toml~")).unwrap();
    std::fs::write(&file, text("moved away")).unwrap();
    expect_title(&desk, &mut events, "moved away");
    // The same bytes again, in both ways, are nothing.
    std::fs::write(&file, text("moved away")).unwrap();
    rename_over(&file, &text("moved away"));
    expect_silence(&desk, &mut events, "after the same");
    // Another folder in the place of the file's.
    let folder = file.parent().unwrap().to_owned();
    let other = folder.with_extension("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("pupitre.toml"), text("another folder")).unwrap();
    std::fs::rename(&folder, folder.with_extension("old")).unwrap();
    std::fs::rename(&other, &folder).unwrap();
    expect_title(&desk, &mut events, "another folder");
    // And the new folder is watched, not the old one.
    std::fs::write(
        folder.with_extension("old").join("pupitre.toml"),
        text("nobody sees it"),
    )
    .unwrap();
    expect_silence(&desk, &mut events, "in the new folder");
}

#[test]
fn changes_come_through_links() {
    let mut desk = Desk::without_daemon(&[]);
    let dotfiles = desk.path("home/dotfiles");
    std::fs::create_dir(&dotfiles).unwrap();
    for name in ["one", "two"] {
        std::fs::write(dotfiles.join(name), text(name)).unwrap();
    }
    std::fs::remove_file(desk.config()).unwrap();
    symlink(dotfiles.join("one"), desk.config()).unwrap();
    desk.start_daemon();
    assert_eq!(desk.agent("demo").title, "one");
    let mut events = changes(&desk);
    std::fs::write(dotfiles.join("one"), text("in place")).unwrap();
    expect_title(&desk, &mut events, "in place");
    rename_over(&dotfiles.join("one"), &text("renamed over"));
    expect_title(&desk, &mut events, "renamed over");
    let beside = desk.path("config/pupitre/link");
    symlink(dotfiles.join("two"), &beside).unwrap();
    std::fs::rename(&beside, desk.config()).unwrap();
    expect_title(&desk, &mut events, "two");
    std::fs::write(dotfiles.join("two"), text("the other end")).unwrap();
    expect_title(&desk, &mut events, "the other end");
    // A save goes through the link, and keeps it and the mode.
    std::fs::set_permissions(dotfiles.join("two"), std::fs::Permissions::from_mode(0o640)).unwrap();
    let content = desk.call::<config::Content>(Empty {});
    let saved = desk.call::<config::Save>(ConfigSaveParams {
        text: text("saved"),
        hash: content.hash,
    });
    assert!(saved.saved && saved.reason.is_none(), "{saved:?}");
    expect_title(&desk, &mut events, "saved");
    assert!(desk.config().symlink_metadata().unwrap().is_symlink());
    assert_eq!(
        std::fs::read_to_string(dotfiles.join("two")).unwrap(),
        text("saved")
    );
    let mode = std::fs::metadata(dotfiles.join("two"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn fifty_edits_in_a_second_end_with_the_last() {
    let desk = Desk::start();
    let mut events = changes(&desk);
    let begin = Instant::now();
    for number in 0..50 {
        if number % 2 == 0 {
            std::fs::write(desk.config(), text(&number.to_string())).unwrap();
        } else {
            rename_over(&desk.config(), &text(&number.to_string()));
        }
        // The edits are spread over about a second; nothing is waited for.
        std::thread::park_timeout(Duration::from_millis(20));
    }
    println!("50 edits took {:?}", begin.elapsed());
    let mut count = 0;
    loop {
        assert!(next_change(&mut events).valid);
        count += 1;
        if desk.agent("demo").title == "49" {
            break;
        }
    }
    println!("{count} events, the last after {:?}", begin.elapsed());
    assert!(count <= 50, "{count} events for 50 contents");
}

#[test]
fn a_bad_save_leaves_everything_as_it_is() {
    let desk = Desk::with_agents(&[]);
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    let pid = desk.agent("demo").pid.expect("it runs");
    let before = std::fs::read_to_string(desk.config()).unwrap();
    let mut events = changes(&desk);
    std::fs::write(desk.config(), format!("{before}titel = 3\n")).unwrap();
    let changed = next_change(&mut events);
    assert!(!changed.valid);
    assert_eq!(changed.problems.len(), 1, "{changed:?}");
    assert!(changed.problems[0].message.contains("titel"), "{changed:?}");
    let current = desk.call::<config::Current>(Empty {});
    assert!(
        !current.valid && current.problems == changed.problems,
        "{current:?}"
    );
    assert_eq!(desk.agent("demo").pid, Some(pid));
    // Whoever looks at the agents is told that these are of an older file.
    let words = "the last one that was right is still in force: line";
    let table = desk.run(&["agents"]);
    table.expect_code(0).expect_stderr(words).expect_stdout("demo");
    table
        .expect_stderr("unknown key \"titel\"")
        .expect_stderr("`pupitre config check`");
    desk.run(&[]).expect_code(0).expect_stdout(words);
    desk.run(&["ask", "nobody", "hello"])
        .expect_code(3)
        .expect_stderr("there are: demo; the configuration file cannot be used as it is now");
    // Gone for a while, and back as it was.
    std::fs::remove_file(desk.config()).unwrap();
    assert!(!next_change(&mut events).valid);
    std::fs::write(desk.config(), &before).unwrap();
    assert!(next_change(&mut events).valid);
    assert_eq!(
        (desk.agent("demo").pid, desk.agent("demo").outdated),
        (Some(pid), false)
    );
}

#[test]
fn agents_come_change_and_go_with_the_file() {
    let demo = |name: &str| TestAgent::new(name, crate::support::PROGRAM, &["demo-agent"]);
    let desk = Desk::with_agents(&[demo("a"), demo("b")]);
    for name in ["a", "b"] {
        desk.run(&["ask", name, "hello"]).expect_code(0);
    }
    let mut events = changes(&desk);
    let outdated = || -> Vec<(String, bool)> {
        let agents = desk.call::<agent::List>(Empty {}).agents;
        agents
            .into_iter()
            .map(|agent| (agent.name.to_string(), agent.outdated))
            .collect()
    };
    let flags = |all: &[(&str, bool)]| -> Vec<(String, bool)> {
        all.iter()
            .map(|(name, flag)| ((*name).to_owned(), *flag))
            .collect()
    };
    // A change of one agent concerns that agent alone…
    desk.write_config(&[demo("a").env("NEW", "1"), demo("b")]);
    next_change(&mut events);
    assert_eq!(outdated(), flags(&[("demo", false), ("a", true), ("b", false)]));
    desk.run(&["agents", "--json"])
        .expect_code(0)
        .expect_stdout("\"outdated\":true");
    // …and is nothing once it is undone.
    desk.write_config(&[demo("a"), demo("b")]);
    next_change(&mut events);
    assert_eq!(outdated(), flags(&[("demo", false), ("a", false), ("b", false)]));
    // A restart takes the new definition.
    desk.write_config(&[demo("b"), demo("a").env("NEW", "1")]);
    next_change(&mut events);
    assert_eq!(outdated(), flags(&[("demo", false), ("b", false), ("a", true)]));
    desk.run(&["agents", "restart", "a"]).expect_code(0);
    assert_eq!(outdated(), flags(&[("demo", false), ("b", false), ("a", false)]));
    // One that leaves is stopped and shown no more; a new one rests.
    let mut states = desk.events();
    desk.write_config(&[demo("a").env("NEW", "1"), demo("c")]);
    next_change(&mut events);
    assert_eq!(outdated(), flags(&[("demo", false), ("a", false), ("c", false)]));
    states.wait_for_state("b", AgentState::Stopped);
    assert_eq!(desk.agent("c").state, AgentState::Stopped);
    let (kind, _) = desk.call_refused::<agent::Start>(AgentParams {
        agent: agent_name("b"),
    });
    assert_eq!(kind, ErrorKind::NotFound);
    desk.run(&["ask", "c", "hello"]).expect_code(0);
    // It comes back with its conversation.
    desk.write_config(&[demo("b")]);
    next_change(&mut events);
    assert!(desk.conversation("b").messages.len() >= 2);
    desk.run(&["ask", "b", "hello"]).expect_code(0);
}

#[test]
fn an_agent_that_returns_while_it_is_being_stopped_is_kept() {
    let stubborn = "trap '' TERM; exec 0<&-; while :; do sleep 0.1; done";
    let slow = TestAgent::new("slow", "/bin/sh", &["-c", &format!("{{ {stubborn}; }} & wait")]);
    let desk = Desk::with_agents(std::slice::from_ref(&slow));
    let mut events = changes(&desk);
    let mut states = desk.events();
    let start = desk.spawn(&["agents", "start", "slow"]);
    states.wait_for_state("slow", AgentState::Starting);
    desk.write_config(&[]);
    next_change(&mut events);
    assert_eq!(desk.call::<agent::List>(Empty {}).agents.len(), 1);
    desk.write_config(&[slow]);
    next_change(&mut events);
    states.wait_for_state("slow", AgentState::Stopped);
    assert_eq!(desk.agent("slow").state, AgentState::Stopped);
    start.finish().expect_code(1);
}

#[test]
fn a_lower_limit_stops_idle_agents_and_no_busy_one() {
    let demo = |name: &str| TestAgent::new(name, crate::support::PROGRAM, &["demo-agent"]);
    let agents = [demo("a"), demo("b"), demo("c")];
    let desk = Desk::with_settings("[limits]\nmaxRunningAgents = 3\n", &agents);
    for name in ["a", "b"] {
        desk.run(&["ask", name, "hello"]).expect_code(0);
    }
    let ask = desk.spawn(&["ask", "c", "wait"]);
    ask.wait_for_stdout("I am waiting");
    // A stream for each: which of them ends first is nobody's business.
    let streams = ["a", "b"].map(|name| (name, desk.events()));
    desk.write_settings("[limits]\nmaxRunningAgents = 1\n", &agents);
    for (name, mut states) in streams {
        states.wait_for_state(name, AgentState::Stopped);
    }
    assert_eq!(desk.agent("c").state, AgentState::Busy);
    desk.run(&["chat", "cancel", "c"]).expect_code(0);
    ask.finish().expect_code(1);
}

#[test]
fn a_save_is_checked_and_overwrites_nobodys_work() {
    let desk = Desk::start();
    let content = desk.call::<config::Content>(Empty {});
    assert_eq!(content.text, std::fs::read_to_string(desk.config()).unwrap());
    let save = |text: String, hash: &str| {
        desk.call::<config::Save>(ConfigSaveParams {
            text,
            hash: hash.to_owned(),
        })
    };
    let invalid = save("themee = 1\n".to_owned(), &content.hash);
    assert_eq!((invalid.saved, invalid.reason), (false, Some(NotSaved::Invalid)));
    assert_eq!(invalid.problems.len(), 1, "{invalid:?}");
    assert_eq!(std::fs::read_to_string(desk.config()).unwrap(), content.text);
    std::fs::write(desk.config(), text("by hand")).unwrap();
    let stale = save(text("by the page"), &content.hash);
    assert_eq!((stale.saved, stale.reason), (false, Some(NotSaved::Changed)));
    assert_eq!(std::fs::read_to_string(desk.config()).unwrap(), text("by hand"));
    // The answer carries the hash of what is there now, for whoever overwrites it all the same.
    let saved = save(text("by the page"), &stale.hash);
    assert!(saved.saved, "{saved:?}");
    assert_eq!(desk.agent("demo").title, "by the page");
    assert_eq!(desk.call::<config::Content>(Empty {}).hash, saved.hash);
    let left: Vec<_> = std::fs::read_dir(desk.config().parent().unwrap())
        .unwrap()
        .collect();
    assert_eq!(left.len(), 1, "nothing is left beside it: {left:?}");
}

#[test]
fn texts_are_checked_without_being_saved_and_the_schema_is_given() {
    let desk = Desk::start();
    let reply = desk.call::<config::Validate>(ConfigValidateParams {
        text: "ai_unrestricted = true\nport = \"x\"\n".to_owned(),
    });
    let told: Vec<_> = reply
        .problems
        .iter()
        .map(|problem| (problem.line, problem.column, problem.warning))
        .collect();
    assert!(!reply.valid);
    assert_eq!(told, [(1, 1, true), (2, 8, false)]);
    let schema = desk.call::<config::Schema>(Empty {}).0;
    let printed = desk.run(&["config", "schema"]);
    printed.expect_code(0);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&printed.stdout).unwrap(),
        schema
    );
    let (kind, _) = desk.call_refused::<config::Choose>(Empty {});
    assert_eq!(kind, ErrorKind::NoDisplay);
}

#[test]
fn another_file_can_be_opened_and_is_remembered() {
    let mut desk = Desk::start();
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    let other = desk.path("work/other.toml");
    std::fs::write(
        &other,
        "theme = \"dark\"\n[[agents]]\nname = \"demo\"\npreset = \"demo\"\ntitle = \"Other\"\n",
    )
    .unwrap();
    let mut events = changes(&desk);
    desk.run(&["config", "open", "other.toml"])
        .expect_code(0)
        .expect_stdout(utf8(&other));
    assert_eq!(next_change(&mut events).path, utf8(&other));
    let agent = desk.agent("demo");
    assert_eq!(
        (agent.title.as_str(), agent.state),
        ("Other", AgentState::Stopped)
    );
    assert!(
        desk.conversation("demo").messages.is_empty(),
        "conversations belong to a file"
    );
    let current = desk.call::<config::Current>(Empty {});
    assert_eq!(
        (current.path.as_str(), current.source),
        (utf8(&other), ConfigSource::Recent)
    );
    // The new file is watched, the old one no more.
    std::fs::write(desk.config(), text("old")).unwrap();
    std::fs::write(&other, text("new")).unwrap();
    expect_title(&desk, &mut events, "new");
    for (path, kind) in [
        ("/no/such.toml", ErrorKind::NotFound),
        ("other.toml", ErrorKind::InvalidParams),
    ] {
        let refused = desk.call_refused::<config::Open>(ConfigOpenParams {
            path: path.to_owned(),
        });
        assert_eq!(refused.0, kind, "{}", refused.1);
    }
    let recent = desk.call::<config::Recent>(Empty {}).0;
    assert_eq!(recent.len(), 1);
    assert!(recent[0].exists && recent[0].path == utf8(&other), "{recent:?}");
    // The next daemon finds it; when it is gone, the default one counts again.
    desk.stop_daemon();
    for verb in ["path", "recent"] {
        desk.run(&["config", verb])
            .expect_code(0)
            .expect_stdout(utf8(&other));
    }
    desk.start_daemon();
    assert_eq!(
        desk.call::<config::Current>(Empty {}).source,
        ConfigSource::Recent
    );
    desk.stop_daemon();
    std::fs::remove_file(&other).unwrap();
    desk.start_daemon();
    let current = desk.call::<config::Current>(Empty {});
    assert_eq!(
        (current.path.as_str(), current.source),
        (utf8(&desk.config()), ConfigSource::Default)
    );
    assert!(!desk.call::<config::Recent>(Empty {}).0[0].exists);
    assert_eq!(
        desk.conversation("demo").messages.len(),
        2,
        "the first file's conversation is there again"
    );
}

#[test]
fn a_folder_is_listed_for_a_page() {
    let desk = Desk::start();
    for name in ["b.toml", "a.toml", "c.txt"] {
        std::fs::write(desk.path("work").join(name), "").unwrap();
    }
    std::fs::create_dir(desk.path("work/z")).unwrap();
    let reply = desk.call::<config::Browse>(ConfigBrowseParams {
        folder: Some(utf8(&desk.path("work")).to_owned()),
    });
    let names: Vec<(&str, bool)> = reply
        .entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry.folder))
        .collect();
    assert_eq!(names, [("z", true), ("a.toml", false), ("b.toml", false)]);
    let (kind, message) = desk.call_refused::<config::Browse>(ConfigBrowseParams {
        folder: Some("/no/such/folder".to_owned()),
    });
    assert_eq!(kind, ErrorKind::FileError, "{message}");
}

#[test]
fn an_editor_is_opened_and_the_file_checked_afterwards() {
    let mut desk = Desk::without_daemon(&[]);
    desk.set_variable("EDITOR", "sh -c 'echo themee = 1 >> \"$0\"'");
    desk.run(&["config", "edit"])
        .expect_code(1)
        .expect_stdout("unknown key \"themee\"");
    desk.set_variable("VISUAL", "false");
    desk.run(&["config", "edit"])
        .expect_code(1)
        .expect_stderr("the editor false ended with");
}

#[test]
fn a_pipe_in_the_files_place_stops_nobody() {
    let desk = Desk::start();
    std::fs::remove_file(desk.config()).expect("the test's own file");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        desk.config(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .expect("a pipe");
    let (kind, message) = desk.call_refused::<config::Content>(Empty {});
    assert_eq!(kind, ErrorKind::FileError);
    assert!(message.contains("no regular file"), "{message}");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
}
