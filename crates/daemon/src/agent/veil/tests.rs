//! Secrets in whatever an agent says, at whatever place it is cut.

use proptest::prelude::*;
use serde_json::json;

use pupitre_protocol::conversation::Usage;

use super::*;

fn text(text: &str) -> Update {
    Update::Text {
        voice: Voice::Answer,
        message_id: None,
        text: text.to_owned(),
    }
}

fn veil(secret: &str) -> Veil {
    Veil::over(&[
        (secret.to_owned(), Secrecy::Secret),
        ("the key".to_owned(), Secrecy::Plain),
    ])
}

/// Returns what is told of these pieces together.
fn told(veil: &mut Veil, pieces: &[&str]) -> String {
    let mut updates: Vec<Update> = pieces.iter().flat_map(|piece| veil.cover(text(piece))).collect();
    updates.extend(veil.release());
    let texts = updates.into_iter().map(|update| match update {
        Update::Text { text, .. } => text,
        other => panic!("{other:?}"),
    });
    texts.collect()
}

#[test]
fn a_secret_is_covered_wherever_it_is_cut() {
    let secret = "sk-51c7\"d0é2";
    let whole = format!("the key is {secret}, remember sk-51");
    for at in 0..=whole.len() {
        if whole.is_char_boundary(at) {
            let mut veil = veil(secret);
            let pieces = [&whole[..at], &whole[at..]];
            assert_eq!(told(&mut veil, &pieces), "the key is ***, remember sk-51", "{at}");
        }
    }
    let letters: Vec<String> = whole.chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert_eq!(
        told(&mut veil(secret), &letters),
        "the key is ***, remember sk-51"
    );
}

#[test]
fn another_voice_ends_what_is_held_back() {
    let mut veil = veil("sk-51c7d0e2");
    veil.cover(text("sk-51"));
    let thought = Update::Text {
        voice: Voice::Thought,
        message_id: None,
        text: "c7d0e2".to_owned(),
    };
    assert_eq!(veil.cover(thought.clone()), [text("sk-51"), thought]);
}

#[test]
fn what_a_tool_says_is_covered_too() {
    let mut veil = veil("sk-51c7d0e2");
    let patch = ToolPatch {
        id: "t".into(),
        output: Some("{\"key\":\"sk-51c7d0e2\"}".into()),
        ..ToolPatch::default()
    };
    let [Update::Tool(covered)] = &veil.cover(Update::Tool(patch))[..] else {
        panic!("one update")
    };
    assert_eq!(covered.output.as_deref(), Some("{\"key\":\"***\"}"));
}

#[test]
fn no_word_of_an_update_is_left_out() {
    let secret = "sk-51c7d0e2";
    let word = || format!("x {secret}");
    let updates = [
        Update::Plan(vec![PlanEntry {
            content: word(),
            priority: word(),
            status: word(),
        }]),
        Update::Image {
            message_id: None,
            image: Media {
                mime_type: word(),
                data: String::new(),
                uri: Some(word()),
                truncated: false,
            },
        },
        Update::Resource {
            message_id: None,
            resource: Resource {
                uri: word(),
                name: Some(word()),
                mime_type: Some(word()),
                text: Some(word()),
                truncated: false,
            },
        },
        Update::Usage(Usage {
            used: 1,
            size: 2,
            cost: Some(Cost {
                amount: 1.0,
                currency: word(),
            }),
        }),
    ];
    for update in updates {
        let shown = format!("{:?}", veil(secret).cover(update));
        assert!(shown.contains("x ***") && !shown.contains(secret), "{shown}");
    }
    let mut request = PermissionRequest {
        session_id: "s".into(),
        tool: ToolPatch::default(),
        options: vec![PermissionOption {
            option_id: word(),
            name: word(),
            kind: word(),
        }],
        skipped: Vec::new(),
    };
    veil(secret).cover_request(&mut request);
    assert!(!format!("{request:?}").contains(secret), "{request:?}");
}

#[test]
fn what_a_question_offers_is_covered_and_a_secret_is_not_filled_in() {
    let secret = "sk-51c7d0e2";
    let text = |default: &str| FieldInput::Text {
        format: None,
        min_length: None,
        max_length: None,
        pattern: None,
        default: Some(default.to_owned()),
    };
    let field = |input| Field {
        name: "f".into(),
        title: format!("as {secret}"),
        description: None,
        required: true,
        input,
    };
    let option = FieldOption {
        value: "v".into(),
        title: format!("use {secret}"),
        description: Some(secret.into()),
    };
    let choice = FieldInput::Choice {
        options: vec![option],
        default: None,
    };
    let mut request = ElicitationRequest {
        session: None,
        message: format!("is it {secret}?"),
        wants: Wanted::Form {
            fields: vec![field(text(secret)), field(text("plain")), field(choice)],
        },
        elicitation: None,
    };
    veil(secret).cover_question(&mut request);
    let shown = format!("{request:?}");
    assert!(!shown.contains(secret), "{shown}");
    for word in ["is it ***?", "as ***", "use ***", "default: Some(\"plain\")"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let Wanted::Form { fields } = request.wants else {
        panic!("it is a form")
    };
    assert_eq!(
        fields[0].input,
        FieldInput::Text {
            format: None,
            min_length: None,
            max_length: None,
            pattern: None,
            default: None
        }
    );
}

#[test]
fn an_id_with_a_secret_goes_by_another_name_and_back() {
    let secret = "sk-51c7d0e2";
    let option = |value: String| FieldOption {
        title: value.clone(),
        value,
        description: None,
    };
    let field = |name: String, input| Field {
        title: name.clone(),
        name,
        description: None,
        required: false,
        input,
    };
    let choices = FieldInput::Choices {
        options: vec![option(format!("{secret}-a")), option("plain".into())],
        min_items: None,
        max_items: None,
        default: vec![format!("{secret}-a")],
    };
    let choice = FieldInput::Choice {
        options: vec![option(secret.into()), option("***".into())],
        default: Some(secret.into()),
    };
    let mut request = ElicitationRequest {
        session: None,
        message: String::new(),
        wants: Wanted::Form {
            fields: vec![
                field(format!("of {secret}"), choices),
                field("plain".into(), choice),
            ],
        },
        elicitation: None,
    };
    let mut veil = veil(secret);
    veil.cover_question(&mut request);
    assert!(!format!("{request:?}").contains(secret), "{request:?}");
    let Wanted::Form { fields } = request.wants else {
        panic!("it is a form")
    };
    assert_eq!(fields[0].name, "of ***");
    let FieldInput::Choice { options, default } = &fields[1].input else {
        panic!("it is a choice")
    };
    assert_eq!(
        (options[0].value.as_str(), default.as_deref()),
        ("***", Some("***"))
    );
    // Two ids never get one name.
    assert_eq!(options[1].value, "*** 2");

    let entered = json!({"of ***": ["***-a", "plain"], "plain": "*** 2"});
    let Value::Object(entered) = entered else {
        panic!("it is an object")
    };
    let told = veil.uncover_form(&fields, entered);
    assert_eq!(
        Value::Object(told),
        json!({format!("of {secret}"): [format!("{secret}-a"), "plain"], "plain": "***"})
    );
}

proptest! {
    #[test]
    fn no_cut_shows_a_secret(secret in "[ab1]{4,12}", pieces in prop::collection::vec("[ab1 ]{0,9}", 0..12)) {
        let mut veil = veil(&secret);
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let whole = pieces.concat();
        let shown = told(&mut veil, &pieces);
        prop_assert!(!shown.contains(&secret), "{shown}");
        prop_assert!(whole.contains(&secret) || shown == whole, "{shown}");
    }
}
