//! A sealed block of rows: compressed once it is no longer among the newest.

use std::borrow::Cow;

use super::row::{RowBuffer, as_text};
use super::style::Link;
use super::view::RowViews;

/// Rows that do not change any more.
#[derive(Debug)]
pub(super) struct Block {
    data: Data,
    text_len: usize,
    meta_len: usize,
    pub(super) rows: usize,
    /// Rows that end a line.
    pub(super) lines: usize,
    /// The last row goes on in the next block.
    pub(super) open: bool,
    pub(super) newest_stamp: u64,
    links: Box<[Link]>,
    link_bytes: usize,
}

#[derive(Debug)]
enum Data {
    Raw(Box<[u8]>),
    Packed(Box<[u8]>),
}

/// The rows of a block, readable.
pub(super) struct OpenBlock<'a> {
    data: Cow<'a, [u8]>,
    text_len: usize,
    links: &'a [Link],
}

impl OpenBlock<'_> {
    pub(super) fn text(&self) -> &str {
        as_text(&self.data[..self.text_len])
    }

    pub(super) fn views(&self) -> RowViews<'_> {
        let (text, meta) = self.data.split_at(self.text_len);
        RowViews::new(text, meta, self.links)
    }
}

impl Block {
    /// Seals what is in `buffer` and leaves it empty, with its room.
    pub(super) fn seal(buffer: &mut RowBuffer) -> Self {
        let mut data = Vec::with_capacity(buffer.text.len() + buffer.meta.len());
        data.extend_from_slice(&buffer.text);
        data.extend_from_slice(&buffer.meta);
        let block = Self {
            data: Data::Raw(data.into_boxed_slice()),
            text_len: buffer.text.len(),
            meta_len: buffer.meta.len(),
            rows: buffer.rows,
            lines: buffer.lines,
            open: buffer.open,
            newest_stamp: buffer.newest_stamp,
            links: std::mem::take(&mut buffer.links).into_boxed_slice(),
            link_bytes: buffer.link_bytes,
        };
        let (text, meta) = (std::mem::take(&mut buffer.text), std::mem::take(&mut buffer.meta));
        *buffer = RowBuffer {
            text,
            meta,
            ..RowBuffer::default()
        };
        buffer.text.clear();
        buffer.meta.clear();
        block
    }

    pub(super) fn open(&self) -> OpenBlock<'_> {
        let data = match &self.data {
            Data::Raw(data) => Cow::Borrowed(&**data),
            Data::Packed(packed) => Cow::Owned(self.unpack(packed)),
        };
        OpenBlock {
            data,
            text_len: self.text_len,
            links: &self.links,
        }
    }

    /// Makes the block appendable again.
    pub(super) fn into_buffer(self) -> RowBuffer {
        let data = match &self.data {
            Data::Raw(data) => data.to_vec(),
            Data::Packed(packed) => self.unpack(packed),
        };
        let meta = data[self.text_len..].to_vec();
        let mut text = data;
        text.truncate(self.text_len);
        RowBuffer::from_parts(text, meta, self.links.into_vec())
    }

    pub(super) fn pack(&mut self) {
        if let Data::Raw(data) = &self.data {
            self.data = Data::Packed(lz4_flex::block::compress(data).into_boxed_slice());
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let (Data::Raw(data) | Data::Packed(data)) = &self.data;
        data.len() + self.link_bytes + size_of::<Self>()
    }

    /// Returns the bytes that reading the block takes.
    pub(super) fn unpacked_bytes(&self) -> usize {
        self.text_len + self.meta_len
    }

    fn unpack(&self, packed: &[u8]) -> Vec<u8> {
        lz4_flex::block::decompress(packed, self.text_len + self.meta_len)
            .expect("the block was packed by this process and nobody writes to it")
    }
}
