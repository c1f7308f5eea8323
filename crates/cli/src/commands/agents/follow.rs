//! What the log and the trace of one agent have in common when they are followed.

use pupitre_client::{Client, Subscription};
use pupitre_protocol::agent::AgentParams;
use pupitre_protocol::event::{Event, EventKind, SubscribeParams};

use crate::desk::{Desk, agent_named};
use crate::failure::Failure;

/// A subscription to one type of events of one agent, and a connection to ask for what was before.
pub(super) struct Followed {
    pub(super) client: Client,
    pub(super) agent: AgentParams,
    stream: Subscription,
}

impl Followed {
    /// Subscribes before anything is asked for, so that nothing can come between; what comes meanwhile is in both, and known
    /// by its number.
    pub(super) fn begin(desk: &Desk, name: &str, kind: EventKind) -> Result<Self, Failure> {
        let mut client = desk.find()?;
        let agent = agent_named(&mut client, name)?;
        let stream = desk.connect_again()?.subscribe(&SubscribeParams {
            types: Some(vec![kind]),
            agents: Some(vec![agent.clone()]),
            surfaces: None,
            since: None,
        })?;
        Ok(Self {
            client,
            agent: AgentParams { agent },
            stream,
        })
    }

    /// Hands over each event with its time, in epoch milliseconds, until the daemon goes away.
    pub(super) fn each(self, mut take: impl FnMut(u64, Event) -> Result<(), Failure>) -> Result<(), Failure> {
        for received in self.stream {
            if let Some(frame) = received?.frame {
                take(frame.stamp.ts, frame.event)?;
            }
        }
        Err(Failure::DaemonGone)
    }
}
