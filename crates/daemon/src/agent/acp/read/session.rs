//! What a session can be set to: its modes and options, as the answers to `session/new`, `session/load`,
//! `session/resume` and `session/set_config_option` tell them, and the updates about them.

use agent_client_protocol_schema::v1::SessionMode;
use pupitre_protocol::conversation::{ConfigChoice, ConfigOption, Mode, Modes};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::values::{Values, object};

/// The settings of a session that an answer told; `None` where it said nothing.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct SessionSettings {
    pub(crate) modes: Option<Modes>,
    pub(crate) config_options: Option<Vec<ConfigOption>>,
    /// Values that were not understood and left out, each with a short reason.
    pub(crate) skipped: Vec<String>,
}

/// Why an answer to `session/new` opens no session.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum NewSessionError {
    #[error("its answer to session/new cannot be read: {reason}")]
    Unreadable { reason: String },
    #[error("its answer to session/new names no session")]
    NoSessionId,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SettingsMembers<'a> {
    #[serde(borrow)]
    session_id: Option<&'a RawValue>,
    #[serde(borrow)]
    modes: Option<&'a RawValue>,
    #[serde(borrow)]
    config_options: Option<&'a RawValue>,
}

/// Reads the answer to `session/new`: the session's id and its settings.
pub(crate) fn new_session_result(result: &RawValue) -> Result<(String, SessionSettings), NewSessionError> {
    let members: SettingsMembers<'_> =
        object(Some(result)).map_err(|reason| NewSessionError::Unreadable { reason })?;
    let session_id = Values::default()
        .read("sessionId", members.session_id)
        .ok_or(NewSessionError::NoSessionId)?;
    Ok((session_id, members.settings()))
}

/// Reads the settings in an answer to `session/load`, `session/resume` or `session/set_config_option`. Many agents
/// answer `null` or an empty object.
pub(crate) fn session_settings(result: &RawValue) -> SessionSettings {
    object::<SettingsMembers<'_>>(Some(result))
        .unwrap_or_default()
        .settings()
}

impl SettingsMembers<'_> {
    fn settings(&self) -> SessionSettings {
        let mut values = Values::default();
        let modes = values
            .read("modes", self.modes)
            .and_then(|members: ModesMembers<'_>| members.modes(&mut values));
        let config_options = config_options(self.config_options, &mut values);
        SessionSettings {
            modes,
            config_options,
            skipped: values.skipped,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModesMembers<'a> {
    #[serde(borrow)]
    current_mode_id: Option<&'a RawValue>,
    #[serde(borrow)]
    available_modes: Option<&'a RawValue>,
}

impl ModesMembers<'_> {
    fn modes(&self, values: &mut Values) -> Option<Modes> {
        let current = values.read("modes.currentModeId", self.current_mode_id)?;
        let available: Vec<SessionMode> = values
            .list("modes.availableModes", self.available_modes)
            .unwrap_or_default();
        let available = available
            .into_iter()
            .map(|mode| Mode {
                id: mode.id.to_string(),
                name: mode.name,
                description: mode.description,
            })
            .collect();
        Some(Modes { current, available })
    }
}

/// Reads a list of options; one that is not understood costs that one, a choice that is not understood that choice.
pub(super) fn config_options(raw: Option<&RawValue>, values: &mut Values) -> Option<Vec<ConfigOption>> {
    let options: Vec<OptionMembers<'_>> = values.list("configOptions", raw)?;
    Some(
        options
            .into_iter()
            .filter_map(|option| option.option(values))
            .collect(),
    )
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OptionMembers<'a> {
    id: String,
    name: Option<String>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    category: Option<&'a RawValue>,
    #[serde(borrow)]
    current_value: Option<&'a RawValue>,
    #[serde(borrow)]
    options: Option<&'a RawValue>,
}

impl OptionMembers<'_> {
    /// Returns the option. Its type follows from the value in force: text for a choice, or a boolean.
    fn option(self, values: &mut Values) -> Option<ConfigOption> {
        let value = values.read("configOptions.currentValue", self.current_value);
        let choices = match &value {
            Some(Value::Bool(_)) => Vec::new(),
            Some(Value::String(_)) => {
                let rows: Vec<ChoiceMembers<'_>> = values
                    .list("configOptions.options", self.options)
                    .unwrap_or_default();
                rows.into_iter().flat_map(|row| row.choices(values)).collect()
            }
            _ => {
                values.skip(
                    "configOptions",
                    &format!("the option {} has no value that is known here", self.id),
                );
                return None;
            }
        };
        Some(ConfigOption {
            name: self.name.unwrap_or_else(|| self.id.clone()),
            id: self.id,
            description: values.read("configOptions.description", self.description),
            category: values.read("configOptions.category", self.category),
            value: value?,
            choices,
        })
    }
}

/// A choice, or a group of choices.
#[derive(Deserialize)]
struct ChoiceMembers<'a> {
    value: Option<String>,
    group: Option<String>,
    name: Option<String>,
    description: Option<String>,
    #[serde(borrow)]
    options: Option<&'a RawValue>,
}

impl ChoiceMembers<'_> {
    fn choices(self, values: &mut Values) -> Vec<ConfigChoice> {
        if let Some(value) = self.value {
            let name = self.name.unwrap_or_else(|| value.clone());
            return vec![ConfigChoice {
                value,
                name,
                description: self.description,
                group: None,
            }];
        }
        let Some(group) = self.name.or(self.group) else {
            values.skip("configOptions.options", "neither a choice nor a group");
            return Vec::new();
        };
        let inside: Vec<ChoiceMembers<'_>> = values
            .list("configOptions.options.options", self.options)
            .unwrap_or_default();
        inside
            .into_iter()
            .filter_map(|choice| {
                let value = choice.value?;
                let name = choice.name.unwrap_or_else(|| value.clone());
                Some(ConfigChoice {
                    value,
                    name,
                    description: choice.description,
                    group: Some(group.clone()),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(value: &Value) -> Box<RawValue> {
        RawValue::from_string(value.to_string()).unwrap()
    }

    fn choice(value: &str, group: Option<&str>) -> ConfigChoice {
        ConfigChoice {
            value: value.into(),
            name: value.to_uppercase(),
            description: None,
            group: group.map(str::to_owned),
        }
    }

    #[test]
    fn a_new_session_has_an_id_modes_and_options() {
        let result = raw(&json!({
            "sessionId": "s",
            "modes": {"currentModeId": "plan", "availableModes": [
                {"id": "plan", "name": "Plan", "description": "d"},
                {"name": "no id"},
            ]},
            "configOptions": [
                {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "a",
                 "options": [{"value": "a", "name": "A"}, {"value": 5, "name": "B"}]},
                {"id": "level", "type": "select", "currentValue": "x", "options": [
                    {"group": "g", "name": "Group", "options": [{"value": "x", "name": "X"}, {"value": "y", "name": "Y"}]},
                ]},
                {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": false},
                {"id": "dial", "name": "Dial", "type": "dial", "currentValue": 0.5},
            ],
            "models": {"currentModelId": "ignored"},
        }));
        let (session_id, settings) = new_session_result(&result).unwrap();
        assert_eq!(session_id, "s");
        let modes = settings.modes.unwrap();
        assert_eq!((modes.current.as_str(), modes.available.len()), ("plan", 1));
        assert_eq!(modes.available[0].description.as_deref(), Some("d"));
        let [model, level, fast] = &settings.config_options.unwrap()[..] else {
            panic!("three options are known")
        };
        assert_eq!(
            (model.category.as_deref(), &model.value),
            (Some("model"), &json!("a"))
        );
        assert_eq!(model.choices, [choice("a", None)]);
        assert_eq!(level.name, "level");
        assert_eq!(
            level.choices,
            [choice("x", Some("Group")), choice("y", Some("Group"))]
        );
        assert_eq!((&fast.value, fast.choices.len()), (&json!(false), 0));
        assert_eq!(settings.skipped.len(), 3, "{:?}", settings.skipped);
    }

    #[test]
    fn an_answer_without_a_session_is_an_error() {
        assert_eq!(
            new_session_result(&raw(&json!({}))),
            Err(NewSessionError::NoSessionId)
        );
        assert_eq!(
            new_session_result(&raw(&json!({"sessionId": 5}))),
            Err(NewSessionError::NoSessionId)
        );
        let error = new_session_result(&raw(&json!(null))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "its answer to session/new cannot be read: null is no object"
        );
    }

    #[test]
    fn an_answer_may_say_nothing_about_settings() {
        for result in [
            json!(null),
            json!({}),
            json!([]),
            json!({"modes": null, "configOptions": null}),
        ] {
            assert_eq!(
                session_settings(&raw(&result)),
                SessionSettings::default(),
                "{result}"
            );
        }
    }
}
