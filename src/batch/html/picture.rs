//! Small pictures of areas within HTML.

use crate::batch::Task;
use crate::games::Fingerprint;
use crate::render::Picture;
use std::collections::BTreeMap;

/// The longest side of a picture, in pixels, however large its area is.
const SIDE: usize = 160;
/// The signs of base64.
const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Pictures of areas by their content.
pub struct Pictures<'a> {
    areas: BTreeMap<Fingerprint, &'a Task>,
}

impl<'a> Pictures<'a> {
    /// The pictures of these areas.
    pub fn new(areas: &'a [Task]) -> Self {
        let by_content = |task: &'a Task| (Fingerprint::of_area(&*task.area), task);
        Pictures { areas: areas.iter().map(by_content).collect() }
    }

    /// The picture of an area as an element of HTML; none where the area is not there or too large to be drawn.
    pub fn of(&self, area: Option<Fingerprint>) -> Option<String> {
        let task = self.areas.get(&area?)?;
        let png = Picture::new(&*task.area, &[]).ok()?.thumbnail(SIDE).ok()?;
        Some(format!(
            "<img alt=\"\" loading=\"lazy\" src=\"data:image/png;base64,{}\">",
            base64(&png)
        ))
    }
}

/// Bytes in base64 (RFC 4648, with padding).
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= three.len() { char::from(sign) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648.
    #[test]
    fn bytes_are_written_in_base64() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfb]), "//77");
    }
}
