//! The table of methods: name, parameters and reply of each, in one place.
//!
//! Whoever calls, answers or documents a method does it through its marker type here.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::{
    AgentListReply, AgentLogsReply, AgentParams, AgentTraceReply, AgentView, AuthenticateParams,
};
use crate::channel::{
    ChannelListReply, ChannelMessagesParams, ChannelMessagesReply, ChannelSendParams, ChannelSendReply,
};
use crate::configuration::{
    ConfigBrowseParams, ConfigBrowseReply, ConfigChooseReply, ConfigContentReply, ConfigKnownReply,
    ConfigOpenParams, ConfigRecentReply, ConfigSaveParams, ConfigSaveReply, ConfigSchemaReply,
    ConfigValidateParams, ConfigValidateReply, ConfigView,
};
use crate::conversation::{
    AnswerElicitationParams, AnswerPermissionParams, CancelParams, CancelReply, ConversationParams,
    ConversationView, CurrentConversationReply, DeleteParams, ExportParams, ExportReply, HistoryParams,
    HistoryReply, MessageParams, NewParams, OpenParams, PartParams, PartReply, PermissionsParams,
    PermissionsReply, SearchParams, SearchReply, SendParams, SendReply, SetModeParams, SetOptionParams,
};
use crate::event::{SubscribeParams, Subscribed};
use crate::fleet::FleetListReply;
use crate::surface::{
    SurfaceCreateParams, SurfaceExplainReply, SurfaceInputParams, SurfaceListParams, SurfaceListReply,
    SurfaceParams, SurfaceReadParams, SurfaceReadReply, SurfaceRenameParams, SurfaceResizeParams,
    SurfaceSearchParams, SurfaceSearchReply, SurfaceSnapshotReply, SurfaceStatus, SurfaceView,
    SurfaceWaitParams, SurfaceWaitReply,
};
use crate::system::{CapabilitiesReply, CountersReply, Empty, IdentifyReply, PageReply, PingReply};
use crate::workspace::{
    WorkspaceCreateParams, WorkspaceListReply, WorkspaceParams, WorkspaceRenameParams,
    WorkspaceSetLayoutParams, WorkspaceSplitParams, WorkspaceView,
};

/// A method of the socket.
pub trait Method {
    /// The name on the wire, `group.verb`.
    const NAME: &'static str;
    /// Who may call it.
    const ACCESS: Access;
    type Params: Serialize + DeserializeOwned + Send + 'static;
    type Reply: Serialize + DeserializeOwned + Send + 'static;
}

/// What a method does, as far as it matters for who may call it. An agent is *inside*: what it runs may do less than its
/// user's own programs, unless AI free access is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Looks at what everybody may see.
    Read,
    /// Looks at what may hold secrets, or belongs to another conversation: from inside with AI free access only.
    Private,
    /// Makes an agent work: from inside with AI free access only.
    Prompt,
    /// Starts, stops and arranges: from inside with AI free access only.
    Arrange,
    /// Sees a pane raw and types into it as a person does: from inside with AI free access only, from outside by whoever
    /// has a terminal, as persons do.
    Person,
    /// Decides for the user: never from inside.
    Decide,
}

macro_rules! methods {
    ($($group:ident { $($(#[doc = $doc:literal])+ $marker:ident = $name:literal ($params:ident) -> $reply:ident, $access:ident;)+ })+) => {
        $(
            pub mod $group {
                $(
                    $(#[doc = $doc])+
                    #[derive(Debug, Clone, Copy)]
                    pub struct $marker;

                    impl super::Method for $marker {
                        const NAME: &'static str = $name;
                        const ACCESS: super::Access = super::Access::$access;
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
        Ping = "system.ping"(Empty) -> PingReply, Read;
        /// Says who the daemon is, which protocol it speaks and which configuration it holds.
        Identify = "system.identify"(Empty) -> IdentifyReply, Read;
        /// Lists the methods and the types of events that this daemon knows.
        Capabilities = "system.capabilities"(Empty) -> CapabilitiesReply, Read;
        /// Gives numbers about the daemon.
        Counters = "system.counters"(Empty) -> CountersReply, Read;
        /// Gives an address of the page that lets one browser in, once, within five minutes.
        Page = "system.page"(Empty) -> PageReply, Decide;
        /// Stops every agent, side by side, and then the daemon. Answers when nothing of them is left; the connection closes
        /// when the daemon is gone.
        Shutdown = "system.shutdown"(Empty) -> Empty, Decide;
    }
    agent {
        /// Lists the agents of the configuration with the state of each.
        List = "agent.list"(Empty) -> AgentListReply, Read;
        /// Starts an agent; answers when it is ready, with an error when it could not be started. An agent that runs is left alone.
        Start = "agent.start"(AgentParams) -> AgentView, Arrange;
        /// Stops an agent; answers when nothing of it is left.
        Stop = "agent.stop"(AgentParams) -> AgentView, Arrange;
        /// Stops an agent when it runs, then starts it.
        Restart = "agent.restart"(AgentParams) -> AgentView, Arrange;
        /// Gives the last 200 lines that an agent wrote to stderr, and stray ones from its stdout.
        Logs = "agent.logs"(AgentParams) -> AgentLogsReply, Private;
        /// Gives the last 1,000 protocol messages between the daemon and an agent.
        Trace = "agent.trace"(AgentParams) -> AgentTraceReply, Private;
        /// Logs in with an agent that runs, by one of the ways that it offers; answers when the agent says that it is done,
        /// which takes as long as the person takes. A message that waits for the login is sent then.
        Authenticate = "agent.authenticate"(AuthenticateParams) -> Empty, Decide;
    }
    config {
        /// Says which configuration is held, and what is wrong with its file.
        Current = "config.current"(Empty) -> ConfigView, Read;
        /// Gives the text of the file, and the hash that `config.save` wants back.
        Content = "config.content"(Empty) -> ConfigContentReply, Private;
        /// Says what is wrong with a text, without saving it.
        Validate = "config.validate"(ConfigValidateParams) -> ConfigValidateReply, Read;
        /// Writes a text when it is valid and the file is still the one that was read; otherwise writes nothing.
        Save = "config.save"(ConfigSaveParams) -> ConfigSaveReply, Decide;
        /// Gives the JSON Schema of the file.
        Schema = "config.schema"(Empty) -> ConfigSchemaReply, Read;
        /// Stops every agent, leaves the conversations, holds this file from now on and remembers it.
        Open = "config.open"(ConfigOpenParams) -> ConfigView, Decide;
        /// Has a person choose a file in a native dialog, and opens it; the error `no_display` where there is no window.
        Choose = "config.choose"(Empty) -> ConfigChooseReply, Decide;
        /// Lists the files that were opened in the program, the last one first, 8 at most.
        Recent = "config.recent"(Empty) -> ConfigRecentReply, Private;
        /// Lists the folders and the `.toml` files of a folder, for a list of files in a page.
        Browse = "config.browse"(ConfigBrowseParams) -> ConfigBrowseReply, Private;
        /// Lists the agents that Pupitre knows, with how to install those that are not there.
        Known = "config.known"(Empty) -> ConfigKnownReply, Read;
    }
    channel {
        /// Lists the channels of the configuration.
        List = "channel.list"(Empty) -> ChannelListReply, Read;
        /// Sends a message to the agents of a channel that it mentions, or to all of them.
        Send = "channel.send"(ChannelSendParams) -> ChannelSendReply, Prompt;
        /// Gives what was said in a channel.
        Messages = "channel.messages"(ChannelMessagesParams) -> ChannelMessagesReply, Private;
    }
    chat {
        /// Lists the permission requests and the questions that wait for an answer.
        Permissions = "chat.permissions"(PermissionsParams) -> PermissionsReply, Read;
        /// Adds a user message; starts the agent if needed; queues the message while the agent is answering.
        Send = "chat.send"(SendParams) -> SendReply, Prompt;
        /// Takes back one queued message.
        Withdraw = "chat.withdraw"(MessageParams) -> Empty, Arrange;
        /// Cancels the running turn, or without one what the agent asks, and drops what is queued; with `messageId`, this message alone.
        Cancel = "chat.cancel"(CancelParams) -> CancelReply, Arrange;
        /// Answers one permission request. A second answer, or one after Stop, is the error `already_answered`.
        AnswerPermission = "chat.answer_permission"(AnswerPermissionParams) -> Empty, Decide;
        /// Answers one question of an agent (ACP: elicitation). A second answer, or one after Stop, is the error `already_answered`;
        /// values that the form does not allow are the error `invalid_params`, and the question stays open.
        AnswerElicitation = "chat.answer_elicitation"(AnswerElicitationParams) -> Empty, Decide;
        /// Gives the newest messages of a conversation, and all that a client needs to follow it from there.
        Conversation = "chat.conversation"(ConversationParams) -> ConversationView, Read;
        /// Gives the whole of a part that was cut in messages and events, window by window.
        Part = "chat.part"(PartParams) -> PartReply, Read;
        /// Sets an option of the session, its model for example.
        SetOption = "chat.set_option"(SetOptionParams) -> Empty, Prompt;
        /// Sets the mode of the session.
        SetMode = "chat.set_mode"(SetModeParams) -> Empty, Prompt;
        /// Puts the current conversation away and begins another.
        New = "chat.new"(NewParams) -> CurrentConversationReply, Prompt;
        /// Lists conversations, earlier ones included.
        History = "chat.history"(HistoryParams) -> HistoryReply, Private;
        /// Makes an earlier conversation the agent's current one.
        Open = "chat.open"(OpenParams) -> CurrentConversationReply, Prompt;
        /// Finds words in the finished messages of conversations, earlier ones included.
        Search = "chat.search"(SearchParams) -> SearchReply, Private;
        /// Deletes a conversation for good, from the disk too. The current one makes place for a new one; while its agent is
        /// answering that is the error `turn_running`.
        Delete = "chat.delete"(DeleteParams) -> Empty, Decide;
        /// Writes a conversation as Markdown or JSON, window by window. From inside, an earlier conversation needs AI free access.
        Export = "chat.export"(ExportParams) -> ExportReply, Read;
    }
    fleet {
        /// Lists the agents at work: panes with an agent's process, and agents of the configuration that have one or failed.
        List = "fleet.list"(Empty) -> FleetListReply, Read;
    }
    surface {
        /// Makes a pane: a command, a terminal agent, or the person's shell in a terminal that the daemon holds.
        Create = "surface.create"(SurfaceCreateParams) -> SurfaceView, Arrange;
        /// Lists panes and conversations.
        List = "surface.list"(SurfaceListParams) -> SurfaceListReply, Read;
        /// Gives the text of a surface as lines: scrollback and screen of a pane, the transcript of a conversation.
        Read = "surface.read"(SurfaceReadParams) -> SurfaceReadReply, Read;
        /// Finds lines in one surface or in all.
        Search = "surface.search"(SurfaceSearchParams) -> SurfaceSearchReply, Read;
        /// Says what a surface does.
        Status = "surface.status"(SurfaceParams) -> SurfaceStatus, Read;
        /// Waits until a surface is at rest, or a line matches. A target that closes or comes to ask ends the wait with an error;
        /// so does the time.
        Wait = "surface.wait"(SurfaceWaitParams) -> SurfaceWaitReply, Read;
        /// Says where the state of a surface comes from, with what its programs told their terminal.
        Explain = "surface.explain"(SurfaceParams) -> SurfaceExplainReply, Read;
        /// A person has the surface in view: `finished` becomes `idle`.
        Seen = "surface.seen"(SurfaceParams) -> Empty, Arrange;
        /// Brings a surface into the person's view: its workspace becomes the current one.
        Focus = "surface.focus"(SurfaceParams) -> SurfaceView, Arrange;
        /// Gives a pane a name, which it keeps.
        Rename = "surface.rename"(SurfaceRenameParams) -> SurfaceView, Arrange;
        /// Gives a pane another size.
        Resize = "surface.resize"(SurfaceResizeParams) -> SurfaceView, Arrange;
        /// Ends the program of a pane with all that it started, and forgets the pane; answers when nothing of it is left.
        Close = "surface.close"(SurfaceParams) -> Empty, Arrange;
        /// Makes the connection a view of a pane: everything to draw it, then its bytes as they come.
        Snapshot = "surface.snapshot"(SurfaceParams) -> SurfaceSnapshotReply, Person;
        /// Gives the program of a pane a person's keys. Requests of one connection are worked on side by side: whoever types
        /// sends the next keys when the ones before were answered.
        Input = "surface.input"(SurfaceInputParams) -> Empty, Person;
    }
    workspace {
        /// Lists the workspaces with their layouts.
        List = "workspace.list"(Empty) -> WorkspaceListReply, Read;
        /// Gives the workspace where new panes go.
        Current = "workspace.current"(Empty) -> WorkspaceView, Read;
        /// Makes an empty workspace, which becomes the current one.
        Create = "workspace.create"(WorkspaceCreateParams) -> WorkspaceView, Arrange;
        /// Makes a workspace the current one.
        Select = "workspace.select"(WorkspaceParams) -> WorkspaceView, Arrange;
        /// Gives a workspace another name.
        Rename = "workspace.rename"(WorkspaceRenameParams) -> WorkspaceView, Arrange;
        /// Closes a workspace with all its panes; answers when nothing of them is left.
        Close = "workspace.close"(WorkspaceParams) -> Empty, Arrange;
        /// Makes a pane beside or below another one.
        Split = "workspace.split"(WorkspaceSplitParams) -> SurfaceView, Arrange;
        /// Lays out the panes of a workspace anew.
        SetLayout = "workspace.set_layout"(WorkspaceSetLayoutParams) -> WorkspaceView, Arrange;
    }
    events {
        /// Begins a stream of events, whose first frame is `subscribed`. The socket's connection becomes the stream, one frame
        /// a line, and answers nothing else. On a WebSocket the reply comes first, then the frames as notifications called
        /// `event`; a second subscription takes the place of the first.
        Subscribe = "events.subscribe"(SubscribeParams) -> Subscribed, Read;
        /// Ends the stream of events of a WebSocket; where there is none it does nothing.
        Unsubscribe = "events.unsubscribe"(Empty) -> Empty, Read;
    }
}
