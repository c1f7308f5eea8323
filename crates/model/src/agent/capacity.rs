//! How many agents may have a process, and who makes room for whom.
//!
//! Responsible for the rules of `limits.maxRunningAgents`; an agent's own life is in `lifecycle`.

use pupitre_protocol::AgentName;

/// The places of the agents that have a process, and the agents that wait for one.
#[derive(Debug)]
pub struct Capacity {
    most: usize,
    places: Vec<Place>,
    /// In the order in which they asked. Each has a place promised, which somebody else is leaving.
    waiting: Vec<AgentName>,
    /// Counts how often an agent became idle.
    turn: u64,
}

#[derive(Debug)]
struct Place {
    agent: AgentName,
    usage: Occupation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occupation {
    /// Starting, used, or stopping for a reason of its own.
    Busy,
    Idle {
        turn: u64,
    },
    /// Asked to make room.
    Evicted,
}

/// What is decided about an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may start.
    Give(AgentName),
    /// It may not start: `busy` have all the places.
    Refuse { agent: AgentName, busy: Vec<AgentName> },
    /// It must stop, so that another may start or a lower limit is kept.
    Evict(AgentName),
}

impl Capacity {
    /// Returns the capacity for `most` agents at once.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            places: Vec::new(),
            waiting: Vec::new(),
            turn: 0,
        }
    }

    /// Returns how many agents may have a process at once.
    pub fn most(&self) -> usize {
        self.most
    }

    /// An agent wants to start.
    #[must_use]
    pub fn ask(&mut self, agent: AgentName) -> Vec<Decision> {
        self.waiting.push(agent);
        self.settle()
    }

    /// An agent that has a place is used, or in some other way not to be disturbed.
    pub fn busy(&mut self, agent: &AgentName) {
        if let Some(place) = self.place(agent)
            && place.usage != Occupation::Evicted
        {
            place.usage = Occupation::Busy;
        }
    }

    /// An agent that has a place is unused from now on.
    #[must_use]
    pub fn idle(&mut self, agent: &AgentName) -> Vec<Decision> {
        let turn = self.turn;
        if let Some(place) = self.place(agent)
            && place.usage == Occupation::Busy
        {
            place.usage = Occupation::Idle { turn };
            self.turn += 1;
        }
        self.settle()
    }

    /// An agent that was asked to make room is used and stays.
    #[must_use]
    pub fn stays(&mut self, agent: &AgentName) -> Vec<Decision> {
        if let Some(place) = self.place(agent) {
            place.usage = Occupation::Busy;
        }
        self.settle()
    }

    /// Nothing of an agent lives, or it no longer wants to start.
    #[must_use]
    pub fn left(&mut self, agent: &AgentName) -> Vec<Decision> {
        self.places.retain(|place| place.agent != *agent);
        self.waiting.retain(|waiting| waiting != agent);
        self.settle()
    }

    /// The limit is another one; a lower one stops idle agents, never busy ones.
    #[must_use]
    pub fn set_most(&mut self, most: usize) -> Vec<Decision> {
        self.most = most;
        self.settle()
    }

    fn place(&mut self, agent: &AgentName) -> Option<&mut Place> {
        self.places.iter_mut().find(|place| place.agent == *agent)
    }

    /// Gives places that are free, makes room for those who wait, and refuses those for whom there is none.
    fn settle(&mut self) -> Vec<Decision> {
        let mut decisions = Vec::new();
        while self.places.len() < self.most && !self.waiting.is_empty() {
            let agent = self.waiting.remove(0);
            self.places.push(Place {
                agent: agent.clone(),
                usage: Occupation::Busy,
            });
            decisions.push(Decision::Give(agent));
        }
        while self.missing() > 0 {
            if let Some(place) = self.least_recently_used() {
                place.usage = Occupation::Evicted;
                decisions.push(Decision::Evict(place.agent.clone()));
            } else if let Some(agent) = self.waiting.pop() {
                let busy = self.places.iter().map(|place| place.agent.clone()).collect();
                decisions.push(Decision::Refuse { agent, busy });
            } else {
                // Above a lowered limit, and all of them are busy.
                break;
            }
        }
        decisions
    }

    /// Returns how many more places are needed than are being left.
    fn missing(&self) -> usize {
        let leaving = self
            .places
            .iter()
            .filter(|place| place.usage == Occupation::Evicted)
            .count();
        (self.places.len() + self.waiting.len()).saturating_sub(self.most + leaving)
    }

    fn least_recently_used(&mut self) -> Option<&mut Place> {
        let idle = |place: &Place| match place.usage {
            Occupation::Idle { turn } => Some(turn),
            Occupation::Busy | Occupation::Evicted => None,
        };
        self.places
            .iter_mut()
            .filter(|place| idle(place).is_some())
            .min_by_key(|place| idle(place))
    }
}

/// Says why an agent may not start, in the words of the agents page.
pub fn too_many_agents(busy: &[AgentName], most: usize) -> String {
    let names: Vec<&str> = busy.iter().map(AgentName::as_str).collect();
    format!(
        "too many agents running: {} agent(s) busy ({}), the limit is {most}",
        busy.len(),
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(text: &str) -> AgentName {
        text.parse().expect("a name")
    }

    fn names(texts: &[&str]) -> Vec<AgentName> {
        texts.iter().map(|text| name(text)).collect()
    }

    fn give(text: &str) -> Decision {
        Decision::Give(name(text))
    }

    fn evict(text: &str) -> Decision {
        Decision::Evict(name(text))
    }

    fn refuse(text: &str, busy: &[&str]) -> Decision {
        Decision::Refuse {
            agent: name(text),
            busy: names(busy),
        }
    }

    #[test]
    fn the_refusal_reads_exactly_so() {
        assert_eq!(
            too_many_agents(&names(&["a"]), 1),
            "too many agents running: 1 agent(s) busy (a), the limit is 1"
        );
        assert_eq!(
            too_many_agents(&names(&["a", "b"]), 2),
            "too many agents running: 2 agent(s) busy (a, b), the limit is 2"
        );
    }

    #[test]
    fn what_is_busy_or_starting_or_stopping_is_not_disturbed() {
        let mut capacity = Capacity::new(2);
        assert_eq!(capacity.ask(name("a")), [give("a")]);
        assert_eq!(capacity.ask(name("b")), [give("b")]);
        assert_eq!(capacity.ask(name("c")), [refuse("c", &["a", "b"])]);
        assert_eq!(capacity.idle(&name("a")), []);
        capacity.busy(&name("a"));
        assert_eq!(capacity.ask(name("c")), [refuse("c", &["a", "b"])]);
        assert_eq!(capacity.left(&name("a")), []);
        assert_eq!(capacity.ask(name("c")), [give("c")]);
    }

    #[test]
    fn the_least_recently_used_makes_room_and_is_gone_before_the_other_starts() {
        let mut capacity = Capacity::new(2);
        assert_eq!(capacity.ask(name("a")), [give("a")]);
        assert_eq!(capacity.ask(name("b")), [give("b")]);
        assert_eq!(capacity.idle(&name("b")), []);
        assert_eq!(capacity.idle(&name("a")), []);
        assert_eq!(capacity.ask(name("c")), [evict("b")]);
        assert_eq!(capacity.ask(name("d")), [evict("a")]);
        // Both places are promised already.
        assert_eq!(capacity.ask(name("e")), [refuse("e", &["a", "b"])]);
        assert_eq!(capacity.left(&name("a")), [give("c")]);
        // The one that was stopped wants to start again: it waits like any other.
        assert_eq!(capacity.ask(name("a")), [refuse("a", &["b", "c"])]);
        assert_eq!(capacity.left(&name("b")), [give("d")]);
    }

    #[test]
    fn an_eviction_that_comes_too_late_takes_the_next_one_or_nobody() {
        let mut capacity = Capacity::new(2);
        assert_eq!(capacity.ask(name("a")), [give("a")]);
        assert_eq!(capacity.ask(name("b")), [give("b")]);
        assert_eq!(capacity.idle(&name("a")), []);
        assert_eq!(capacity.idle(&name("b")), []);
        assert_eq!(capacity.ask(name("c")), [evict("a")]);
        assert_eq!(capacity.stays(&name("a")), [evict("b")]);
        assert_eq!(capacity.stays(&name("b")), [refuse("c", &["a", "b"])]);
        assert_eq!(capacity.left(&name("a")), []);
    }

    #[test]
    fn who_no_longer_waits_gets_nothing() {
        let mut capacity = Capacity::new(1);
        assert_eq!(capacity.ask(name("a")), [give("a")]);
        assert_eq!(capacity.idle(&name("a")), []);
        assert_eq!(capacity.ask(name("b")), [evict("a")]);
        assert_eq!(capacity.left(&name("b")), []);
        assert_eq!(capacity.left(&name("a")), []);
        assert_eq!(capacity.ask(name("b")), [give("b")]);
    }

    #[test]
    fn a_lower_limit_stops_idle_agents_only() {
        let mut capacity = Capacity::new(3);
        for agent in ["a", "b", "c"] {
            assert_eq!(capacity.ask(name(agent)), [give(agent)]);
        }
        assert_eq!(capacity.idle(&name("b")), []);
        assert_eq!(capacity.set_most(1), [evict("b")]);
        assert_eq!(capacity.left(&name("b")), []);
        // One is still too many, and goes as soon as nobody uses it.
        assert_eq!(capacity.idle(&name("c")), [evict("c")]);
        assert_eq!(capacity.left(&name("c")), []);
        assert_eq!(capacity.idle(&name("a")), []);
        assert_eq!(capacity.set_most(2), []);
    }

    #[derive(Debug, Clone)]
    enum Happening {
        Ask(usize),
        Busy(usize),
        Idle(usize),
        Stays(usize),
        Left(usize),
        Limit(usize),
    }

    fn happening() -> impl Strategy<Value = Happening> {
        prop_oneof![
            3 => (0..5usize).prop_map(Happening::Ask),
            1 => (0..5usize).prop_map(Happening::Busy),
            2 => (0..5usize).prop_map(Happening::Idle),
            1 => (0..5usize).prop_map(Happening::Stays),
            2 => (0..5usize).prop_map(Happening::Left),
            1 => (1..4usize).prop_map(Happening::Limit),
        ]
    }

    proptest! {
        #[test]
        fn never_more_than_may_run_and_everybody_is_answered(happenings in prop::collection::vec(happening(), 1..60)) {
            let all = names(&["a", "b", "c", "d", "e"]);
            let mut capacity = Capacity::new(2);
            let (mut running, mut waiting): (Vec<AgentName>, Vec<AgentName>) = (Vec::new(), Vec::new());
            for happening in happenings {
                let decisions = match happening {
                    Happening::Ask(agent) => {
                        if running.contains(&all[agent]) || waiting.contains(&all[agent]) {
                            continue;
                        }
                        waiting.push(all[agent].clone());
                        capacity.ask(all[agent].clone())
                    }
                    Happening::Busy(agent) => {
                        capacity.busy(&all[agent]);
                        Vec::new()
                    }
                    Happening::Idle(agent) => capacity.idle(&all[agent]),
                    Happening::Stays(agent) => capacity.stays(&all[agent]),
                    Happening::Left(agent) => {
                        running.retain(|name| *name != all[agent]);
                        waiting.retain(|name| *name != all[agent]);
                        capacity.left(&all[agent])
                    }
                    Happening::Limit(most) => capacity.set_most(most),
                };
                for decision in decisions {
                    match decision {
                        Decision::Give(agent) => {
                            prop_assert!(waiting.contains(&agent));
                            waiting.retain(|name| *name != agent);
                            running.push(agent);
                            prop_assert!(running.len() <= capacity.most());
                        }
                        Decision::Refuse { agent, busy } => {
                            prop_assert!(waiting.contains(&agent));
                            waiting.retain(|name| *name != agent);
                            prop_assert_eq!(busy.len(), running.len());
                        }
                        Decision::Evict(agent) => prop_assert!(running.contains(&agent)),
                    }
                }
            }
            // When all that run go, all that wait get in, or as many as may run.
            for agent in std::mem::take(&mut running) {
                for decision in capacity.left(&agent) {
                    if let Decision::Give(agent) = decision {
                        waiting.retain(|name| *name != agent);
                    }
                }
            }
            prop_assert!(waiting.is_empty());
        }
    }
}
