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

    /// A letter for each role, in the order of their codes: the first that the game has for it. Floor is `.`
    /// or, if that is something else, a blank; what is not known is `_`.
    ///
    /// ```
    /// use outwit::games::{GameId, Role};
    ///
    /// let letters = GameId::Sokoban.game().legend().letters();
    /// let roles = [Role::Wall, Role::Player, Role::Thing, Role::Goal, Role::Floor];
    /// assert_eq!(roles.map(|role| letters[role.code() as usize]), ['#', '@', '$', '.', ' ']);
    /// ```
    pub fn letters(&self) -> [char; Role::ALL.len()] {
        let floor = if self.signs.iter().any(|sign| sign.letter == '.') { ' ' } else { '.' };
        Role::ALL.map(|role| {
            let sign = self.signs.iter().find(|sign| sign.role == role);
            sign.map_or(if role == Role::Floor { floor } else { '_' }, |sign| sign.letter)
        })
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
#[repr(u8)]
pub enum Role {
    /// Not known yet.
    Unknown,
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
}

impl Role {
    /// All of them, in the order of their codes.
    pub const ALL: [Role; 12] = [
        Role::Unknown,
        Role::Floor,
        Role::Wall,
        Role::Player,
        Role::Goal,
        Role::Thing,
        Role::Settled,
        Role::Walker,
        Role::Hunter,
        Role::Shooter,
        Role::Trap,
        Role::Blast,
    ];

    /// The code of the role in observations: its place in [`Role::ALL`].
    #[inline]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Its name, one lower-case word.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Unknown => "unknown",
            Role::Floor => "floor",
            Role::Wall => "wall",
            Role::Player => "player",
            Role::Goal => "goal",
            Role::Thing => "thing",
            Role::Settled => "settled",
            Role::Walker => "walker",
            Role::Hunter => "hunter",
            Role::Shooter => "shooter",
            Role::Trap => "trap",
            Role::Blast => "blast",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Role;

    #[test]
    fn codes_are_places() {
        assert!((0..).zip(Role::ALL).all(|(code, role)| role.code() == code));
    }
}
