//! The picture that the word `image` sends: a PNG made here, without compression and without a library.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The largest block of stored bytes in a deflate stream (RFC 1951, 3.2.4).
const MAX_STORED_BLOCK_BYTES: usize = 65_535;

/// The colours of the picture, from top left to bottom right.
const PALETTE: [[u8; 3]; 6] = [
    [24, 49, 83],
    [33, 92, 122],
    [58, 140, 137],
    [134, 182, 122],
    [236, 200, 110],
    [222, 120, 84],
];

/// Returns a square PNG with sides of `edge` pixels, in base64.
pub(super) fn png_base64(edge: u32) -> String {
    STANDARD.encode(png(edge))
}

fn png(edge: u32) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(edge.to_be_bytes());
    header.extend(edge.to_be_bytes());
    // 8 bits a pixel, palette, deflate, the one filter method, not interlaced (PNG specification, 11.2.2).
    header.extend([8, 3, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    push_chunk(&mut file, *b"IHDR", &header);
    push_chunk(&mut file, *b"PLTE", PALETTE.as_flattened());
    push_chunk(&mut file, *b"IDAT", &zlib_stored(&pixels(edge)));
    push_chunk(&mut file, *b"IEND", &[]);
    file
}

/// Returns diagonal bands, one byte a pixel, each row after its filter byte (0, none).
fn pixels(edge: u32) -> Vec<u8> {
    let bands = PALETTE.len() as u32;
    let mut rows = Vec::new();
    for y in 0..edge {
        rows.push(0);
        for x in 0..edge {
            let band = (x + y) * bands / (2 * edge);
            rows.push(
                u8::try_from(band).expect("x + y is less than twice the edge, so a band of the palette"),
            );
        }
    }
    rows
}

fn push_chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("the edge is limited, so that a chunk is far below 4 GiB");
    file.extend(length.to_be_bytes());
    let checked_from = file.len();
    file.extend(kind);
    file.extend(data);
    let checksum = crc32(&file[checked_from..]);
    file.extend(checksum.to_be_bytes());
}

/// Returns a zlib stream of stored blocks (RFC 1950 and 1951).
fn zlib_stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = data.chunks(MAX_STORED_BLOCK_BYTES).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).expect("a block has at most 65,535 bytes");
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    stream.extend(adler32(data).to_be_bytes());
    stream
}

fn crc32(data: &[u8]) -> u32 {
    const TABLE: [u32; 256] = crc32_table();
    let register = data.iter().fold(u32::MAX, |register, byte| {
        let [low, ..] = register.to_le_bytes();
        TABLE[usize::from(low ^ byte)] ^ (register >> 8)
    });
    !register
}

const fn crc32_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut value = index as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 {
                0xEDB8_8320 ^ (value >> 1)
            } else {
                value >> 1
            };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
}

fn adler32(data: &[u8]) -> u32 {
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in data {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    (high << 16) | low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Check values of the two sums for "123456789", as their catalogues give them.
    #[test]
    fn checksums_have_their_published_values() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(adler32(b"123456789"), 0x091E_01DE);
    }

    #[test]
    fn every_size_is_a_png_with_all_its_rows() {
        for edge in [1, 64, 300] {
            let file = png(edge);
            assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
            assert_eq!(&file[16..20], edge.to_be_bytes());
            let raw_bytes = (edge * (edge + 1)) as usize;
            let blocks = raw_bytes.div_ceil(MAX_STORED_BLOCK_BYTES);
            // Signature, four chunks of 12 bytes around their data, header, palette, zlib around the rows.
            assert_eq!(file.len(), 8 + 4 * 12 + 13 + 18 + 2 + 5 * blocks + raw_bytes + 4);
        }
    }
}
