//! Forms at the command line: what a typed text is as a value of a field, and what a field takes, in words.

use pupitre_model::conversation::check_field;
use pupitre_protocol::conversation::{Field, FieldInput, FieldOption};
use serde_json::Value;

/// What a person entered into a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entered {
    Value(Value),
    /// Nothing, and nothing is needed.
    Nothing,
    /// It cannot be a value of this field, or one is needed.
    Unclear,
    /// The field does not allow it, for this reason.
    Wrong(String),
}

/// Reads what was typed for a field; an empty line takes the default.
pub(crate) fn enter(field: &Field, text: &str) -> Entered {
    let text = text.trim();
    if text.is_empty() {
        return match default(&field.input) {
            Some(value) => Entered::Value(value),
            None if field.required => Entered::Unclear,
            None => Entered::Nothing,
        };
    }
    match value(&field.input, text, Naming::ByNumber) {
        Some(value) => match check_field(field, &value) {
            Ok(()) => Entered::Value(value),
            Err(error) => Entered::Wrong(error.to_string()),
        },
        None => Entered::Unclear,
    }
}

/// How a choice is named first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// By the number that stands before it.
    ByNumber,
    /// By its value.
    ByValue,
}

/// Returns a text as a value of a field, when it can be one. Choices are named by their value, their title or their number;
/// a title that two have names none.
pub(crate) fn value(input: &FieldInput, text: &str, naming: Naming) -> Option<Value> {
    match input {
        FieldInput::Text { .. } => Some(text.into()),
        FieldInput::Number { .. } => text.parse::<f64>().ok().map(Value::from),
        FieldInput::Integer { .. } => text.parse::<i64>().ok().map(Value::from),
        FieldInput::Boolean { .. } => match text.to_lowercase().as_str() {
            "y" | "yes" | "true" | "on" => Some(true.into()),
            "n" | "no" | "false" | "off" => Some(false.into()),
            _ => None,
        },
        FieldInput::Choice { options, .. } => chosen(options, text, naming).map(Value::from),
        FieldInput::Choices { options, .. } => {
            let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
            let values: Option<Vec<String>> = names.map(|name| chosen(options, name, naming)).collect();
            values.map(Value::from)
        }
    }
}

fn chosen(options: &[FieldOption], text: &str, naming: Naming) -> Option<String> {
    let by_value = || options.iter().find(|option| option.value == text);
    let by_title = || {
        let mut titled = options
            .iter()
            .filter(|option| option.title.eq_ignore_ascii_case(text));
        titled.next().filter(|_| titled.next().is_none())
    };
    let by_number = || {
        let number: usize = text.parse().ok()?;
        options.get(number.checked_sub(1)?)
    };
    let option = match naming {
        Naming::ByNumber => by_number().or_else(by_title).or_else(by_value),
        Naming::ByValue => by_value().or_else(by_title).or_else(by_number),
    };
    option.map(|option| option.value.clone())
}

fn default(input: &FieldInput) -> Option<Value> {
    match input {
        FieldInput::Text { default, .. } | FieldInput::Choice { default, .. } => {
            default.clone().map(Value::from)
        }
        FieldInput::Number { default, .. } => default.map(Value::from),
        FieldInput::Integer { default, .. } => default.map(Value::from),
        FieldInput::Boolean { default } => default.map(Value::from),
        FieldInput::Choices { default, .. } => (!default.is_empty()).then(|| default.clone().into()),
    }
}

/// Returns what can be entered, and what an empty line takes.
pub(crate) fn takes(field: &Field) -> String {
    let range = |least: Option<String>, most: Option<String>| match (least, most) {
        (Some(least), Some(most)) => format!(", {least} to {most}"),
        (Some(least), None) => format!(", {least} or more"),
        (None, Some(most)) => format!(", {most} or less"),
        (None, None) => String::new(),
    };
    let kind = match &field.input {
        FieldInput::Text {
            format: Some(format), ..
        } => format.clone(),
        FieldInput::Text { format: None, .. } => "text".to_owned(),
        FieldInput::Number { minimum, maximum, .. } => format!(
            "number{}",
            range(
                minimum.map(|least| least.to_string()),
                maximum.map(|most| most.to_string())
            )
        ),
        FieldInput::Integer { minimum, maximum, .. } => format!(
            "whole number{}",
            range(
                minimum.map(|least| least.to_string()),
                maximum.map(|most| most.to_string())
            )
        ),
        FieldInput::Boolean { .. } => "yes or no".to_owned(),
        FieldInput::Choice { .. } => "one of these".to_owned(),
        FieldInput::Choices { .. } => "any of these, with commas between".to_owned(),
    };
    let empty = match default(&field.input) {
        Some(Value::String(text)) => format!("; empty takes {text}"),
        Some(value) => format!("; empty takes {value}"),
        None if field.required => String::new(),
        None => "; may stay empty".to_owned(),
    };
    format!("{kind}{empty}")
}

/// Returns the options of a field, when it has some.
pub(crate) fn options(input: &FieldInput) -> &[FieldOption] {
    match input {
        FieldInput::Choice { options, .. } | FieldInput::Choices { options, .. } => options,
        FieldInput::Text { .. }
        | FieldInput::Number { .. }
        | FieldInput::Integer { .. }
        | FieldInput::Boolean { .. } => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(required: bool, input: FieldInput) -> Field {
        Field {
            name: "f".into(),
            title: "F".into(),
            description: None,
            required,
            input,
        }
    }

    fn colors(default: Option<&str>) -> FieldInput {
        let option = |value: &str, title: &str| FieldOption {
            value: value.into(),
            title: title.into(),
            description: None,
        };
        FieldInput::Choice {
            options: vec![option("r", "Red"), option("b", "Blue")],
            default: default.map(str::to_owned),
        }
    }

    #[test]
    fn a_choice_is_named_by_value_title_or_number() {
        for text in ["b", "blue", "2"] {
            for naming in [Naming::ByNumber, Naming::ByValue] {
                assert_eq!(value(&colors(None), text, naming), Some(json!("b")), "{text}");
            }
        }
        for text in ["0", "3", "green"] {
            assert_eq!(value(&colors(None), text, Naming::ByValue), None, "{text}");
        }
    }

    #[test]
    fn what_is_shown_names_a_choice_before_what_is_not() {
        let option = |value: &str, title: &str| FieldOption {
            value: value.into(),
            title: title.into(),
            description: None,
        };
        let input = FieldInput::Choice {
            options: vec![
                option("2", "a"),
                option("1", "b"),
                option("b", "c"),
                option("d", "c"),
            ],
            default: None,
        };
        assert_eq!(value(&input, "1", Naming::ByNumber), Some(json!("2")));
        assert_eq!(value(&input, "1", Naming::ByValue), Some(json!("1")));
        assert_eq!(value(&input, "b", Naming::ByValue), Some(json!("b")));
        assert_eq!(value(&input, "c", Naming::ByValue), None, "two have this title");
    }

    #[test]
    fn an_empty_line_takes_the_default_or_nothing() {
        assert_eq!(
            enter(&field(true, colors(Some("r"))), " "),
            Entered::Value(json!("r"))
        );
        assert_eq!(enter(&field(false, colors(None)), ""), Entered::Nothing);
        assert_eq!(enter(&field(true, colors(None)), ""), Entered::Unclear);
    }

    #[test]
    fn numbers_and_switches_are_read() {
        let integer = FieldInput::Integer {
            minimum: None,
            maximum: None,
            default: None,
        };
        let value = |input, text| value(input, text, Naming::ByValue);
        assert_eq!(value(&integer, "-3"), Some(json!(-3)));
        assert_eq!(value(&integer, "3.5"), None);
        let boolean = FieldInput::Boolean { default: None };
        assert_eq!(value(&boolean, "Yes"), Some(json!(true)));
        assert_eq!(value(&boolean, "perhaps"), None);
    }
}
