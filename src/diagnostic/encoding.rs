//! Bytes as text: what editors, shells and old programs write.

use std::io::{self, BufRead};

/// Mark that some editors write at the beginning of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Character that ends a text on old systems.
const CTRL_Z: char = '\u{1a}';
/// Bytes a control character in a text that is not UTF-8, at least.
const BYTES_A_CONTROL: usize = 50;
/// Characters of Windows-1252 from 0x80 on, where it is not Latin 1.
const WINDOWS: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž',
    '\u{fffd}', '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}',
    'ž', 'Ÿ',
];

/// Bytes that are no text.
pub(super) struct NotText {
    /// The bytes, each as a character.
    pub text: String,
    /// Number of the byte that no text has, from 0.
    pub at: usize,
}

/// Decodes UTF-16 that begins with a byte order mark, UTF-8, or else Windows-1252.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, NotText> {
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => return Ok(utf_16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => return Ok(utf_16(rest, u16::from_be_bytes)),
        _ => {}
    }
    String::from_utf8(bytes).or_else(|error| windows(error.as_bytes()))
}

/// Half a character and half a pair of them are replaced.
fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text = char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER));
    let half = (bytes.len() % 2 == 1).then_some(char::REPLACEMENT_CHARACTER);
    text.chain(half).collect()
}

fn windows(bytes: &[u8]) -> Result<String, NotText> {
    let letter = |&byte: &u8| match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        byte => char::from(byte),
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = bytes.iter().map(letter).collect();
    match first_foreign(bytes) {
        Some(at) => Err(NotText { text, at }),
        None => Ok(text),
    }
}

/// The first zero, or the first control character where there are many.
fn first_foreign(bytes: &[u8]) -> Option<usize> {
    let is_control = |byte: u8| byte.is_ascii_control() && !b"\t\n\r\x0b\x0c\x1a".contains(&byte);
    let controls = bytes.iter().filter(|&&byte| is_control(byte)).count();
    let zero = bytes.iter().position(|&byte| byte == 0);
    let first = || bytes.iter().position(|&byte| is_control(byte));
    zero.or_else(|| (controls * BYTES_A_CONTROL > bytes.len()).then(first).flatten())
}

/// A text as readers want it, and how many bytes were taken off before it: without a byte order
/// mark, without Ctrl-Z at its end, and with line ends of `\n` or `\r\n` where old systems wrote
/// `\r`. All that is left stands where it stood, but for what was taken off.
pub(super) fn plain(mut text: String) -> (String, usize) {
    let mut skipped = 0;
    if text.starts_with(BYTE_ORDER_MARK) {
        skipped = BYTE_ORDER_MARK.len_utf8();
        text.drain(..skipped);
    }
    let kept = text.trim_end_matches(|c: char| c == CTRL_Z || c.is_whitespace()).len();
    if let Some(end) = text[kept..].find(CTRL_Z) {
        text.truncate(kept + end);
    }
    (with_line_feeds(text), skipped)
}

/// Each `\r` that no `\n` follows is a line end, and `\r\r\n` is one.
fn with_line_feeds(text: String) -> String {
    let is_alone = |pair: &[u8]| pair[0] == b'\r' && pair[1] != b'\n';
    if !text.ends_with('\r') && !text.as_bytes().windows(2).any(is_alone) {
        return text;
    }
    let mut bytes = text.into_bytes();
    for at in 0..bytes.len() {
        let next = bytes.get(at + 1).copied();
        if bytes[at] == b'\r' && next != Some(b'\n') {
            let is_doubled = next == Some(b'\r') && bytes.get(at + 2) == Some(&b'\n');
            bytes[at] = if is_doubled { b' ' } else { b'\n' };
        }
    }
    // One byte of ASCII for another.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Leaves out the byte order mark that a stream begins with.
///
/// # Errors
/// Those of the stream.
pub fn skip_byte_order_mark(input: &mut dyn BufRead) -> io::Result<()> {
    let mut mark = [0; BYTE_ORDER_MARK.len_utf8()];
    let mark = BYTE_ORDER_MARK.encode_utf8(&mut mark);
    if input.fill_buf()?.starts_with(mark.as_bytes()) {
        input.consume(mark.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_all_systems_are_read() {
        for (text, lines) in [
            ("a\rb\r", "a\nb\n"),
            ("a\r\nb\r\n", "a\r\nb\r\n"),
            ("a\r\r\nb\r\r\n", "a \r\nb \r\n"),
            ("a\n\rb", "a\n\nb"),
            ("a\nb\n\u{1a}\n", "a\nb\n"),
            ("a\u{1a}b", "a\u{1a}b"),
            ("\u{feff}", ""),
        ] {
            assert_eq!(plain(text.to_string()).0, lines, "{text:?}");
        }
    }

    #[test]
    fn encodings_are_told_apart() {
        for (bytes, text) in [
            (&b"\xff\xfea\0\xe9\0"[..], "aé"),
            (b"\xfe\xff\0a\0\xe9", "aé"),
            (b"\xff\xfea\0\n", "a\u{fffd}"),
            (b"\xff\xfe\x3d\xd8", "\u{fffd}"),
            (b"a\xc3\xa9", "aé"),
            (b"a\xe9 \x80", "aé €"),
            (b"\xef\xbb\xbfa\xe9", "aé"),
        ] {
            assert_eq!(decode(bytes.to_vec()).ok().as_deref(), Some(text), "{bytes:?}");
        }
        for (bytes, at) in [(&b"a\xe9\0"[..], 2), (b"\x1b\x01\x02\xe9", 0)] {
            assert_eq!(decode(bytes.to_vec()).err().map(|it| it.at), Some(at), "{bytes:?}");
        }
        let few = [&[b'a'; 60][..], b"\xe9\x1b"].concat();
        assert!(decode(few).is_ok(), "an escape sequence in a title");
    }
}
