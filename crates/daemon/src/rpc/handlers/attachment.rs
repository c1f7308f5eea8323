//! Files sent along with a message: read, and told apart by what they are.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pupitre_model::conversation::Attachment;
use pupitre_protocol::conversation::Media;
use pupitre_protocol::limits::{ATTACHMENT_BYTES, ATTACHMENTS};
use pupitre_protocol::{ErrorKind, RpcError, UploadId};

use crate::agent::file_uri;
use crate::http::Uploads;

/// Reads the files at these absolute paths, then those that were uploaded before.
///
/// # Errors
///
/// When there are too many, or one is too large, no file, or not readable; then nothing is sent.
pub(super) async fn read_all(
    paths: Vec<String>,
    ids: Vec<UploadId>,
    uploads: &Uploads,
) -> Result<Vec<Attachment>, RpcError> {
    let count = paths.len() + ids.len();
    if count > ATTACHMENTS {
        let message = format!("{count} files are too many for one message; the limit is {ATTACHMENTS}");
        return Err(RpcError::new(ErrorKind::TooLarge, message));
    }
    let mut files: Vec<PathBuf> = paths.into_iter().map(PathBuf::from).collect();
    for id in ids {
        files.push(uploads.find(id).await.ok_or_else(|| {
            let message = format!("there is no upload {id} (any longer); send the file again");
            RpcError::new(ErrorKind::NotFound, message)
        })?);
    }
    let mut attachments = Vec::with_capacity(files.len());
    let mut bytes = 0;
    for path in files {
        let attachment = read(&path).await?;
        bytes += match &attachment {
            Attachment::Image { bytes, .. } => *bytes,
            Attachment::File { .. } => 0,
        };
        if bytes > ATTACHMENT_BYTES as u64 {
            let message = format!(
                "the images of one message are over {} MiB together",
                ATTACHMENT_BYTES >> 20
            );
            return Err(RpcError::new(ErrorKind::TooLarge, message));
        }
        attachments.push(attachment);
    }
    Ok(attachments)
}

async fn read(path: &Path) -> Result<Attachment, RpcError> {
    let wrong = |what: String| {
        RpcError::new(
            ErrorKind::InvalidParams,
            format!("the attachment {}: {what}", path.display()),
        )
    };
    if !path.is_absolute() {
        return Err(wrong("give an absolute path".to_owned()));
    }
    let metadata = tokio::fs::metadata(path)
        .await
        .map_err(|error| wrong(error.to_string()))?;
    if !metadata.is_file() {
        return Err(wrong("it is no file".to_owned()));
    }
    let bytes = metadata.len();
    if bytes > ATTACHMENT_BYTES as u64 {
        return Err(RpcError::new(
            ErrorKind::TooLarge,
            format!(
                "the attachment {} has {bytes} bytes; the limit is {} MiB",
                path.display(),
                ATTACHMENT_BYTES >> 20
            ),
        ));
    }
    let uri = file_uri(path);
    match image_type(path) {
        Some(mime_type) => {
            let data = tokio::fs::read(path)
                .await
                .map_err(|error| wrong(error.to_string()))?;
            let data = STANDARD.encode(data);
            let image = Media {
                mime_type: mime_type.to_owned(),
                data,
                uri: None,
                truncated: false,
            };
            Ok(Attachment::Image { uri, bytes, image })
        }
        None => {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            Ok(Attachment::File {
                uri,
                bytes,
                name,
                mime_type: None,
            })
        }
    }
}

/// Returns the type of the images that models take, by the file's ending.
fn image_type(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        _ => return None,
    })
}
