//! What is cut in a message comes back whole from what storage was told.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use pupitre_protocol::MessageId;
use pupitre_protocol::conversation::{Diff, Media, Part, Resource, ToolCall};
use pupitre_protocol::limits::FIELD_BYTES;

use super::Scene;
use super::operation::{Lengths, patch, update};
use crate::conversation::{Attachment, Change, ToolPatch, Update, WholeField, compose};

/// Keeps what storage keeps of long fields.
#[derive(Debug, Default)]
struct Wholes(BTreeMap<(MessageId, u32, WholeField), String>);

impl Wholes {
    fn take(&mut self, scene: &mut Scene) {
        for revision in scene.take() {
            if let Change::Whole {
                message,
                index,
                field,
                text,
            } = revision.change
            {
                match text {
                    Some(text) => self.0.insert((message, index, field), text),
                    None => self.0.remove(&(message, index, field)),
                };
            }
        }
    }

    fn of(&self, message: MessageId, index: usize) -> Vec<(WholeField, String)> {
        let here =
            |(at, number, _): &(MessageId, u32, WholeField)| *at == message && *number as usize == index;
        self.0
            .iter()
            .filter(|(place, _)| here(place))
            .map(|((_, _, field), text)| (*field, text.clone()))
            .collect()
    }
}

/// Finds the tool call and puts it together again; says also whether it was cut.
fn composed_tool(scene: &Scene, wholes: &Wholes, id: &str) -> Option<(ToolCall, bool)> {
    scene.messages().into_iter().find_map(|message| {
        message
            .parts
            .iter()
            .enumerate()
            .find_map(|(index, part)| match part {
                Part::Tool { tool } if tool.id == id => {
                    let Part::Tool { tool: whole } = compose(part.clone(), wholes.of(message.id, index))
                    else {
                        panic!("a tool call stays one");
                    };
                    Some((whole, tool.truncated))
                }
                _ => None,
            })
    })
}

/// The texts of one tool call as the agent gave them.
#[derive(Debug, Default)]
struct Given {
    input: Option<String>,
    output: Option<String>,
    diffs: Vec<Diff>,
}

impl Given {
    fn take(&mut self, patch: &ToolPatch) {
        if patch.input.is_some() {
            self.input.clone_from(&patch.input);
        }
        if patch.output.is_some() {
            self.output.clone_from(&patch.output);
        }
        if let Some(diffs) = &patch.diffs {
            self.diffs.clone_from(diffs);
        }
    }
}

const LENGTHS: Lengths = Lengths {
    longest: 700_000,
    long_percent: 40,
};

/// Gives the texts of each patch to one tool call, with other things in between.
fn check_tool(patches: Vec<(ToolPatch, Update)>) {
    let mut scene = Scene::in_turn();
    let mut wholes = Wholes::default();
    let mut given = Given::default();
    for (mut patch, between) in patches {
        patch.id = "the one".into();
        given.take(&patch);
        scene.update(Update::Tool(patch));
        wholes.take(&mut scene);
        let (tool, was_cut) = composed_tool(&scene, &wholes, "the one").expect("it is there");
        assert_eq!(tool.input, given.input);
        assert_eq!(tool.output, given.output);
        assert_eq!(tool.diffs, given.diffs);
        let is_long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > FIELD_BYTES);
        if is_long(&given.input) || is_long(&given.output) {
            assert!(was_cut, "what is cut says so");
        }
        scene.update(between);
        wholes.take(&mut scene);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_tool_call_comes_back_whole(
        patches in vec((patch(LENGTHS), update(Lengths { longest: 300_000, long_percent: 20 })), 1..16)
    ) {
        check_tool(patches);
    }
}

#[test]
fn a_field_that_is_short_again_is_whole_again() {
    let mut scene = Scene::in_turn();
    let mut wholes = Wholes::default();
    let mut put = |output: String| {
        scene.update(Update::Tool(ToolPatch {
            id: "t".into(),
            output: Some(output),
            ..ToolPatch::default()
        }));
        wholes.take(&mut scene);
        (scene.tool("t"), wholes.0.len())
    };
    let (tool, kept) = put("x".repeat(FIELD_BYTES + 1));
    assert!(tool.truncated && tool.output.is_some_and(|output| output.len() == FIELD_BYTES));
    assert_eq!(kept, 1);
    let (tool, kept) = put("short".into());
    assert!(!tool.truncated);
    assert_eq!(tool.output.as_deref(), Some("short"));
    assert_eq!(kept, 0, "storage forgets the long one");
}

#[test]
fn images_and_resources_come_back_whole() {
    let mut scene = Scene::in_turn();
    let mut wholes = Wholes::default();
    let data = "A".repeat(5_000_000);
    let text = "line\n".repeat(200_000);
    scene.update(Update::Image {
        message_id: None,
        image: Media {
            mime_type: "image/png".into(),
            data: data.clone(),
            uri: None,
            truncated: false,
        },
    });
    scene.update(Update::Resource {
        message_id: None,
        resource: Resource {
            uri: "file:///a".into(),
            name: None,
            mime_type: None,
            text: Some(text.clone()),
            truncated: false,
        },
    });
    wholes.take(&mut scene);
    let message = scene.last();
    let [Part::Image { image }, Part::Resource { resource }] = &message.parts[..] else {
        panic!("two parts: {}", super::told(&message));
    };
    assert!(image.truncated && image.data.is_empty());
    assert!(
        resource.truncated
            && resource
                .text
                .as_ref()
                .is_some_and(|cut| text.starts_with(cut.as_str()))
    );
    let whole = |index: usize| compose(message.parts[index].clone(), wholes.of(message.id, index));
    assert!(matches!(whole(0), Part::Image { image } if image.data == data && !image.truncated));
    assert!(
        matches!(whole(1), Part::Resource { resource } if resource.text == Some(text.clone()) && !resource.truncated)
    );
}

#[test]
fn an_attached_image_comes_back_whole() {
    let mut scene = Scene::new();
    let mut wholes = Wholes::default();
    let image = Media {
        mime_type: "image/png".into(),
        data: "A".repeat(2_000_000),
        uri: None,
        truncated: false,
    };
    let attachment = Attachment::Image {
        uri: "file:///a.png".into(),
        bytes: 1_500_000,
        image: image.clone(),
    };
    let (_, prompt) = scene
        .conversation
        .send(String::new(), vec![attachment.clone()], &mut scene.stamps)
        .expect("an attachment is enough");
    wholes.take(&mut scene);
    assert_eq!(
        prompt.map(|prompt| prompt.attachments),
        Some(vec![attachment]),
        "the agent gets all"
    );
    let message = scene.last();
    let Part::Image { image: whole } = compose(message.parts[0].clone(), wholes.of(message.id, 0)) else {
        panic!("an image stays one");
    };
    assert_eq!(whole.data, image.data);
}
