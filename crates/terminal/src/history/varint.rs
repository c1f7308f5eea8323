//! Numbers of variable length: seven bits a byte, the lowest first, the high bit set on all but the last.

/// Appends `number`.
#[inline]
pub(super) fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads the number at `at`, and moves `at` behind it.
#[inline]
pub(super) fn read(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

/// Folds a signed number so that small ones, of either sign, stay short.
#[inline]
pub(super) fn fold(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Undoes [`fold`].
#[inline]
pub(super) fn unfold(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
