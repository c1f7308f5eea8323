//! Starts, stops, turns and cancels in a random order, with fewer places than agents: after each step the daemon shows
//! what the model says, and at the end nothing is left.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use pupitre_model::agent::capacity::{Capacity, Decision, too_many_agents};
use pupitre_protocol::agent::{AgentParams, AgentState};
use pupitre_protocol::conversation::CancelParams;
use pupitre_protocol::method::{agent, chat};
use pupitre_protocol::system::Empty;
use pupitre_protocol::{AgentName, ErrorKind};

use crate::support::{Desk, PATIENCE, PROGRAM, TestAgent, agent_name};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
const PLACES: usize = 2;

/// How many steps there are when nobody asks for more with `PUPITRE_RANDOM_STEPS`.
const STEPS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Start,
    Stop,
    /// Begins a turn that waits.
    Use,
    Cancel,
}

/// What the model says.
struct Expected {
    capacity: Capacity,
    states: BTreeMap<AgentName, AgentState>,
}

impl Expected {
    /// Starts an agent; the reason when it is refused.
    fn start(&mut self, name: &AgentName) -> Result<(), String> {
        if self.states[name] != AgentState::Stopped {
            return Ok(());
        }
        let mut decisions = VecDeque::from(self.capacity.ask(name.clone()));
        while let Some(decision) = decisions.pop_front() {
            match decision {
                Decision::Give(agent) => {
                    decisions.extend(self.capacity.idle(&agent));
                    self.states.insert(agent, AgentState::Ready);
                }
                Decision::Evict(agent) => {
                    decisions.extend(self.capacity.left(&agent));
                    self.states.insert(agent, AgentState::Stopped);
                }
                Decision::Refuse { mut busy, .. } => {
                    busy.sort();
                    return Err(too_many_agents(&busy, PLACES));
                }
            }
        }
        Ok(())
    }

    fn stop(&mut self, name: &AgentName) {
        self.states.insert(name.clone(), AgentState::Stopped);
        assert_eq!(self.capacity.left(name), [], "nobody waits between two steps");
    }

    fn set_busy(&mut self, name: &AgentName) {
        self.capacity.busy(name);
        self.states.insert(name.clone(), AgentState::Busy);
    }

    fn set_idle(&mut self, name: &AgentName) {
        assert_eq!(self.capacity.idle(name), [], "nobody waits between two steps");
        self.states.insert(name.clone(), AgentState::Ready);
    }
}

/// A generator of numbers (xorshift64) that is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("a small number")
    }
}

fn shown(desk: &Desk) -> BTreeMap<AgentName, AgentState> {
    let agents = desk.call::<agent::List>(Empty {}).agents;
    agents
        .into_iter()
        .filter(|agent| NAMES.contains(&agent.name.as_str()))
        .map(|agent| (agent.name, agent.state))
        .collect()
}

fn descriptors(daemon: u32) -> usize {
    std::fs::read_dir(format!("/proc/{daemon}/fd"))
        .expect("the daemon runs")
        .count()
}

#[test]
fn whatever_the_order_the_daemon_shows_what_the_model_says() {
    let steps = std::env::var("PUPITRE_RANDOM_STEPS").ok();
    let steps = steps.map_or(STEPS, |steps| steps.parse().expect("a number of steps"));
    let agents: Vec<TestAgent> = NAMES
        .iter()
        .map(|name| TestAgent::new(name, PROGRAM, &["demo-agent"]))
        .collect();
    let desk = Desk::with_settings(&format!("[limits]\nmaxRunningAgents = {PLACES}\n"), &agents);
    let daemon = desk.daemon().pid();
    let mut events = desk.events();
    let mut expected = Expected {
        capacity: Capacity::new(PLACES),
        states: NAMES
            .iter()
            .map(|name| (agent_name(name), AgentState::Stopped))
            .collect(),
    };
    let before = descriptors(daemon);
    let mut random = Random(0x5EED_0FC0_FFEE);
    for number in 0..steps {
        let name = agent_name(NAMES[random.below(NAMES.len())]);
        let step = [
            Step::Start,
            Step::Stop,
            Step::Start,
            Step::Stop,
            Step::Use,
            Step::Cancel,
        ][random.below(6)];
        let params = AgentParams { agent: name.clone() };
        match (step, expected.states[&name]) {
            (Step::Start, _) => match expected.start(&name) {
                Ok(()) => drop(desk.call::<agent::Start>(params)),
                Err(reason) => {
                    assert_eq!(
                        desk.call_refused::<agent::Start>(params),
                        (ErrorKind::TooManyAgents, reason),
                        "step {number}"
                    );
                }
            },
            (Step::Stop, _) => {
                desk.call::<agent::Stop>(params);
                expected.stop(&name);
            }
            (Step::Use, AgentState::Ready) => {
                desk.send(name.as_str(), "wait");
                events.wait_for_state(name.as_str(), AgentState::Busy);
                expected.set_busy(&name);
            }
            (Step::Cancel, AgentState::Busy) => {
                desk.call::<chat::Cancel>(CancelParams {
                    agent: name.clone(),
                    message_id: None,
                });
                events.wait_for_state(name.as_str(), AgentState::Ready);
                expected.set_idle(&name);
            }
            (Step::Use | Step::Cancel, _) => {}
        }
        assert_eq!(
            shown(&desk),
            expected.states,
            "after step {number}: {step:?} {name}"
        );
    }
    for name in NAMES {
        desk.stop_agent(name);
    }
    assert_eq!(
        desk.processes().len(),
        1,
        "the daemon alone: {:#?}",
        desk.processes()
    );
    // Connections that were just closed may take a moment to be let go.
    let deadline = Instant::now() + PATIENCE;
    while descriptors(daemon) > before {
        assert!(
            Instant::now() < deadline,
            "{} descriptors, {before} at the beginning",
            descriptors(daemon)
        );
        desk.call::<agent::List>(Empty {});
    }
}
