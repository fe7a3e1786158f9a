//! How an input is taken apart.

use outwit::diagnostic::Source;
use outwit::games::{Area, Collection, GameId};

/// What parts two texts.
pub const SEPARATOR: u8 = 0;
/// Areas of a text that a target looks at, for each game.
const MOST_AREAS: usize = 3;

/// The text before the first separator, and what follows it.
pub fn split(data: &[u8]) -> (String, &[u8]) {
    let at = data.iter().position(|&byte| byte == SEPARATOR).unwrap_or(data.len());
    (text(&data[..at]), data.get(at + 1..).unwrap_or_default())
}

/// Bytes as text; what is no UTF-8 becomes a sign of that.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The first areas of a text, by each game that can read it.
pub fn areas(text: &str) -> Vec<Box<dyn Area>> {
    let source = Source::new("area", text);
    let read =
        |id: &GameId| id.game().read(&source).map(Collection::into_areas).unwrap_or_default();
    GameId::ALL.iter().flat_map(|id| read(id).into_iter().take(MOST_AREAS)).collect()
}

/// The bytes that are left, taken one by one; zeros when there are none.
pub struct Choices<'a>(std::slice::Iter<'a, u8>);

impl<'a> Choices<'a> {
    /// Of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Choices(bytes.iter())
    }

    /// Whether none is left.
    pub fn are_over(&self) -> bool {
        self.0.as_slice().is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    /// A number below another, which is not 0 and at most 256.
    pub fn below(&mut self, most: usize) -> usize {
        usize::from(self.byte()) % most
    }

    /// A number below 65536.
    pub fn wide(&mut self) -> u64 {
        u64::from(self.byte()) << 8 | u64::from(self.byte())
    }
}
