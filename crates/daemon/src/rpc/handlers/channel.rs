//! `channel.*`.

use std::sync::Arc;

use pupitre_model::channel::recipients;
use pupitre_model::conversation::Stamps as _;
use pupitre_protocol::channel::{
    ChannelAnswer, ChannelEntry, ChannelListReply, ChannelMessagesParams, ChannelMessagesReply,
    ChannelSendParams, ChannelSendReply,
};
use pupitre_protocol::configuration::ChannelView;
use pupitre_protocol::event::ChannelUpdated;
use pupitre_protocol::limits::PROMPT_BYTES;
use pupitre_protocol::system::Empty;
use pupitre_protocol::{AgentName, ChannelEntryId, ErrorKind, Event, MessageId, RpcError};

use crate::agent::AgentRequest;
use crate::clock::{SystemStamps, epoch_ms};
use crate::history::Room;
use crate::hub::UnitEvent;
use crate::rpc::Daemon;

pub(super) async fn list(daemon: Arc<Daemon>, _params: Empty) -> Result<ChannelListReply, RpcError> {
    Ok(ChannelListReply {
        channels: daemon.config.held().channels(),
    })
}

pub(super) async fn send(
    daemon: Arc<Daemon>,
    params: ChannelSendParams,
) -> Result<ChannelSendReply, RpcError> {
    let ChannelSendParams { channel, text } = params;
    let (channel, room) = find(&daemon, &channel)?;
    if text.trim().is_empty() {
        return Err(RpcError::new(ErrorKind::EmptyMessage, "the message is empty"));
    }
    if text.len() > PROMPT_BYTES {
        let message = format!(
            "the text has {} bytes; a message may have {PROMPT_BYTES}",
            text.len()
        );
        return Err(RpcError::new(ErrorKind::TooLarge, message));
    }
    let created_at = epoch_ms();
    let mut answers = Vec::new();
    let mut refusal = None;
    for agent in recipients(&text, &channel.agents) {
        let (message_id, error, error_kind) = match hand_over(&daemon, agent.clone(), text.clone()).await {
            Ok(id) => (Some(id), None, None),
            Err(error) => {
                let told = (None, Some(error.message.clone()), error.kind());
                refusal.get_or_insert(error);
                told
            }
        };
        answers.push(ChannelAnswer {
            agent,
            message_id,
            error,
            error_kind,
        });
    }
    let message_ids: Vec<MessageId> = answers.iter().filter_map(|answer| answer.message_id).collect();
    if let (Some(error), []) = (refusal, message_ids.as_slice()) {
        return Err(error);
    }
    let entry = ChannelEntry {
        id: ChannelEntryId(SystemStamps.new_id()),
        created_at,
        text,
        answers,
    };
    // The messages are on their way: that the entry is not kept is no reason to say that nothing happened.
    if let Err(error) = daemon.history.add_channel_entry(room, entry.clone()).await {
        tracing::error!(channel = channel.name, %error, "what was said in a channel could not be kept");
    }
    let updated = Event::ChannelUpdated(ChannelUpdated {
        channel: channel.name,
        entry: entry.clone(),
    });
    // The hub is gone only when the daemon ends.
    daemon.hub.events().send(UnitEvent::Publish(updated)).await.ok();
    Ok(ChannelSendReply { message_ids, entry })
}

pub(super) async fn messages(
    daemon: Arc<Daemon>,
    params: ChannelMessagesParams,
) -> Result<ChannelMessagesReply, RpcError> {
    let (_, room) = find(&daemon, &params.channel)?;
    let entries = daemon.history.channel_entries(room).await;
    entries.map_err(|error| {
        RpcError::new(
            ErrorKind::HistoryUnavailable,
            format!("the channel cannot be read: {error}"),
        )
    })
}

/// Returns a channel of the configuration, and under what its entries are kept.
fn find(daemon: &Daemon, name: &str) -> Result<(ChannelView, Room), RpcError> {
    let held = daemon.config.held();
    let channels = held.channels();
    let names: Vec<String> = channels.iter().map(|channel| channel.name.clone()).collect();
    let Some(channel) = channels.into_iter().find(|channel| channel.name == name) else {
        let there = match names.as_slice() {
            [] => "there is none in the configuration".to_owned(),
            names => format!("there are: {}", names.join(", ")),
        };
        let message = format!("there is no channel \"{name}\"; {there}");
        return Err(RpcError::new(ErrorKind::NotFound, message).with_candidates(names));
    };
    let room = Room {
        config: held.canonical.display().to_string(),
        channel: channel.name.clone(),
    };
    Ok((channel, room))
}

async fn hand_over(daemon: &Daemon, agent: AgentName, text: String) -> Result<MessageId, RpcError> {
    let agent = daemon.hub.agent(agent).await?;
    let sent = agent.ask(|respond| AgentRequest::Send {
        text,
        attachments: Vec::new(),
        respond,
    });
    Ok(sent.await?.message_id)
}
