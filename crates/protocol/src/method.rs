//! The table of methods: name, parameters and reply of each, in one place.
//!
//! Whoever calls, answers or documents a method does it through its marker type here.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::{AgentListReply, AgentLogsReply, AgentParams, AgentTraceReply, AgentView};
use crate::conversation::{
    AnswerPermissionParams, CancelParams, CancelReply, ConversationParams, ConversationView,
    CurrentConversationReply, HistoryParams, HistoryReply, MessageParams, NewParams, OpenParams, PartParams,
    PartReply, PermissionsParams, PermissionsReply, SendParams, SendReply, SetModeParams, SetOptionParams,
};
use crate::event::{SubscribeParams, Subscribed};
use crate::system::{CapabilitiesReply, CountersReply, Empty, IdentifyReply, PingReply};

/// A method of the socket.
pub trait Method {
    /// The name on the wire, `group.verb`.
    const NAME: &'static str;
    type Params: Serialize + DeserializeOwned + Send + 'static;
    type Reply: Serialize + DeserializeOwned + Send + 'static;
}

macro_rules! methods {
    ($($group:ident { $($(#[doc = $doc:literal])+ $marker:ident = $name:literal ($params:ident) -> $reply:ident;)+ })+) => {
        $(
            pub mod $group {
                $(
                    $(#[doc = $doc])+
                    #[derive(Debug, Clone, Copy)]
                    pub struct $marker;

                    impl super::Method for $marker {
                        const NAME: &'static str = $name;
                        type Params = super::$params;
                        type Reply = super::$reply;
                    }
                )+
            }
        )+

        /// The name of every method, in the order of the table.
        pub const NAMES: &[&str] = &[$($($name,)+)+];

        /// Shows every method to the generator of the reference: name, what it does, parameters, reply.
        #[cfg(test)]
        pub(crate) fn describe(page: &mut crate::generated::Reference) {
            $($(
                page.method::<$group::$marker>(concat!($($doc, "\n"),+));
            )+)+
        }
    };
}

methods! {
    system {
        /// Answers at once.
        Ping = "system.ping"(Empty) -> PingReply;
        /// Says who the daemon is, which protocol it speaks and which configuration it holds.
        Identify = "system.identify"(Empty) -> IdentifyReply;
        /// Lists the methods and the types of events that this daemon knows.
        Capabilities = "system.capabilities"(Empty) -> CapabilitiesReply;
        /// Gives numbers about the daemon.
        Counters = "system.counters"(Empty) -> CountersReply;
        /// Stops every agent, side by side, and then the daemon. Answers when nothing of them is left; the connection closes
        /// when the daemon is gone.
        Shutdown = "system.shutdown"(Empty) -> Empty;
    }
    agent {
        /// Lists the agents of the configuration with the state of each.
        List = "agent.list"(Empty) -> AgentListReply;
        /// Starts an agent; answers when it is ready, with an error when it could not be started. An agent that runs is left alone.
        Start = "agent.start"(AgentParams) -> AgentView;
        /// Stops an agent; answers when nothing of it is left.
        Stop = "agent.stop"(AgentParams) -> AgentView;
        /// Stops an agent when it runs, then starts it.
        Restart = "agent.restart"(AgentParams) -> AgentView;
        /// Gives the last 200 lines that an agent wrote to stderr, and stray ones from its stdout.
        Logs = "agent.logs"(AgentParams) -> AgentLogsReply;
        /// Gives the last 1,000 protocol messages between the daemon and an agent.
        Trace = "agent.trace"(AgentParams) -> AgentTraceReply;
    }
    chat {
        /// Lists the permission requests that wait for an answer.
        Permissions = "chat.permissions"(PermissionsParams) -> PermissionsReply;
        /// Adds a user message; starts the agent if needed; queues the message while the agent is answering.
        Send = "chat.send"(SendParams) -> SendReply;
        /// Takes back one queued message.
        Withdraw = "chat.withdraw"(MessageParams) -> Empty;
        /// Cancels the running turn and drops what is queued, or, with `messageId`, this message alone.
        Cancel = "chat.cancel"(CancelParams) -> CancelReply;
        /// Answers one permission request. A second answer, or one after Stop, is the error `already_answered`.
        AnswerPermission = "chat.answer_permission"(AnswerPermissionParams) -> Empty;
        /// Gives the newest messages of a conversation, and all that a client needs to follow it from there.
        Conversation = "chat.conversation"(ConversationParams) -> ConversationView;
        /// Gives the whole of a part that was cut in messages and events, window by window.
        Part = "chat.part"(PartParams) -> PartReply;
        /// Sets an option of the session, its model for example.
        SetOption = "chat.set_option"(SetOptionParams) -> Empty;
        /// Sets the mode of the session.
        SetMode = "chat.set_mode"(SetModeParams) -> Empty;
        /// Puts the current conversation away and begins another.
        New = "chat.new"(NewParams) -> CurrentConversationReply;
        /// Lists conversations, earlier ones included.
        History = "chat.history"(HistoryParams) -> HistoryReply;
        /// Makes an earlier conversation the agent's current one.
        Open = "chat.open"(OpenParams) -> CurrentConversationReply;
    }
    events {
        /// Turns the connection into a stream of event frames, one a line; the first is `subscribed`.
        Subscribe = "events.subscribe"(SubscribeParams) -> Subscribed;
    }
}
