//! Questions of an agent to its user (ACP: `elicitation/create`).

use pupitre_protocol::conversation::{Field, FieldInput, FieldOption, Wanted};
use pupitre_protocol::limits::{ELICITATION_BYTES, ELICITATION_FIELDS};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::super::incoming::ElicitationRequest;
use super::values::object;

/// Returns what the parameters of `elicitation/create` ask, or why they cannot be read. A field of a kind that is not known
/// costs the whole form: an answer without it would be wrong.
pub(in super::super) fn elicitation_request(params: Option<&RawValue>) -> Result<ElicitationRequest, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'a> {
        session_id: Option<String>,
        message: Option<String>,
        mode: Option<String>,
        #[serde(borrow)]
        requested_schema: Option<&'a RawValue>,
        url: Option<String>,
        elicitation_id: Option<String>,
    }
    if params.is_some_and(|params| params.get().len() > ELICITATION_BYTES) {
        return Err(format!(
            "they are longer than {ELICITATION_BYTES} bytes, the most of a question"
        ));
    }
    let params: Params<'_> = object(params)?;
    let wants = match params.mode.as_deref() {
        Some("form") | None => Wanted::Form {
            fields: fields(params.requested_schema)?,
        },
        Some("url") => Wanted::Url {
            url: params.url.ok_or("no url")?,
        },
        Some(other) => return Err(format!("the mode {other} is not known")),
    };
    Ok(ElicitationRequest {
        session: params.session_id,
        message: params.message.unwrap_or_default().trim().to_owned(),
        wants,
        elicitation: params.elicitation_id,
    })
}

/// Returns the agent's id of a question that `elicitation/complete` says is over.
pub(in super::super) fn completed_elicitation(params: Option<&RawValue>) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        elicitation_id: String,
    }
    object(params).ok().map(|params: Params| params.elicitation_id)
}

fn fields(schema: Option<&RawValue>) -> Result<Vec<Field>, String> {
    #[derive(Deserialize)]
    struct Schema<'a> {
        #[serde(borrow)]
        properties: Option<&'a RawValue>,
        required: Option<Vec<String>>,
    }
    let schema: Schema<'_> = object(schema).map_err(|reason| format!("requestedSchema: {reason}"))?;
    let required = schema.required.unwrap_or_default();
    let properties: Properties = match schema.properties {
        Some(properties) => object(Some(properties)).map_err(|reason| format!("properties: {reason}"))?,
        None => Properties(Vec::new()),
    };
    if properties.0.len() > ELICITATION_FIELDS {
        return Err(format!(
            "the form has more than {ELICITATION_FIELDS} fields, the most of a question"
        ));
    }
    let fields = properties.0.into_iter().map(|(name, property)| {
        let text = |key: &str| property.get(key).and_then(Value::as_str).map(str::to_owned);
        Ok(Field {
            title: text("title").unwrap_or_else(|| name.clone()),
            description: text("description"),
            required: required.contains(&name),
            input: input(&name, &property)?,
            name,
        })
    });
    fields.collect()
}

/// The properties in the order in which they are written, which is the order to ask in.
struct Properties(Vec<(String, Map<String, Value>)>);

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Properties;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object of properties")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
                let mut all = Vec::new();
                while let Some((name, property)) = map.next_entry::<String, Map<String, Value>>()? {
                    if all.iter().any(|(known, _)| *known == name) {
                        return Err(serde::de::Error::custom(format_args!(
                            "the field {name} is there twice"
                        )));
                    }
                    all.push((name, property));
                }
                Ok(Properties(all))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

fn input(name: &str, property: &Map<String, Value>) -> Result<FieldInput, String> {
    let get = |key: &str| property.get(key);
    let text = |key: &str| get(key).and_then(Value::as_str).map(str::to_owned);
    // 1.0 is a whole number too.
    let whole = |key: &str| match get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match (value.as_i64(), value.as_f64()) {
            (Some(number), _) => Ok(Some(number)),
            (None, Some(number)) if number.fract() == 0.0 && number.abs() < 9e15 => Ok(Some(number as i64)),
            (None, _) => Err(format!(
                "field {name} has a {key} that is no whole number: {value}"
            )),
        },
    };
    let count = |key: &str| {
        let number = get(key).and_then(Value::as_u64);
        number.map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    };
    Ok(match get("type").and_then(Value::as_str) {
        Some("string") => match options(name, property)? {
            Some(options) => FieldInput::Choice {
                options,
                default: text("default"),
            },
            None => FieldInput::Text {
                format: text("format"),
                min_length: count("minLength"),
                max_length: count("maxLength"),
                pattern: text("pattern"),
                default: text("default"),
            },
        },
        Some("number" | "integer" | "boolean") if get("enum").is_some() || get("oneOf").is_some() => {
            return Err(format!("field {name} is a choice of what is no text"));
        }
        Some("number") => FieldInput::Number {
            minimum: get("minimum").and_then(Value::as_f64),
            maximum: get("maximum").and_then(Value::as_f64),
            default: get("default").and_then(Value::as_f64),
        },
        Some("integer") => FieldInput::Integer {
            minimum: whole("minimum")?,
            maximum: whole("maximum")?,
            default: whole("default")?,
        },
        Some("boolean") => FieldInput::Boolean {
            default: get("default").and_then(Value::as_bool),
        },
        Some("array") => {
            let items = get("items").and_then(Value::as_object);
            let default = get("default").and_then(Value::as_array).into_iter().flatten();
            FieldInput::Choices {
                options: items
                    .map(|items| options(name, items))
                    .transpose()?
                    .flatten()
                    .ok_or_else(|| format!("field {name} is a list of what is not said"))?,
                min_items: count("minItems"),
                max_items: count("maxItems"),
                default: default.filter_map(Value::as_str).map(str::to_owned).collect(),
            }
        }
        other => {
            return Err(format!(
                "field {name} is of a type that is not known: {}",
                other.unwrap_or("none")
            ));
        }
    })
}

/// Returns what can be chosen: a list of values (`enum`), or of values with titles (`oneOf`, `anyOf`). Each must be a text
/// and another one: a choice that cannot be made, or means two things, costs the form.
fn options(name: &str, property: &Map<String, Value>) -> Result<Option<Vec<FieldOption>>, String> {
    let Some((options, count)) = known_options(property) else {
        return Ok(None);
    };
    let mut values: Vec<&str> = options.iter().map(|option| option.value.as_str()).collect();
    values.sort_unstable();
    values.dedup();
    if options.is_empty() || values.len() != count {
        return Err(format!(
            "field {name} has choices that are no texts, none, or two of one value"
        ));
    }
    Ok(Some(options))
}

/// Returns the choices that are texts, and how many there are in all.
fn known_options(property: &Map<String, Value>) -> Option<(Vec<FieldOption>, usize)> {
    let list = |key: &str| property.get(key).and_then(Value::as_array);
    if let Some(values) = list("enum") {
        let plain = |value: &str| FieldOption {
            value: value.to_owned(),
            title: value.to_owned(),
            description: None,
        };
        let options = values.iter().filter_map(Value::as_str).map(plain).collect();
        return Some((options, values.len()));
    }
    let titled = |option: &Value| {
        let text = |key: &str| option.get(key).and_then(Value::as_str).map(str::to_owned);
        let value = text("const")?;
        Some(FieldOption {
            title: text("title").unwrap_or_else(|| value.clone()),
            description: text("description"),
            value,
        })
    };
    let options = list("oneOf").or_else(|| list("anyOf"))?;
    Some((options.iter().filter_map(titled).collect(), options.len()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(params: &Value) -> Result<ElicitationRequest, String> {
        elicitation_request(Some(&RawValue::from_string(params.to_string()).unwrap()))
    }

    #[test]
    fn a_form_keeps_the_order_of_its_fields() {
        let params = r#"{"sessionId": "s", "mode": "form", "message": "Where?", "requestedSchema": {"type": "object",
            "properties": {
                "z": {"type": "string", "title": "Branch", "minLength": 1, "default": "main"},
                "a": {"type": "integer", "minimum": 2, "maximum": 9},
                "m": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "Ex"}]}, "maxItems": 1},
                "b": {"type": "string", "enum": ["red", "blue"]},
                "c": {"type": "boolean", "default": true}
            }, "required": ["z", "b"]}}"#;
        let request = elicitation_request(Some(&RawValue::from_string(params.to_owned()).unwrap())).unwrap();
        assert_eq!(request.session.as_deref(), Some("s"));
        let Wanted::Form { fields } = request.wants else {
            panic!("it is a form");
        };
        let shown: Vec<_> = fields
            .iter()
            .map(|field| (&*field.name, &*field.title, field.required))
            .collect();
        assert_eq!(
            shown,
            [
                ("z", "Branch", true),
                ("a", "a", false),
                ("m", "m", false),
                ("b", "b", true),
                ("c", "c", false)
            ]
        );
        assert_eq!(
            fields[2].input,
            FieldInput::Choices {
                options: vec![FieldOption {
                    value: "x".into(),
                    title: "Ex".into(),
                    description: None
                }],
                min_items: None,
                max_items: Some(1),
                default: Vec::new(),
            }
        );
    }

    #[test]
    fn an_address_may_belong_to_a_request_and_no_session() {
        let request = read(&json!({
            "requestId": 4, "mode": "url", "message": "Log in", "url": "https://example.org/", "elicitationId": "e",
        }))
        .unwrap();
        assert_eq!(
            (request.session, request.elicitation.as_deref()),
            (None, Some("e"))
        );
        assert_eq!(
            request.wants,
            Wanted::Url {
                url: "https://example.org/".into()
            }
        );
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        let form = |property: Value| {
            json!({"sessionId": "s", "message": "?", "mode": "form",
                "requestedSchema": {"type": "object", "properties": {"a": property}}})
        };
        assert_eq!(
            read(&form(json!({"type": "color"}))).unwrap_err(),
            "field a is of a type that is not known: color"
        );
        for property in [
            json!({"type": "integer", "enum": [1, 2]}),
            json!({"type": "integer", "minimum": 1.5}),
            json!({"type": "string", "enum": [1, 2]}),
            json!({"type": "string", "enum": []}),
            json!({"type": "string", "enum": ["x", "x"]}),
            json!({"type": "array", "items": {"oneOf": [{"title": "no value"}]}}),
        ] {
            assert!(read(&form(property.clone())).is_err(), "{property}");
        }
        let twice = r#"{"mode":"form","message":"?","requestedSchema":{"properties":{"a":{"type":"string"},"a":{"type":"string"}}}}"#;
        assert!(elicitation_request(Some(&RawValue::from_string(twice.to_owned()).unwrap())).is_err());
        assert!(read(&form(json!({"type": "integer", "minimum": 1.0, "maximum": 3.0}))).is_ok());
        assert_eq!(
            read(&json!({"mode": "dance", "message": "?"})).unwrap_err(),
            "the mode dance is not known"
        );
        assert!(
            read(&form(
                json!({"type": "string", "title": "x".repeat(ELICITATION_BYTES)})
            ))
            .is_err()
        );
        let many: Map<String, Value> = (0..=ELICITATION_FIELDS)
            .map(|number| (format!("f{number}"), json!({"type": "boolean"})))
            .collect();
        assert!(
            read(&json!({"mode": "form", "message": "?", "requestedSchema": {"properties": many}})).is_err()
        );
    }
}
