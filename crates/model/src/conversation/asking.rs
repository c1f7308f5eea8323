//! What an agent asks of its user in a turn: permissions, questions, a login.

use pupitre_protocol::conversation::{
    Elicitation, ElicitationOutcome, Login, Part, Permission, PermissionOption, PermissionOutcome, Role,
    SystemCode, ToolCall, ToolStatus, Wanted,
};
use pupitre_protocol::{ElicitationId, PermissionId};

use super::{Change, Conversation, Stage, Stamps, ToolPatch, clip};

/// The most permission requests of one conversation that may be open at once.
const OPEN_PERMISSIONS: usize = 32;
/// The most questions of one conversation that may be open at once.
const OPEN_ELICITATIONS: usize = 8;

impl Conversation {
    /// Takes in a permission request. `None` when it cannot be asked: too many are open, or Stop was pressed.
    pub fn ask(
        &mut self,
        patch: ToolPatch,
        mut options: Vec<PermissionOption>,
        stamps: &mut dyn Stamps,
    ) -> Option<PermissionId> {
        if self.is_stopping() {
            return None;
        }
        if self.permissions.len() >= OPEN_PERMISSIONS {
            self.note_refused(stamps);
            return None;
        }
        self.forget_tool_of_earlier_turn(&patch.id);
        let (message_id, index) = self.take_tool(patch, stamps)?;
        let Part::Tool { tool } = self.held(message_id)?.message.parts.get(index)? else {
            return None;
        };
        clip::permission_options(&mut options);
        let permission = Permission {
            id: PermissionId(stamps.new_id()),
            agent: self.agent.clone(),
            conversation: self.id,
            message_id,
            tool_call: clip::asked(tool, self.permissions.len()),
            options,
            rejections: self.rejections,
            created_at: stamps.now_ms(),
        };
        let id = permission.id;
        self.permissions.push(permission.clone());
        self.record(Change::Asked(Box::new(permission)));
        Some(id)
    }

    /// Ends an open permission request; does nothing when it is not open.
    pub fn resolve(&mut self, id: PermissionId, outcome: PermissionOutcome) {
        let Some(place) = self.permissions.iter().position(|permission| permission.id == id) else {
            return;
        };
        let permission = self.permissions.remove(place);
        self.keep_answer(&permission, &outcome);
        let refused = match &outcome {
            PermissionOutcome::Selected { option_id, .. } => permission
                .options
                .iter()
                .any(|option| option.option_id == *option_id && option.kind.starts_with("reject")),
            PermissionOutcome::Dismissed { .. } => true,
            PermissionOutcome::Cancelled | PermissionOutcome::Withdrawn => false,
        };
        self.rejections += u32::from(refused);
        self.record(Change::Resolved { id, outcome });
    }

    pub(super) fn resolve_all(&mut self, outcome: &PermissionOutcome) -> Vec<PermissionId> {
        let ids: Vec<PermissionId> = self.permissions.iter().map(|permission| permission.id).collect();
        for id in &ids {
            self.resolve(*id, outcome.clone());
        }
        ids
    }

    /// Shows at the tool call how its request ended.
    fn keep_answer(&mut self, permission: &Permission, outcome: &PermissionOutcome) {
        let Some((message, index)) = self.tool_place(&permission.tool_call.id) else {
            return;
        };
        let Some(Part::Tool { tool }) = self.held(message).and_then(|held| held.message.parts.get(index))
        else {
            return;
        };
        let tool = ToolCall {
            permission: Some(outcome.clone()),
            ..tool.clone()
        };
        self.put(message, index, Part::Tool { tool });
    }

    /// Takes in a question to the user. `None` when it cannot be asked: too many are open, or Stop was pressed.
    pub fn elicit(&mut self, message: &str, wants: Wanted, stamps: &mut dyn Stamps) -> Option<ElicitationId> {
        if self.is_stopping() {
            return None;
        }
        if self.elicitations.len() >= OPEN_ELICITATIONS {
            self.note_refused(stamps);
            return None;
        }
        let elicitation = Elicitation {
            id: ElicitationId(stamps.new_id()),
            agent: self.agent.clone(),
            conversation: self.id,
            message: clip::label(message, clip::REASON_BYTES).into_owned(),
            wants,
            created_at: stamps.now_ms(),
        };
        let id = elicitation.id;
        self.elicitations.push(elicitation.clone());
        self.record(Change::Elicited(Box::new(elicitation)));
        Some(id)
    }

    /// Says whether the running turn was asked to end: nothing is asked in it any more.
    fn is_stopping(&self) -> bool {
        self.turn.is_some_and(|turn| turn.stage != Stage::Answering)
    }

    /// Says, once a turn, that the agent asked for more at once than may be open.
    fn note_refused(&mut self, stamps: &mut dyn Stamps) {
        if !std::mem::replace(&mut self.refusal_told, true) {
            let mut message = self.draft(Role::System, stamps);
            message.turn = self.turn();
            message.code = Some(SystemCode::TooManyRequests);
            self.add(message);
        }
    }

    /// Returns an open question.
    pub fn elicitation(&self, id: ElicitationId) -> Option<&Elicitation> {
        self.elicitations.iter().find(|open| open.id == id)
    }

    /// Returns the open questions, oldest first.
    pub fn elicitations(&self) -> &[Elicitation] {
        &self.elicitations
    }

    /// Ends an open question; does nothing when it is not open.
    pub fn resolve_elicitation(&mut self, id: ElicitationId, outcome: ElicitationOutcome) {
        if let Some(place) = self.elicitations.iter().position(|open| open.id == id) {
            self.elicitations.remove(place);
            self.record(Change::ElicitationResolved { id, outcome });
        }
    }

    pub(super) fn resolve_elicitations(&mut self, outcome: ElicitationOutcome) -> Vec<ElicitationId> {
        let ids: Vec<ElicitationId> = self.elicitations.iter().map(|open| open.id).collect();
        for id in &ids {
            self.resolve_elicitation(*id, outcome);
        }
        ids
    }

    /// Ends everything that the agent asked, since nobody waits for the answers.
    pub fn withdraw_asked(&mut self) {
        self.resolve_all(&PermissionOutcome::Withdrawn);
        self.resolve_elicitations(ElicitationOutcome::Withdrawn);
    }

    /// The running turn waits until the user has logged in.
    pub fn want_login(&mut self, login: Login) {
        if self.turn.is_some() {
            // What it said before it wanted the login is a message of its own.
            self.close_target();
            self.login = Some(Login {
                message: clip::label(&login.message, clip::REASON_BYTES).into_owned(),
                methods: login.methods,
            });
            self.record_turn();
        }
    }

    /// Returns what the running turn waits for, when that is a login.
    pub fn login(&self) -> Option<&Login> {
        self.login.as_ref()
    }

    /// The user has logged in: the turn goes on.
    pub fn login_done(&mut self) {
        if self.login.take().is_some() {
            self.record_turn();
        }
    }

    /// Says whether a tool call of the running turn is under way: its silence says nothing of the agent.
    pub fn has_running_tool(&self) -> bool {
        let turn = self.turn();
        let newest = self
            .held
            .iter()
            .rev()
            .take_while(|held| held.message.turn == turn);
        let mut parts = newest.flat_map(|held| &held.message.parts);
        parts.any(|part| matches!(part, Part::Tool { tool } if tool.status == ToolStatus::InProgress))
    }

    /// Says whether the running turn waits for its user.
    pub(super) fn waits_for_person(&self) -> bool {
        !self.permissions.is_empty() || !self.elicitations.is_empty() || self.login.is_some()
    }
}
