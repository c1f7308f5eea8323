//! Whether what a user entered is what a form asks for.

use pupitre_protocol::conversation::{Field, FieldInput, FieldOption};
use serde_json::{Map, Value};

/// Says which value of a form cannot be sent, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    #[error("the form has no field \"{name}\"; it has: {known}")]
    Unknown { name: String, known: String },
    #[error("the field \"{name}\" is required")]
    Missing { name: String },
    #[error("the field \"{name}\" must be {wanted}")]
    Wrong { name: String, wanted: String },
}

/// Checks the values of a form by its fields. The format and the pattern of a text are the agent's own to check.
///
/// # Errors
///
/// The first value that the form does not allow, in the order of its fields; a name that it does not have comes first.
pub fn check_form(fields: &[Field], content: &Map<String, Value>) -> Result<(), FormError> {
    let unknown = content
        .keys()
        .find(|name| fields.iter().all(|field| field.name != **name));
    if let Some(name) = unknown {
        let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        return Err(FormError::Unknown {
            name: name.clone(),
            known: known.join(", "),
        });
    }
    for field in fields {
        match content.get(&field.name) {
            None if field.required => {
                let name = field.name.clone();
                return Err(FormError::Missing { name });
            }
            None => {}
            Some(value) => check_field(field, value)?,
        }
    }
    Ok(())
}

/// Checks the value of one field.
///
/// # Errors
///
/// When the field does not allow it.
pub fn check_field(field: &Field, value: &Value) -> Result<(), FormError> {
    check_value(&field.input, value).map_err(|wanted| FormError::Wrong {
        name: field.name.clone(),
        wanted,
    })
}

/// Returns what the value must be, when it is not.
fn check_value(input: &FieldInput, value: &Value) -> Result<(), String> {
    let is_fine = match (input, value) {
        (
            FieldInput::Text {
                min_length,
                max_length,
                ..
            },
            Value::String(text),
        ) => is_within(text.chars().count() as u64, *min_length, *max_length),
        (FieldInput::Number { minimum, maximum, .. }, Value::Number(number)) => {
            number.as_f64().is_some_and(|number| {
                minimum.is_none_or(|least| number >= least) && maximum.is_none_or(|most| number <= most)
            })
        }
        (FieldInput::Integer { minimum, maximum, .. }, Value::Number(number)) => {
            number.as_i64().is_some_and(|number| {
                minimum.is_none_or(|least| number >= least) && maximum.is_none_or(|most| number <= most)
            })
        }
        (FieldInput::Boolean { .. }, Value::Bool(_)) => true,
        (FieldInput::Choice { options, .. }, Value::String(choice)) => is_among(options, choice),
        (
            FieldInput::Choices {
                options,
                min_items,
                max_items,
                ..
            },
            Value::Array(choices),
        ) => {
            let all_known = choices
                .iter()
                .all(|choice| choice.as_str().is_some_and(|choice| is_among(options, choice)));
            let each_once = (1..choices.len()).all(|place| !choices[..place].contains(&choices[place]));
            all_known && each_once && is_within(choices.len() as u64, *min_items, *max_items)
        }
        (_, _) => false,
    };
    if is_fine { Ok(()) } else { Err(wanted(input)) }
}

fn is_within(count: u64, least: Option<u32>, most: Option<u32>) -> bool {
    least.is_none_or(|least| count >= least.into()) && most.is_none_or(|most| count <= most.into())
}

fn is_among(options: &[FieldOption], choice: &str) -> bool {
    options.iter().any(|option| option.value == choice)
}

/// Returns what a field takes, in words that end a sentence.
fn wanted(input: &FieldInput) -> String {
    let bounds = |least: Option<String>, most: Option<String>| match (least, most) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    };
    let words = |number: &Option<u32>| number.map(|number| number.to_string());
    let values = |options: &[FieldOption]| {
        let values: Vec<&str> = options.iter().map(|option| option.value.as_str()).collect();
        values.join(", ")
    };
    match input {
        FieldInput::Text {
            min_length,
            max_length,
            ..
        } => match bounds(words(min_length), words(max_length)).as_str() {
            "" => "a text".to_owned(),
            length => format!("a text with a length{length} characters"),
        },
        FieldInput::Number { minimum, maximum, .. } => format!(
            "a number{}",
            bounds(
                minimum.map(|least| least.to_string()),
                maximum.map(|most| most.to_string())
            )
        ),
        FieldInput::Integer { minimum, maximum, .. } => format!(
            "a whole number{}",
            bounds(
                minimum.map(|least| least.to_string()),
                maximum.map(|most| most.to_string())
            )
        ),
        FieldInput::Boolean { .. } => "true or false".to_owned(),
        FieldInput::Choice { options, .. } => format!("one of: {}", values(options)),
        FieldInput::Choices {
            options,
            min_items,
            max_items,
            ..
        } => match bounds(words(min_items), words(max_items)).as_str() {
            "" => format!("a list of: {}", values(options)),
            number => format!("a list, with a number{number}, of: {}", values(options)),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(name: &str, required: bool, input: FieldInput) -> Field {
        Field {
            name: name.into(),
            title: name.into(),
            description: None,
            required,
            input,
        }
    }

    fn fields() -> Vec<Field> {
        let option = |value: &str| FieldOption {
            value: value.into(),
            title: value.into(),
            description: None,
        };
        vec![
            field(
                "name",
                true,
                FieldInput::Text {
                    format: None,
                    min_length: Some(2),
                    max_length: Some(4),
                    pattern: None,
                    default: None,
                },
            ),
            field(
                "depth",
                false,
                FieldInput::Integer {
                    minimum: Some(1),
                    maximum: None,
                    default: None,
                },
            ),
            field(
                "share",
                false,
                FieldInput::Number {
                    minimum: None,
                    maximum: Some(0.5),
                    default: None,
                },
            ),
            field("fast", false, FieldInput::Boolean { default: None }),
            field(
                "color",
                false,
                FieldInput::Choice {
                    options: vec![option("red"), option("blue")],
                    default: None,
                },
            ),
            field(
                "tags",
                false,
                FieldInput::Choices {
                    options: vec![option("a"), option("b")],
                    min_items: Some(1),
                    max_items: Some(1),
                    default: Vec::new(),
                },
            ),
        ]
    }

    fn refusal(content: &Value) -> Option<String> {
        let content = content.as_object().expect("content is an object");
        check_form(&fields(), content)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn what_fits_is_taken() {
        let all =
            json!({"name": "éééé", "depth": 1, "share": 0.5, "fast": false, "color": "blue", "tags": ["b"]});
        assert_eq!(refusal(&all), None);
        assert_eq!(refusal(&json!({"name": "ab"})), None);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let cases = [
            (json!({}), "the field \"name\" is required"),
            (
                json!({"name": "ab", "nme": "x"}),
                "the form has no field \"nme\"; it has: name, depth, share, fast, color, tags",
            ),
            (
                json!({"name": "abcde"}),
                "the field \"name\" must be a text with a length from 2 to 4 characters",
            ),
            (
                json!({"name": "ab", "depth": 0}),
                "the field \"depth\" must be a whole number of at least 1",
            ),
            (
                json!({"name": "ab", "depth": 1.5}),
                "the field \"depth\" must be a whole number of at least 1",
            ),
            (
                json!({"name": "ab", "share": 0.6}),
                "the field \"share\" must be a number of at most 0.5",
            ),
            (
                json!({"name": "ab", "fast": "yes"}),
                "the field \"fast\" must be true or false",
            ),
            (
                json!({"name": "ab", "color": "green"}),
                "the field \"color\" must be one of: red, blue",
            ),
            (
                json!({"name": "ab", "tags": ["a", "b"]}),
                "the field \"tags\" must be a list, with a number from 1 to 1, of: a, b",
            ),
            (
                json!({"name": "ab", "tags": ["a", "a"]}),
                "the field \"tags\" must be a list, with a number from 1 to 1, of: a, b",
            ),
            (
                json!({"name": "ab", "tags": ["c"]}),
                "the field \"tags\" must be a list, with a number from 1 to 1, of: a, b",
            ),
        ];
        for (content, expected) in cases {
            assert_eq!(refusal(&content).as_deref(), Some(expected), "{content}");
        }
    }
}
