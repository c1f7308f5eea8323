//! The daemon from its start to its end: Running, Draining (every agent stopped side by side), Closing.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pupitre_model::config::{AgentDefinition, History as Keeping};
use pupitre_model::conversation::{Conversation, Stamps};
use pupitre_model::fleet::signature::Signatures;
use pupitre_protocol::agent::{AgentState, AgentView};
use pupitre_protocol::{Cause, Epoch};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::agent::{AgentContext, AgentRequest, AgentTask};
use crate::clock::{SystemStamps, epoch_ms};
use crate::configuration::{
    Agents, ConfigTask, ConfigurationError, Held, Loaded, Machine, Surroundings, discover,
};
use crate::history::{History, HistoryError, HistoryWorker, Place};
use crate::http::Page;
use crate::hub::{self, BegunAgent, HubHandle, UnitEvent};
use crate::process::{Guards, World};
use crate::rpc::{About, ConnectionCount, Daemon, ListenError, Listener, Router, Shutdown};
use crate::surface::{Numbers, Surfaces, SurfacesWorld};
use crate::tasks::Tasks;
use crate::{Options, logging};

/// Why the daemon did not start, or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error("{0}")]
    Listen(String),
    #[error(
        "another daemon keeps its conversations in {}: stop it, or give this one another XDG_STATE_HOME", folder.display()
    )]
    StateInUse { folder: PathBuf },
    #[error("the history: {0}")]
    History(String),
    #[error("{what}: {source}")]
    System { what: &'static str, source: io::Error },
}

impl From<ListenError> for ServeError {
    fn from(error: ListenError) -> Self {
        Self::Listen(error.to_string())
    }
}

impl From<HistoryError> for ServeError {
    fn from(error: HistoryError) -> Self {
        Self::History(error.to_string())
    }
}

impl From<BeginError> for ServeError {
    fn from(error: BeginError) -> Self {
        match error {
            BeginError::History(error) => error.into(),
            BeginError::Number(source) => Self::System {
                what: "the number of a surface cannot be kept",
                source,
            },
        }
    }
}

/// Why an agent cannot be begun.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BeginError {
    #[error("the history: {0}")]
    History(#[from] HistoryError),
    #[error("the number of its surface cannot be kept: {0}")]
    Number(#[from] io::Error),
}

/// How long connections may take to write their last answers.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// The file beside the configuration that names more terminal agents.
const SIGNATURES_FILE: &str = "terminal-agents.toml";

/// How often it is looked whether another daemon has let go of the state folder.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Runs the daemon until it is asked to end, by `system.shutdown`, SIGINT or SIGTERM.
///
/// # Errors
///
/// When it cannot start: the configuration, the socket or the history cannot be had.
pub fn serve(options: Options) -> Result<(), ServeError> {
    let system = |what| move |source| ServeError::System { what, source };
    // What the daemon writes is for its user alone.
    let umask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    DirBuilder::new()
        .mode(0o700)
        .recursive(true)
        .create(&options.state_folder)
        .map_err(system("the state folder cannot be made"))?;
    raise_file_limit();
    crate::process::adopt_orphans().map_err(system("orphans cannot be adopted"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(system("the runtime cannot be started"))?;
    let outcome = runtime.block_on(run(options, umask));
    // Reading a slow file for an agent cannot be broken off, and is worth nothing any more.
    runtime.shutdown_timeout(LAST_ANSWERS);
    outcome
}

async fn run(options: Options, umask: rustix::fs::Mode) -> Result<(), ServeError> {
    let system = |what| move |source| ServeError::System { what, source };
    // The socket comes first: whoever loses the race for it has touched nothing else.
    let listener = Listener::bind(&options.socket)?;
    let _state = lock_state(&options.state_folder).await?;
    let log_path =
        logging::begin(&options.state_folder, options.log_to).map_err(system("the log cannot be written"))?;
    let machine = Machine {
        executable: options.executable.clone(),
        home: options.home.clone(),
        running: None,
    };
    let loaded = Loaded::load(discover(&options.config, &options.state_folder), &machine)?;
    let held = loaded.held();
    if let Some(error) = held.error() {
        tracing::error!(path = %held.path.display(), error, "the configuration is not valid; there is no agent");
    }
    let (history, worker) = open_history(&held, options.state_folder.join("history.db"))?;
    let worker =
        Tasks::thread("history", || worker.run()).map_err(system("the history cannot be started"))?;

    let (page, page_listener) = Page::open(&options.state_folder, options.port.unwrap_or(held.config.port))
        .await
        .map_err(system("the state folder cannot be used for the page"))?;

    let home = options.home.clone();
    let tasks = Tasks::default();
    let epoch = Epoch(SystemStamps.new_id().simple().to_string());
    let (hub, inbox) = hub::channel(epoch);
    let guards = Guards::new(signatures(&held.canonical));
    let numbers = Arc::new(Mutex::new(Numbers::open(&options.state_folder)));
    let world = World {
        executable: options.executable,
        tasks: tasks.clone(),
        guards: guards.clone(),
        umask,
    };
    let surfaces = Surfaces::new(SurfacesWorld {
        hub: hub.clone(),
        world: world.clone(),
        numbers: Arc::clone(&numbers),
        home: options.home.clone(),
        socket: options.socket.clone(),
    });
    let context = Arc::new(AgentContext {
        world,
        history: history.clone(),
        events: hub.events(),
        trace_followers: hub.trace_followers(),
        home: options.home,
        config: held.canonical.display().to_string(),
        version: options.version,
        idle_stop: held.config.limits.idle_stop,
        stall_after_ms: held.config.limits.stall_after_ms,
        numbers,
        surfaces: surfaces.clone(),
    });
    let mut agents = Vec::new();
    for definition in &held.config.agents {
        agents.push(begin_agent(&context, definition).await?);
    }
    let handles = agents
        .iter()
        .map(|begun: &BegunAgent| begun.handle.clone())
        .collect();
    let most_running = held.config.limits.running_agents;
    tasks.spawn(inbox.into_hub(agents, most_running, held.error()).run());
    let (config, config_task) = ConfigTask::new(
        loaded,
        Surroundings {
            machine,
            agents: Agents::new(hub.clone(), context, handles, held.config.limits),
            events: hub.events(),
            tasks: tasks.clone(),
            state_folder: options.state_folder,
        },
    );
    tasks.spawn(config_task.run());

    let daemon = Arc::new(Daemon {
        hub: hub.clone(),
        history: history.clone(),
        tasks: tasks.clone(),
        guards,
        surfaces: surfaces.clone(),
        config,
        about: About {
            version: options.version,
            started_at: epoch_ms(),
            log_path,
            home,
        },
        page: Arc::new(page),
        shutdown: Shutdown::default(),
        connections: ConnectionCount::default(),
    });
    let mut signals = Signals::new().map_err(system("signals cannot be awaited"))?;
    let router = Arc::new(Router::new());
    page_listener.run(&daemon, &router);
    tasks.spawn(listener.run(Arc::clone(&daemon), router));
    tracing::info!(socket = %options.socket.display(), version = options.version, "ready");
    (options.ready)();

    let mut asked = daemon.shutdown.asked.subscribe();
    tokio::select! {
        _ = asked.wait_for(|asked| *asked) => {}
        () = signals.next() => {}
    }
    tracing::info!("stopping every agent and closing every pane");
    tokio::select! {
        () = drain(&hub, &surfaces, &history) => {}
        () = signals.next() => tracing::warn!("asked a second time: not waiting any longer; the guards end what is left"),
    }
    daemon.shutdown.drained.send_replace(true);
    drop((daemon, surfaces));
    close(tasks, history, hub, worker).await;
    Ok(())
}

/// Takes the state folder for this daemon: two that write the same history would tell each other's answers as cut off.
/// One that is just ending is waited for.
async fn lock_state(folder: &Path) -> Result<File, ServeError> {
    let system = |source| ServeError::System {
        what: "the state folder cannot be locked",
        source,
    };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = options.open(folder.join("daemon.lock")).map_err(system)?;
    let deadline = tokio::time::Instant::now() + LAST_ANSWERS * 3;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if tokio::time::Instant::now() < deadline => {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            Err(TryLockError::WouldBlock) => {
                let folder = folder.to_owned();
                return Err(ServeError::StateInUse { folder });
            }
            Err(TryLockError::Error(source)) => return Err(system(source)),
        }
    }
}

/// Begins the task of an agent, with the conversation that it had.
pub(crate) async fn begin_agent(
    context: &Arc<AgentContext>,
    definition: &AgentDefinition,
) -> Result<BegunAgent, BeginError> {
    let surface = context
        .numbers
        .lock()
        .expect("nothing panics while it holds the numbers")
        .of_agent(&context.config, &definition.name)?;
    let stored = context
        .history
        .current(context.config.clone(), definition.name.clone())
        .await?;
    let conversation = stored.map(|found| {
        (
            Conversation::restore(found.stored, &mut SystemStamps),
            found.session,
        )
    });
    let view = hub::resting_view(definition);
    let (handle, task) = AgentTask::new(Arc::clone(context), definition.clone(), conversation);
    let tasks = &context.world.tasks;
    let running = tasks.spawn(task.run());
    tasks.spawn(watch_over(running, view.clone(), context.events.clone()));
    Ok(BegunAgent {
        view,
        handle,
        surface,
    })
}

/// A panic in an agent's task makes that agent fail and nobody else.
async fn watch_over(
    running: tokio::task::JoinHandle<()>,
    view: AgentView,
    events: tokio::sync::mpsc::Sender<UnitEvent>,
) {
    let Err(error) = running.await else { return };
    tracing::error!(agent = %view.name, %error, "the agent's task failed");
    let error = Some("its task in the daemon failed; restart the daemon, and see its log".to_owned());
    let failed = AgentView {
        state: AgentState::Error,
        error,
        cause: Some(Cause::TaskFailed),
        ..view
    };
    let left = UnitEvent::LeaveRoom(failed.name.clone());
    for event in [UnitEvent::Agent(Box::new(failed)), left] {
        // The hub is gone only when the daemon ends.
        events.send(event).await.ok();
    }
}

/// Returns how agents in panes are recognised: as it is built in, and as a file beside the configuration adds.
fn signatures(config: &Path) -> Signatures {
    let file = config.with_file_name(SIGNATURES_FILE);
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::error!(path = %file.display(), %error, "the file of more agents cannot be read");
            }
            return Signatures::built_in();
        }
    };
    Signatures::with_more(&text).unwrap_or_else(|error| {
        tracing::error!(path = %file.display(), %error, "the file of more agents is not used");
        Signatures::built_in()
    })
}

fn open_history(held: &Held, file: PathBuf) -> Result<(History, HistoryWorker), HistoryError> {
    History::open(match held.config.history {
        Keeping::OnDisk => Place::File(file),
        Keeping::InMemory => Place::Memory,
    })
}

/// Stops every agent and closes every pane side by side, so that all of them together take no longer than the slowest.
async fn drain(hub: &HubHandle, surfaces: &Surfaces, history: &History) {
    let agents = hub.drain().await.unwrap_or_default();
    let tasks = Tasks::default();
    let surfaces = surfaces.clone();
    tasks.spawn(async move { surfaces.drain().await });
    for agent in agents {
        tasks.spawn(async move {
            if let Err(error) = agent.ask(AgentRequest::Stop).await {
                tracing::error!(agent = %agent.name(), %error, "the agent could not be stopped");
            }
        });
    }
    tasks.ended().await;
    if let Err(error) = history.flush().await {
        tracing::error!(%error, "the last of the conversations could not be written");
    }
}

async fn close(tasks: Tasks, history: History, hub: HubHandle, worker: std::thread::JoinHandle<()>) {
    // The answers that are under way get a moment; connections end with their clients or with this word.
    tokio::task::yield_now().await;
    tasks.closing.cancel();
    drop(hub);
    if tokio::time::timeout(LAST_ANSWERS, tasks.ended()).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
    drop(history);
    let ended = tokio::task::spawn_blocking(move || worker.join());
    if tokio::time::timeout(LAST_ANSWERS, ended).await.is_err() {
        tracing::error!("the history did not end in time");
    }
    tracing::info!("ended");
}

/// Lets as many connections be open as the limits name, where the system allows it.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}

/// SIGINT and SIGTERM.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
