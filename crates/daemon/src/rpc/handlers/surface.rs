//! `surface.*`, but for `surface.snapshot`, which changes the connection itself.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pupitre_model::pane::fence;
use pupitre_protocol::limits::{
    CONVERSATION_MESSAGES_MOST, PATTERN_BYTES, READ_BYTES, READ_LINES, READ_LINES_MOST, SURFACE_MATCHES,
    SURFACE_MATCHES_MOST,
};
use pupitre_protocol::surface::{
    ForegroundProcess, SignalView, StatusRecordView, SurfaceCreateParams, SurfaceExplainReply,
    SurfaceInputParams, SurfaceListParams, SurfaceListReply, SurfaceMatch, SurfaceParams, SurfaceReadParams,
    SurfaceReadReply, SurfaceRenameParams, SurfaceResizeParams, SurfaceSearchParams, SurfaceSearchReply,
    SurfaceStatus, SurfaceView, SurfaceWaitParams, SurfaceWaitReply,
};
use pupitre_protocol::system::Empty;
use pupitre_protocol::{ErrorKind, RpcError, SurfaceId};
use pupitre_terminal::{Missing, SearchPattern, StatusChange, harmless, without_answers};

use crate::clock::epoch_ms;
use crate::hub::ConversationSurface;
use crate::pane::{Pane, cut, reported, status_words};
use crate::rpc::Daemon;
use crate::surface::{Mark, PanePlace, Surface, Transcript, read_transcript, wait as wait_for};

pub(super) async fn create(
    daemon: Arc<Daemon>,
    params: SurfaceCreateParams,
) -> Result<SurfaceView, RpcError> {
    daemon.surfaces.create(params, PanePlace::InWorkspace).await
}

pub(super) async fn list(
    daemon: Arc<Daemon>,
    params: SurfaceListParams,
) -> Result<SurfaceListReply, RpcError> {
    Ok(SurfaceListReply {
        surfaces: daemon.surfaces.list(params.workspace).await?,
    })
}

/// Text of a surface, as `surface.read` gives it.
struct Window {
    text: String,
    lines: usize,
    total_lines: usize,
    eof: bool,
    missing: bool,
    /// More came after the mark than was asked for.
    older: bool,
    generation: u64,
    mark: Mark,
}

pub(super) async fn read(
    daemon: Arc<Daemon>,
    params: SurfaceReadParams,
) -> Result<SurfaceReadReply, RpcError> {
    let invalid = |message: String| RpcError::new(ErrorKind::InvalidParams, message);
    let lines = params.lines.unwrap_or(READ_LINES);
    if !(1..=READ_LINES_MOST).contains(&lines) {
        return Err(invalid(format!(
            "lines must be 1 to {READ_LINES_MOST}, not {lines}"
        )));
    }
    if params.offset.is_some() && params.after.is_some() {
        return Err(invalid("an offset and a mark do not go together".to_owned()));
    }
    let wanted = Wanted {
        lines: lines as usize,
        offset: params
            .offset
            .map_or(0, |offset| usize::try_from(offset).unwrap_or(usize::MAX)),
        after: params.after.as_deref(),
    };
    let surface = daemon.surfaces.resolve(&params.surface).await?;
    let id = surface.id();
    let window = match surface {
        Surface::Pane(pane) => read_pane(&daemon, &pane, &wanted)?,
        Surface::Conversation(conversation) => read_conversation(&daemon, &conversation, &wanted).await?,
    };
    let (text, truncated, left_out) = newest(window.text);
    let lines = window.lines - left_out;
    let eof = window.eof && !truncated;
    let is_fenced = params
        .fence
        .unwrap_or(daemon.config.held().config.ai_injection_fence);
    let (text, fence) = if is_fenced {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| {
            RpcError::new(
                ErrorKind::Internal,
                format!("there are no random numbers: {error}"),
            )
        })?;
        let fenced = fence::fenced(&text, id, window.total_lines as u64, eof, random);
        (fenced, Some(format!("{:016x}", u64::from_be_bytes(random))))
    } else {
        (text, None)
    };
    Ok(SurfaceReadReply {
        surface_id: id,
        text,
        lines: lines as u64,
        total_lines: window.total_lines as u64,
        eof,
        output_generation: window.generation,
        truncated: truncated || window.older,
        missing: window.missing,
        fence,
        mark: window.mark.to_text(daemon.hub.epoch()),
        untrusted: true,
    })
}

/// What is asked of a surface's text.
struct Wanted<'a> {
    lines: usize,
    offset: usize,
    after: Option<&'a str>,
}

fn read_pane(daemon: &Daemon, pane: &Pane, wanted: &Wanted<'_>) -> Result<Window, RpcError> {
    pane.inspect(|state| {
        let screen = &state.screen;
        let mark = Mark::of_pane(pane.id(), state);
        if let Some(after) = wanted.after {
            let after = Mark::parse_of_pane(after, daemon.hub.epoch(), pane.id(), state)?;
            let found = screen.read_after(pupitre_terminal::Mark {
                generation: after.generation,
                line: after.line,
            });
            let total = screen
                .read(1, 0)
                .map_or(found.lines.len(), |window| window.total_lines);
            let (text, lines) = last_lines(&found.text, found.lines.len(), wanted.lines);
            return Ok(Window {
                text: state.telling(&text),
                lines,
                total_lines: total,
                eof: lines == total,
                missing: found.missing == Missing::Older,
                older: lines < found.lines.len(),
                generation: mark.generation,
                mark,
            });
        }
        let window = screen
            .read(wanted.lines, wanted.offset)
            .map_err(|error| RpcError::new(ErrorKind::InvalidParams, error.to_string()))?;
        Ok(Window {
            text: state.telling(&window.text),
            lines: window.lines,
            total_lines: window.total_lines,
            eof: window.reaches_oldest,
            missing: false,
            older: false,
            generation: mark.generation,
            mark,
        })
    })
}

async fn read_conversation(
    daemon: &Daemon,
    conversation: &ConversationSurface,
    wanted: &Wanted<'_>,
) -> Result<Window, RpcError> {
    let transcript =
        read_transcript(&conversation.handle, &daemon.history, CONVERSATION_MESSAGES_MOST).await?;
    let total_lines = transcript.text.lines().count();
    let mark = conversation_mark(conversation, &transcript);
    let generation = mark.generation;
    if let Some(after) = wanted.after {
        let after = Mark::parse(after, daemon.hub.epoch(), conversation.view.surface_id)?;
        let (text, missing) = transcript.after(after.place);
        let count = text.lines().count();
        let (text, lines) = last_lines(text, count, wanted.lines);
        return Ok(Window {
            text: harmless(&text).into_owned(),
            lines,
            total_lines,
            eof: lines == total_lines && transcript.is_whole,
            missing: missing == crate::surface::Missing::Some,
            older: lines < count,
            generation,
            mark,
        });
    }
    if wanted.offset > 0 && wanted.offset >= total_lines {
        let message = format!(
            "offset {} is past the end: there are {total_lines} lines",
            wanted.offset
        );
        return Err(RpcError::new(ErrorKind::InvalidParams, message));
    }
    let end = total_lines - wanted.offset;
    let begin = end.saturating_sub(wanted.lines);
    let lines: Vec<&str> = transcript.text.lines().skip(begin).take(end - begin).collect();
    Ok(Window {
        text: harmless(&lines.join("\n")).into_owned(),
        lines: lines.len(),
        total_lines,
        eof: begin == 0 && transcript.is_whole,
        missing: false,
        older: false,
        generation,
        mark,
    })
}

fn conversation_mark(conversation: &ConversationSurface, transcript: &Transcript) -> Mark {
    Mark {
        surface: conversation.view.surface_id,
        generation: conversation.view.output_generation,
        state_seq: conversation.view.standing.state_seq,
        place: transcript.place(),
        line: None,
    }
}

/// Returns the last `most` of `count` lines.
fn last_lines(text: &str, count: usize, most: usize) -> (String, usize) {
    if count <= most {
        return (text.to_owned(), count);
    }
    let lines: Vec<&str> = text.lines().skip(count - most).collect();
    (lines.join("\n"), most)
}

/// Keeps the newest text within the limit of an answer. Says whether something was left out, and how many lines.
fn newest(text: String) -> (String, bool, usize) {
    if text.len() <= READ_BYTES {
        return (text, false, 0);
    }
    let begin = text.ceil_char_boundary(text.len() - READ_BYTES);
    // A line that is longer than the limit is cut; otherwise lines stay whole.
    let begin = match text[begin..].find('\n') {
        Some(end) if begin + end + 1 < text.len() => begin + end + 1,
        Some(_) | None => begin,
    };
    let left_out = text[..begin].bytes().filter(|byte| *byte == b'\n').count();
    (text[begin..].to_owned(), true, left_out)
}

pub(super) async fn search(
    daemon: Arc<Daemon>,
    params: SurfaceSearchParams,
) -> Result<SurfaceSearchReply, RpcError> {
    let invalid = |message: String| RpcError::new(ErrorKind::InvalidParams, message);
    let most = params.max.unwrap_or(SURFACE_MATCHES);
    if !(1..=SURFACE_MATCHES_MOST).contains(&most) {
        return Err(invalid(format!(
            "max must be 1 to {SURFACE_MATCHES_MOST}, not {most}"
        )));
    }
    if params.pattern.is_empty() {
        return Err(invalid("the pattern is empty".to_owned()));
    }
    if params.pattern.len() > PATTERN_BYTES {
        return Err(invalid(format!("the pattern is over {PATTERN_BYTES} bytes")));
    }
    let pattern = if params.regex {
        SearchPattern::regex(&params.pattern)
    } else {
        SearchPattern::substring(&params.pattern)
    };
    let pattern = pattern.map_err(|error| invalid(error.to_string()))?;
    let surfaces = match &params.surface {
        Some(selector) => vec![daemon.surfaces.resolve(selector).await?],
        None => daemon.surfaces.all().await?,
    };
    let most = most as usize;
    let mut reply = SurfaceSearchReply {
        matches: Vec::new(),
        total: 0,
        truncated: false,
        fence: daemon.config.held().config.ai_injection_fence,
        untrusted: true,
    };
    let mut bytes = 0;
    for surface in surfaces {
        let (surface_id, surface_name, found, total) = match surface {
            Surface::Pane(pane) => search_pane(&pane, &pattern, most),
            Surface::Conversation(conversation) => {
                search_conversation(&daemon, &conversation, &pattern, most).await?
            }
        };
        reply.total += total as u64;
        for (offset, text) in found {
            bytes += text.len();
            if reply.matches.len() == most || bytes > READ_BYTES {
                break;
            }
            reply.matches.push(SurfaceMatch {
                surface_id,
                surface_name: surface_name.clone(),
                offset: offset as u64,
                text,
            });
        }
    }
    reply.truncated = (reply.matches.len() as u64) < reply.total;
    Ok(reply)
}

/// What was found in one surface: its id and name, the lines with their offsets, and how many there are in all.
type Found = (SurfaceId, String, Vec<(usize, String)>, usize);

fn search_pane(pane: &Pane, pattern: &SearchPattern, most: usize) -> Found {
    pane.inspect(|state| {
        let result = state.screen.search(pattern, most);
        let found = result
            .matches
            .iter()
            .map(|found| (found.offset, state.telling(&reported(&found.text))));
        let name = state.name().as_str().to_owned();
        (pane.id(), name, found.collect(), result.total)
    })
}

async fn search_conversation(
    daemon: &Daemon,
    conversation: &ConversationSurface,
    pattern: &SearchPattern,
    most: usize,
) -> Result<Found, RpcError> {
    let transcript =
        read_transcript(&conversation.handle, &daemon.history, CONVERSATION_MESSAGES_MOST).await?;
    let count = transcript.text.lines().count();
    let mut found: Vec<(usize, String)> = transcript
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| pattern.matches(line))
        .map(|(index, line)| (count - 1 - index, reported(line)))
        .collect();
    let total = found.len();
    found.drain(..total.saturating_sub(most));
    Ok((
        conversation.view.surface_id,
        conversation.view.surface_name.clone(),
        found,
        total,
    ))
}

pub(super) async fn status(daemon: Arc<Daemon>, params: SurfaceParams) -> Result<SurfaceStatus, RpcError> {
    let surface = daemon.surfaces.resolve(&params.surface).await?;
    let epoch = daemon.hub.epoch();
    match surface {
        Surface::Pane(pane) => {
            let (view, mark) = pane.fresh_view_and(|state| Mark::of_pane(pane.id(), state));
            Ok(SurfaceStatus {
                surface_id: view.surface_id,
                surface_name: view.surface_name,
                kind: view.kind,
                waiting_ms: None,
                idle_ms: super::fleet::idle_ms(&view.standing, epoch_ms()),
                output_generation: view.output_generation,
                turn: None,
                mark: mark.to_text(epoch),
                exit_status: view.exit_status,
                standing: view.standing,
            })
        }
        Surface::Conversation(conversation) => {
            let transcript = read_transcript(&conversation.handle, &daemon.history, 1).await?;
            let mark = conversation_mark(&conversation, &transcript).to_text(epoch);
            let view = conversation.view;
            Ok(SurfaceStatus {
                surface_id: view.surface_id,
                surface_name: view.surface_name,
                kind: view.kind,
                standing: view.standing,
                waiting_ms: conversation.waiting_ms,
                idle_ms: conversation.idle_ms,
                output_generation: view.output_generation,
                turn: conversation.turn,
                mark,
                exit_status: None,
            })
        }
    }
}

pub(super) async fn wait(
    daemon: Arc<Daemon>,
    params: SurfaceWaitParams,
) -> Result<SurfaceWaitReply, RpcError> {
    let mut reply = wait_for(&daemon.surfaces, &daemon.history, params).await?;
    reply.fence = daemon.config.held().config.ai_injection_fence;
    Ok(reply)
}

pub(super) async fn explain(
    daemon: Arc<Daemon>,
    params: SurfaceParams,
) -> Result<SurfaceExplainReply, RpcError> {
    let surface = daemon.surfaces.resolve(&params.surface).await?;
    let epoch = daemon.hub.epoch();
    match surface {
        Surface::Pane(pane) => {
            let view = pane.fresh_view();
            Ok(pane.inspect(|state| {
                let foreground = state.foreground();
                let mark = Mark::of_pane(pane.id(), state);
                SurfaceExplainReply {
                    surface_id: view.surface_id,
                    surface_name: view.surface_name,
                    standing: state.standing().clone(),
                    recognised_by: foreground.agent.as_ref().map(|agent| cut(&agent.how)),
                    foreground: foreground
                        .processes
                        .iter()
                        .map(|(pid, command)| ForegroundProcess {
                            pid: *pid,
                            command: cut(&state.telling(command)),
                        })
                        .collect(),
                    status_records: state
                        .told
                        .statuses
                        .iter()
                        .map(|told| status_view(told.at, &told.change, |text| state.telling(text)))
                        .collect(),
                    signals: state
                        .told
                        .signals()
                        .into_iter()
                        .map(|told| SignalView {
                            at: told.at,
                            signal: told.signal.to_owned(),
                            text: state.telling(&told.text),
                        })
                        .collect(),
                    mark: mark.to_text(epoch),
                    untrusted: true,
                }
            }))
        }
        Surface::Conversation(conversation) => {
            let transcript = read_transcript(&conversation.handle, &daemon.history, 1).await?;
            Ok(SurfaceExplainReply {
                surface_id: conversation.view.surface_id,
                surface_name: conversation.view.surface_name.clone(),
                standing: conversation.view.standing.clone(),
                recognised_by: Some("it is an agent of the configuration".to_owned()),
                foreground: Vec::new(),
                status_records: Vec::new(),
                signals: Vec::new(),
                mark: conversation_mark(&conversation, &transcript).to_text(epoch),
                untrusted: true,
            })
        }
    }
}

fn status_view(at: u64, change: &StatusChange, telling: impl Fn(&str) -> String) -> StatusRecordView {
    let text = |text: &str| (!text.is_empty()).then(|| cut(&telling(text)));
    match change {
        StatusChange::Set(record) => {
            let (state, kind) = status_words(record);
            StatusRecordView {
                at,
                id: record.id.as_str().to_owned(),
                state: state.to_owned(),
                kind: kind.map(str::to_owned),
                app: text(&record.app),
                title: text(&record.title),
                message: text(&record.message),
                progress: record.progress,
            }
        }
        StatusChange::Cleared(id) => StatusRecordView {
            at,
            id: id.as_str().to_owned(),
            state: "clear".to_owned(),
            kind: None,
            app: None,
            title: None,
            message: None,
            progress: None,
        },
    }
}

pub(super) async fn seen(daemon: Arc<Daemon>, params: SurfaceParams) -> Result<Empty, RpcError> {
    match daemon.surfaces.resolve(&params.surface).await? {
        // What a pane's agent does is not known yet as finished.
        Surface::Pane(_) => {}
        Surface::Conversation(conversation) => {
            daemon.hub.seen(conversation.handle.name().clone()).await?;
        }
    }
    Ok(Empty {})
}

pub(super) async fn focus(daemon: Arc<Daemon>, params: SurfaceParams) -> Result<SurfaceView, RpcError> {
    match daemon.surfaces.resolve(&params.surface).await? {
        Surface::Pane(pane) => {
            daemon.surfaces.focus(&pane);
            Ok(pane.view())
        }
        Surface::Conversation(conversation) => {
            daemon.hub.seen(conversation.handle.name().clone()).await?;
            Ok(conversation.view)
        }
    }
}

pub(super) async fn rename(
    daemon: Arc<Daemon>,
    params: SurfaceRenameParams,
) -> Result<SurfaceView, RpcError> {
    let pane = daemon.surfaces.resolve(&params.surface).await?.pane("rename")?;
    daemon.surfaces.rename(&pane, &params.name).await?;
    Ok(pane.view())
}

pub(super) async fn resize(
    daemon: Arc<Daemon>,
    params: SurfaceResizeParams,
) -> Result<SurfaceView, RpcError> {
    let pane = daemon.surfaces.resolve(&params.surface).await?.pane("resize")?;
    pane.resize(params.size)?;
    Ok(pane.view())
}

pub(super) async fn close(daemon: Arc<Daemon>, params: SurfaceParams) -> Result<Empty, RpcError> {
    let pane = daemon.surfaces.resolve(&params.surface).await?.pane("close")?;
    daemon.surfaces.close(&pane).await;
    Ok(Empty {})
}

pub(super) async fn input(daemon: Arc<Daemon>, params: SurfaceInputParams) -> Result<Empty, RpcError> {
    let pane = daemon
        .surfaces
        .resolve(&params.surface)
        .await?
        .pane("type into")?;
    let bytes = STANDARD.decode(&params.data).map_err(|error| {
        RpcError::new(
            ErrorKind::InvalidParams,
            format!("the data is no base64: {error}"),
        )
    })?;
    if let Some(size) = params.size {
        pane.resize(size)?;
    }
    pane.input(&without_answers(&bytes))?;
    Ok(Empty {})
}
