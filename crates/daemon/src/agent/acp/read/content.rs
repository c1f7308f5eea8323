//! Content blocks: text, pictures, sounds and files that an agent shows.

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource};
use pupitre_model::conversation::{Update, Voice};
use pupitre_protocol::conversation::{Media, Resource};

/// Returns the update that a chunk of a message is.
pub(super) fn update(
    block: ContentBlock,
    voice: Voice,
    message_id: Option<String>,
) -> Result<Update, String> {
    Ok(match block {
        ContentBlock::Text(text) => Update::Text {
            voice,
            message_id,
            text: text.text,
        },
        ContentBlock::Image(image) => Update::Image {
            message_id,
            image: media(image.mime_type, image.data, image.uri),
        },
        ContentBlock::Audio(audio) => Update::Image {
            message_id,
            image: media(audio.mime_type, audio.data, None),
        },
        ContentBlock::ResourceLink(link) => Update::Resource {
            message_id,
            resource: Resource {
                uri: link.uri,
                name: Some(link.title.unwrap_or(link.name)),
                mime_type: link.mime_type,
                text: None,
                truncated: false,
            },
        },
        ContentBlock::Resource(embedded) => match embedded.resource {
            EmbeddedResourceResource::TextResourceContents(contents) => Update::Resource {
                message_id,
                resource: resource(contents.uri, contents.mime_type, Some(contents.text)),
            },
            EmbeddedResourceResource::BlobResourceContents(contents) => match contents.mime_type {
                Some(mime_type) if mime_type.starts_with("image/") || mime_type.starts_with("audio/") => {
                    Update::Image {
                        message_id,
                        image: media(mime_type, contents.blob, Some(contents.uri)),
                    }
                }
                // Other bytes cannot be shown; their address can.
                mime_type => Update::Resource {
                    message_id,
                    resource: resource(contents.uri, mime_type, None),
                },
            },
            _ => return Err("a new kind of resource".to_owned()),
        },
        _ => return Err("a new type of content".to_owned()),
    })
}

/// Returns the text of a block inside a tool's output; `None` for what has none.
pub(super) fn text(block: ContentBlock) -> Option<String> {
    match block {
        ContentBlock::Text(text) => Some(text.text),
        ContentBlock::ResourceLink(link) => Some(link.uri),
        ContentBlock::Resource(embedded) => match embedded.resource {
            EmbeddedResourceResource::TextResourceContents(contents) => Some(contents.text),
            _ => None,
        },
        _ => None,
    }
}

fn media(mime_type: String, data: String, uri: Option<String>) -> Media {
    Media {
        mime_type,
        data,
        uri,
        truncated: false,
    }
}

fn resource(uri: String, mime_type: Option<String>, text: Option<String>) -> Resource {
    Resource {
        uri,
        name: None,
        mime_type,
        text,
        truncated: false,
    }
}
