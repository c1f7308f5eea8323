//! The end of an agent and of all that it started: by a stop, by the daemon's death, by the guard's death.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use pupitre_protocol::agent::AgentState;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Desk, PROGRAM, TestAgent, shell_agent};

/// A way in which agents outlive their end.
struct Stubborn {
    name: &'static str,
    /// What runs before and after the demo agent. `$MARK` is in the command line of all that stays.
    script: &'static str,
    /// The ladder needs at least so long.
    at_least: Duration,
    /// The last signal that is sent.
    signal: Option<&'static str>,
}

const STUBBORN: &[Stubborn] = &[
    Stubborn {
        name: "obeys",
        script: "exec $PUPITRE demo-agent",
        at_least: Duration::ZERO,
        signal: None,
    },
    Stubborn {
        name: "ignores-eof",
        script: "$PUPITRE demo-agent; exec tail -f /dev/null $MARK > /dev/null",
        at_least: Duration::from_secs(5),
        signal: Some("signal=15"),
    },
    Stubborn {
        name: "leaves-a-session",
        script: "setsid tail -f /dev/null $MARK > /dev/null & exec $PUPITRE demo-agent",
        at_least: Duration::from_secs(5),
        signal: Some("signal=15"),
    },
    Stubborn {
        name: "double-forks",
        script: "(env -i setsid sh -c 'tail -f /dev/null '$MARK' > /dev/null & exit' &) ; exec $PUPITRE demo-agent",
        at_least: Duration::from_secs(5),
        signal: Some("signal=15"),
    },
    Stubborn {
        name: "floods",
        script: "(while :; do echo flood $MARK flood flood >&2; done) & exec $PUPITRE demo-agent",
        at_least: Duration::from_secs(5),
        signal: Some("signal=15"),
    },
    Stubborn {
        name: "ignores-sigterm",
        script: "trap '' TERM; $PUPITRE demo-agent; exec tail -f /dev/null $MARK > /dev/null",
        at_least: Duration::from_secs(8),
        signal: Some("signal=9"),
    },
    Stubborn {
        name: "leaves-one-that-ignores-sigterm",
        script: "(trap '' TERM; exec setsid tail -f /dev/null $MARK > /dev/null 2>&1 < /dev/null) & exec $PUPITRE demo-agent",
        at_least: Duration::from_secs(8),
        signal: Some("signal=9"),
    },
];

impl Stubborn {
    fn mark(&self, desk: &Desk) -> String {
        desk.path(&format!("work/{}", self.name)).display().to_string()
    }

    fn agent(&self, desk: &Desk) -> TestAgent {
        let mark = self.mark(desk);
        std::fs::write(&mark, "").expect("the test's own file");
        let script = self.script.replace("$MARK", &mark).replace("$PUPITRE", PROGRAM);
        shell_agent(self.name, &script)
    }
}

fn desk_of_all() -> Desk {
    let mut desk = Desk::without_daemon(&[]);
    let agents: Vec<TestAgent> = STUBBORN.iter().map(|stubborn| stubborn.agent(&desk)).collect();
    desk.write_config(&agents);
    desk.start_daemon();
    desk
}

fn expect_gone(desk: &Desk, stubborn: &Stubborn) {
    let left = desk.commands_with(&stubborn.mark(desk));
    assert!(left.is_empty(), "{} left {left:#?}", stubborn.name);
}

#[test]
fn a_stop_ends_everything_and_takes_the_time_that_is_written() {
    let desk = desk_of_all();
    for stubborn in STUBBORN {
        desk.run(&["agents", "start", stubborn.name]).expect_code(0);
    }
    let begun = Instant::now();
    let stops: Vec<_> = STUBBORN
        .iter()
        .map(|stubborn| (stubborn, desk.spawn(&["agents", "stop", stubborn.name])))
        .collect();
    for (stubborn, stop) in stops {
        stop.finish().expect_code(0).expect_stdout("is stopped");
        let took = begun.elapsed();
        println!("{}: stopped after {took:.2?}", stubborn.name);
        assert!(took >= stubborn.at_least, "{} was given {took:?}", stubborn.name);
        expect_gone(&desk, stubborn);
        assert_eq!(desk.agent(stubborn.name).state, AgentState::Stopped);
    }
    let log = desk.log();
    for stubborn in STUBBORN {
        let signals: Vec<&str> = log
            .lines()
            .filter(|line| {
                line.contains("was signalled") && line.contains(&format!("agent={} ", stubborn.name))
            })
            .collect();
        match stubborn.signal {
            None => assert!(signals.is_empty(), "{}: {signals:#?}", stubborn.name),
            Some(signal) => assert!(
                signals.last().is_some_and(|last| last.contains(signal)),
                "{}: {signals:#?}\n{log}",
                stubborn.name
            ),
        }
    }
}

#[test]
fn a_killed_daemon_leaves_nothing() {
    let mut desk = desk_of_all();
    for stubborn in STUBBORN {
        desk.run(&["agents", "start", stubborn.name]).expect_code(0);
    }
    let begun = Instant::now();
    desk.kill_daemon();
    for stubborn in STUBBORN {
        desk.wait_for_no_command_with(&stubborn.mark(&desk));
        let took = begun.elapsed();
        println!("{}: gone {took:.2?} after the daemon", stubborn.name);
        assert!(took >= stubborn.at_least, "{} was given {took:?}", stubborn.name);
    }
    desk.expect_nothing_left();
}

#[test]
fn quitting_stops_all_side_by_side() {
    let mut desk = desk_of_all();
    for stubborn in STUBBORN {
        desk.run(&["agents", "start", stubborn.name]).expect_code(0);
    }
    let begun = Instant::now();
    desk.stop_daemon();
    println!("{} agents: stopped after {:.2?}", STUBBORN.len(), begun.elapsed());
    for stubborn in STUBBORN {
        expect_gone(&desk, stubborn);
    }
}

#[test]
fn a_killed_guard_leaves_nothing_either() {
    let desk = desk_of_all();
    for stubborn in STUBBORN {
        desk.run(&["agents", "start", stubborn.name]).expect_code(0);
    }
    for stubborn in STUBBORN {
        let mut events = desk.events();
        let agent = desk.agent(stubborn.name).pid.expect("it runs");
        kill_process(guard_of(agent), Signal::KILL).expect("the guard runs");
        events.wait_until("the end is told", |frame| {
            matches!(&frame.event, pupitre_protocol::Event::AgentState(changed)
                if changed.agent.as_str() == stubborn.name && changed.state == AgentState::Error && !changed.stopping)
        });
        expect_gone(&desk, stubborn);
        let error = desk.agent(stubborn.name).error.expect("it says why");
        assert!(error.contains("its guard was ended from outside"), "{error}");
        // And it can be started again.
        desk.run(&["agents", "start", stubborn.name]).expect_code(0);
    }
    assert!(desk.log().contains("the agent's guard ended before the agent"));
}

#[test]
fn a_guard_that_hangs_is_no_reason_to_wait_for_ever() {
    let desk = desk_of_all();
    let stubborn = &STUBBORN[2];
    desk.run(&["agents", "start", stubborn.name]).expect_code(0);
    let agent = desk.agent(stubborn.name).pid.expect("it runs");
    kill_process(guard_of(agent), Signal::STOP).expect("the guard runs");
    let stop = desk.spawn(&["agents", "stop", stubborn.name]);
    stop.finish().expect_code(0).expect_stdout("is stopped");
    expect_gone(&desk, stubborn);
    assert!(desk.log().contains("a guard does not end what it guards"));
}

fn guard_of(agent: u32) -> Pid {
    let status = std::fs::read_to_string(format!("/proc/{agent}/status")).expect("the agent runs");
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    let parent = parent.expect("it has a parent").trim();
    Pid::from_raw(parent.parse().expect("a number")).expect("not zero")
}
