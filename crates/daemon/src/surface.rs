//! Surfaces: what can be read, waited on and arranged alike, panes and agents' conversations. The registry of panes and
//! their workspaces, and the meaning of selectors.
//!
//! Panes are held here, conversations by the hub; a selector is resolved over both.

mod arranging;
mod commands;
mod mark;
mod naming;
mod numbers;
mod transcript;
mod wait;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use pupitre_model::pane::name;
use pupitre_model::pane::select::{self, Candidate, Selector};
use pupitre_model::workspace::{NamingError, Workspace, Workspaces};
use pupitre_protocol::limits::PANES;
use pupitre_protocol::surface::{PaneSize, SurfaceClosed, SurfaceCreateParams, SurfaceView};
use pupitre_protocol::workspace::{Direction, WorkspacesChanged};
use pupitre_protocol::{AgentName, ErrorKind, Event, RpcError, SurfaceId, WorkspaceId};
use tokio::sync::mpsc;

use crate::clock::epoch_ms;
use crate::hub::{ConversationSurface, HubHandle, UnitEvent};
use crate::pane::{NewPane, Pane, PaneName, PaneProgram, PlaceOf, Wanted};
use crate::process::World;

pub(crate) use commands::CommandName;
pub(crate) use mark::Mark;
pub(crate) use numbers::Numbers;
pub(crate) use transcript::{Missing, Transcript, read_transcript};
pub(crate) use wait::wait;

/// The first size of a pane that nobody looks at.
const FIRST_SIZE: PaneSize = PaneSize {
    columns: 80,
    rows: 24,
};

/// The registry. Cloning shares it.
#[derive(Clone)]
pub(crate) struct Surfaces {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Mutex<Registry>,
    numbers: Arc<Mutex<Numbers>>,
    hub: HubHandle,
    world: World,
    home: PathBuf,
    socket: PathBuf,
    /// What happens in the registry, in its order, on the way to the hub.
    happened: mpsc::UnboundedSender<Event>,
    /// Panes whose program in the foreground changed, and what they should be called.
    renames: mpsc::UnboundedSender<NameWish>,
}

#[derive(Default)]
struct Registry {
    panes: BTreeMap<SurfaceId, Pane>,
    workspaces: Workspaces,
    /// Where agents' commands run; one of them may be closed since.
    of_agents: HashMap<AgentName, WorkspaceId>,
    /// How many panes are being started.
    starting: usize,
    /// The names that those will have.
    reserved: Vec<String>,
    is_closing: bool,
}

/// A pane without a given name whose program changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameWish {
    pub(crate) surface: SurfaceId,
    /// What the program is called.
    pub(crate) name: String,
}

/// What a selector means.
#[derive(Clone)]
pub(crate) enum Surface {
    Pane(Pane),
    Conversation(Box<ConversationSurface>),
}

impl std::fmt::Debug for Surfaces {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Surfaces")
    }
}

impl Surface {
    pub(crate) fn id(&self) -> SurfaceId {
        match self {
            Self::Pane(pane) => pane.id(),
            Self::Conversation(conversation) => conversation.view.surface_id,
        }
    }

    /// Returns the pane, or says that the verb makes no sense for a conversation.
    ///
    /// # Errors
    ///
    /// `not_supported` for a conversation.
    pub(crate) fn pane(self, verb: &str) -> Result<Pane, RpcError> {
        match self {
            Self::Pane(pane) => Ok(pane),
            Self::Conversation(conversation) => {
                let message = format!(
                    "{} is the conversation of an agent, not a pane: there is nothing to {verb}",
                    conversation.view.surface_name
                );
                Err(RpcError::new(ErrorKind::NotSupported, message))
            }
        }
    }
}

/// What the registry is made with.
pub(crate) struct SurfacesWorld {
    pub(crate) hub: HubHandle,
    pub(crate) world: World,
    pub(crate) numbers: Arc<Mutex<Numbers>>,
    pub(crate) home: PathBuf,
    pub(crate) socket: PathBuf,
}

impl Surfaces {
    /// Returns an empty registry, whose news go to the hub.
    pub(crate) fn new(world: SurfacesWorld) -> Self {
        let SurfacesWorld {
            hub,
            world,
            numbers,
            home,
            socket,
        } = world;
        let (happened, mut happened_out) = mpsc::unbounded_channel();
        let (renames, mut wishes) = mpsc::unbounded_channel::<NameWish>();
        let events = hub.events();
        let tasks = world.tasks.clone();
        let surfaces = Self {
            inner: Arc::new(Inner {
                registry: Mutex::default(),
                numbers,
                hub,
                world,
                home,
                socket,
                happened,
                renames,
            }),
        };
        tasks.spawn(async move {
            while let Some(event) = happened_out.recv().await {
                // The hub is gone only when the daemon ends.
                events.send(UnitEvent::Publish(event)).await.ok();
            }
        });
        let registry = Arc::downgrade(&surfaces.inner);
        tasks.spawn(async move {
            while let Some(wish) = wishes.recv().await {
                let Some(inner) = registry.upgrade() else { return };
                Self { inner }.grant(wish).await;
            }
        });
        surfaces
    }

    pub(crate) fn hub(&self) -> &HubHandle {
        &self.inner.hub
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.inner
            .registry
            .lock()
            .expect("nothing panics while it holds the registry")
    }

    fn number(&self) -> Result<u64, RpcError> {
        let number = self
            .inner
            .numbers
            .lock()
            .expect("nothing panics while it holds the numbers")
            .next();
        number.map_err(|error| {
            let message = format!("a number for it cannot be kept, so none is given: {error}");
            RpcError::new(ErrorKind::Internal, message)
        })
    }

    /// Returns every pane, in the order of workspaces and layouts.
    pub(crate) fn panes(&self) -> Vec<Pane> {
        let registry = self.lock();
        let order = registry.workspaces.order();
        order
            .iter()
            .filter_map(|id| registry.panes.get(id).cloned())
            .collect()
    }

    /// Returns every surface: panes, then conversations.
    pub(crate) async fn all(&self) -> Result<Vec<Surface>, RpcError> {
        let panes = self.panes().into_iter().map(Surface::Pane);
        let conversations = self.inner.hub.conversations().await?;
        Ok(panes
            .chain(
                conversations
                    .into_iter()
                    .map(|conversation| Surface::Conversation(Box::new(conversation))),
            )
            .collect())
    }

    /// Returns what lists show: panes, then conversations.
    ///
    /// # Errors
    ///
    /// `not_found` when there is no such workspace.
    pub(crate) async fn list(&self, workspace: Option<WorkspaceId>) -> Result<Vec<SurfaceView>, RpcError> {
        if let Some(workspace) = workspace {
            self.lock().workspaces.resolve(&workspace.to_string())?;
        }
        let panes = self.panes().into_iter().map(|pane| pane.fresh_view());
        let conversations = self.inner.hub.conversations().await?;
        let conversations = conversations.into_iter().map(|conversation| conversation.view);
        let is_wanted = |view: &SurfaceView| workspace.is_none() || view.workspace == workspace;
        Ok(panes.chain(conversations).filter(is_wanted).collect())
    }

    /// Returns the one surface that a selector means.
    ///
    /// # Errors
    ///
    /// `not_found` or `ambiguous`, with the candidates.
    pub(crate) async fn resolve(&self, selector: &str) -> Result<Surface, RpcError> {
        // An id means one surface, whatever the others are: a key or a status need not wait for all of them.
        if let Selector::Id(id) = Selector::parse(selector)
            && let Some(pane) = self.lock().panes.get(&id)
        {
            return Ok(Surface::Pane(pane.clone()));
        }
        let mut found = self
            .resolve_with(&[selector.to_owned()], |selectors, candidates| {
                select::one(&selectors[0], candidates).map(|place| vec![place])
            })
            .await?;
        Ok(found.pop().expect("one was found"))
    }

    /// Returns the surfaces that these selectors mean, each once.
    ///
    /// # Errors
    ///
    /// `not_found`, with the candidates, when one of them means nothing.
    pub(crate) async fn resolve_several(&self, selectors: &[String]) -> Result<Vec<Surface>, RpcError> {
        self.resolve_with(selectors, select::several).await
    }

    async fn resolve_with(
        &self,
        selectors: &[String],
        choose: impl FnOnce(&[String], &[Candidate<'_>]) -> Result<Vec<usize>, RpcError>,
    ) -> Result<Vec<Surface>, RpcError> {
        let conversations = self.inner.hub.conversations().await?;
        let panes = self.panes();
        let looks = selectors
            .iter()
            .any(|selector| Selector::parse(selector).needs_processes());
        let views: Vec<SurfaceView> = panes
            .iter()
            .map(|pane| if looks { pane.fresh_view() } else { pane.view() })
            .chain(conversations.iter().map(|conversation| conversation.view.clone()))
            .collect();
        let candidates: Vec<Candidate<'_>> = views
            .iter()
            .map(|view| Candidate {
                id: view.surface_id,
                name: &view.surface_name,
                command: view.command.as_deref(),
                cwd: view.cwd.as_deref(),
            })
            .collect();
        let places = choose(selectors, &candidates)?;
        let all: Vec<Surface> = panes
            .into_iter()
            .map(Surface::Pane)
            .chain(
                conversations
                    .into_iter()
                    .map(|conversation| Surface::Conversation(Box::new(conversation))),
            )
            .collect();
        Ok(places.into_iter().map(|place| all[place].clone()).collect())
    }

    /// Makes a pane and starts its program.
    ///
    /// # Errors
    ///
    /// When a parameter is wrong, the limit is reached or the program cannot be started; then nothing is made.
    pub(crate) async fn create(
        &self,
        params: SurfaceCreateParams,
        place: PanePlace,
    ) -> Result<SurfaceView, RpcError> {
        let SurfaceCreateParams {
            command,
            agent,
            name,
            cwd,
            env,
            workspace,
            size,
        } = params;
        let invalid = |message: String| RpcError::new(ErrorKind::InvalidParams, message);
        let command = match (command.as_slice(), agent) {
            ([], Some(agent)) => vec![agent],
            ([_, ..], Some(_)) => {
                return Err(invalid("give a command or an agent, not both".to_owned()));
            }
            (_, None) => command,
        };
        if let Some(name) = &name {
            name::check(name).map_err(|error| invalid(error.to_string()).with_cause(error.cause()))?;
        }
        let mut starting = self.begin_start()?;
        let id = SurfaceId(self.number()?);
        let workspace = self.workspace_for(workspace, &place)?;
        let program = PaneProgram::find(&Wanted {
            command: &command,
            cwd: cwd.as_deref(),
            env: &env,
            place: PlaceOf {
                surface: id,
                workspace,
                socket: &self.inner.socket,
            },
            home: &self.inner.home,
        })
        .map_err(|error| RpcError::new(ErrorKind::FileError, error.to_string()).with_cause(error.cause()))?;
        let agents = self.agent_names().await?;
        let name = match name {
            Some(name) => {
                let mut registry = self.lock();
                registry.free_name(&name, None, &agents)?;
                starting.reserve(&mut registry, &name);
                PaneName::Given(name)
            }
            None => self.derive_name(&program, &mut starting, &agents),
        };
        let new = NewPane {
            id,
            workspace,
            name,
            program,
            agent: None,
            size: size.unwrap_or(FIRST_SIZE),
            created_at: epoch_ms(),
        };
        let pane = self.start(new).await?;
        self.admit(pane, workspace, place).await
    }

    /// Makes up a name for a pane that is being started.
    fn derive_name(&self, program: &PaneProgram, starting: &mut Starting, agents: &[AgentName]) -> PaneName {
        let wanted = name::derived(&program.command_line());
        let mut registry = self.lock();
        let name = registry.unique_name(&wanted, None, agents);
        starting.reserve(&mut registry, &name);
        PaneName::Derived(name)
    }

    async fn start(&self, new: NewPane) -> Result<Pane, RpcError> {
        let happened = self.inner.happened.clone();
        Pane::start(&self.inner.world, new, happened, self.inner.renames.clone()).await
    }

    /// Puts a pane that runs into its place.
    async fn admit(
        &self,
        pane: Pane,
        workspace: WorkspaceId,
        place: PanePlace,
    ) -> Result<SurfaceView, RpcError> {
        let placed = {
            let mut registry = self.lock();
            if registry.is_closing {
                Err(shutting_down())
            } else {
                let put = match place {
                    PanePlace::InWorkspace => registry.workspaces.add(Some(workspace), pane.id()),
                    PanePlace::Beside { surface, direction } => {
                        registry.workspaces.split(surface, direction, pane.id())
                    }
                };
                put.map_err(|error| RpcError::new(ErrorKind::NotFound, error.to_string()))
                    .map(|workspace| {
                        pane.set_workspace(workspace);
                        // What is made elsewhere does not take the person there.
                        if registry.workspaces.current().map(Workspace::id) == Some(workspace) {
                            registry.workspaces.focus(pane.id());
                        }
                        registry.panes.insert(pane.id(), pane.clone());
                        let view = pane.admit(|view| self.tell(Event::SurfaceOpened(view)));
                        self.tell_workspaces(&registry);
                        view
                    })
            }
        };
        if placed.is_err() {
            // Its place is gone since: nothing of it may stay.
            pane.close().await;
        }
        placed
    }

    fn begin_start(&self) -> Result<Starting, RpcError> {
        let mut registry = self.lock();
        if registry.is_closing {
            return Err(shutting_down());
        }
        if registry.panes.len() + registry.starting >= PANES {
            let message = format!("{PANES} panes are open, which is the limit: close one");
            return Err(RpcError::new(ErrorKind::TooManySurfaces, message));
        }
        registry.starting += 1;
        drop(registry);
        Ok(Starting {
            surfaces: self.clone(),
            name: None,
        })
    }

    /// Returns the workspace of a new pane, made if there is none yet.
    fn workspace_for(&self, wanted: Option<WorkspaceId>, place: &PanePlace) -> Result<WorkspaceId, RpcError> {
        let mut registry = self.lock();
        let known = match place {
            PanePlace::Beside { surface, .. } => registry.workspaces.of(*surface),
            PanePlace::InWorkspace => match wanted {
                Some(wanted) => Some(registry.workspaces.resolve(&wanted.to_string())?),
                None => registry.workspaces.current().map(Workspace::id),
            },
        };
        if let Some(known) = known {
            return Ok(known);
        }
        drop(registry);
        let id = WorkspaceId(self.number()?);
        registry = self.lock();
        // Another pane may have made one meanwhile.
        if let Some(current) = registry.workspaces.current() {
            return Ok(current.id());
        }
        registry
            .workspaces
            .create(id, None)
            .map_err(|error| not_named(&error))?;
        self.tell_workspaces(&registry);
        Ok(id)
    }

    /// Closes a pane; answers when nothing of it is left.
    pub(crate) async fn close(&self, pane: &Pane) {
        pane.close().await;
        let mut registry = self.lock();
        if registry.panes.remove(&pane.id()).is_some() {
            let workspace = registry.workspaces.remove(pane.id());
            self.tell(Event::SurfaceClosed(SurfaceClosed {
                surface_id: pane.id(),
                surface_name: pane.inspect(|state| state.name().as_str().to_owned()),
                workspace,
            }));
            self.tell_workspaces(&registry);
        }
    }

    /// Closes every pane, side by side, and makes no more.
    pub(crate) async fn drain(&self) {
        let panes: Vec<Pane> = {
            let mut registry = self.lock();
            registry.is_closing = true;
            registry.panes.values().cloned().collect()
        };
        self.close_all(panes).await;
    }

    async fn close_all(&self, panes: Vec<Pane>) {
        let closes: Vec<_> = panes
            .into_iter()
            .map(|pane| {
                let surfaces = self.clone();
                self.inner
                    .world
                    .tasks
                    .spawn(async move { surfaces.close(&pane).await })
            })
            .collect();
        for close in closes {
            if let Err(error) = close.await {
                tracing::error!(%error, "a pane could not be closed");
            }
        }
    }

    fn tell_workspaces(&self, registry: &Registry) {
        self.tell(Event::WorkspacesChanged(WorkspacesChanged {
            workspaces: registry.workspaces.views(),
        }));
    }

    fn tell(&self, event: Event) {
        // Nobody listens any more when the daemon ends.
        self.inner.happened.send(event).ok();
    }
}

/// Where a new pane goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PanePlace {
    InWorkspace,
    /// It takes half of the place of another.
    Beside {
        surface: SurfaceId,
        direction: Direction,
    },
}

/// A pane that is being started, as long as this lives.
struct Starting {
    surfaces: Surfaces,
    /// The name that is kept for it.
    name: Option<String>,
}

impl Starting {
    fn reserve(&mut self, registry: &mut Registry, name: &str) {
        registry.reserved.push(name.to_owned());
        self.name = Some(name.to_owned());
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        let mut registry = self.surfaces.lock();
        registry.starting -= 1;
        if let Some(name) = &self.name
            && let Some(place) = registry.reserved.iter().position(|reserved| reserved == name)
        {
            registry.reserved.swap_remove(place);
        }
    }
}

/// Returns why a workspace was not made, or is called as before.
fn not_named(error: &NamingError) -> RpcError {
    RpcError::new(ErrorKind::InvalidParams, error.to_string()).with_cause(error.cause())
}

fn shutting_down() -> RpcError {
    RpcError::new(ErrorKind::ShuttingDown, "the daemon is shutting down")
}
