//! What the signs of a game mean: the letters of its board and the marks on its cells.

/// The signs of a game, in the order in which they are explained.
///
/// ```
/// use outwit::games::{GameId, Role};
///
/// let legend = GameId::Sokoban.game().legend();
/// assert_eq!(legend.role('*'), Role::Settled);
/// assert_eq!(legend.signs.iter().find(|sign| sign.letter == '*').unwrap().about, "box on a target");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Legend {
    /// Letters of the board; all others are floor.
    pub signs: &'static [Sign],
    /// Kinds of cells that are pointed out and need a word.
    pub marks: &'static [MarkSign],
}

/// A letter of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// The letter.
    pub letter: char,
    /// What it is, whatever the game: how it is drawn.
    pub role: Role,
    /// What it is in this game, in a few words.
    pub about: &'static str,
}

/// A kind of mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkSign {
    /// The kind, as [`Mark::kind`](super::session::Mark::kind) has it.
    pub kind: &'static str,
    /// What it says of its cell, in a few words.
    pub about: &'static str,
}

impl Legend {
    /// What a letter of the board stands for, to be shown in its colour.
    pub fn role(&self, letter: char) -> Role {
        let sign = self.signs.iter().find(|sign| sign.letter == letter);
        sign.map_or(Role::Floor, |sign| sign.role)
    }
}

impl Sign {
    /// A letter, how it is drawn, and what it is.
    pub const fn new(letter: char, role: Role, about: &'static str) -> Sign {
        Sign { letter, role, about }
    }
}

impl MarkSign {
    /// A kind of mark and what it says.
    pub const fn new(kind: &'static str, about: &'static str) -> MarkSign {
        MarkSign { kind, about }
    }
}

/// What a letter of a board stands for, whatever the game: enough to choose a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Role {
    /// Nothing is there.
    Floor,
    /// In the way for good.
    Wall,
    /// Who is played.
    Player,
    /// Where to go, or where something has to go.
    Goal,
    /// A thing that is of use or has to be moved.
    Thing,
    /// A thing that is where it has to be.
    Settled,
    /// An opponent that moves on its own.
    Walker,
    /// An opponent that hunts.
    Hunter,
    /// An opponent that acts from afar.
    Shooter,
    /// A thing that will do harm.
    Trap,
    /// Harm being done.
    Blast,
    /// Not known yet.
    Unknown,
}
