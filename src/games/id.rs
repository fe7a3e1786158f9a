//! Which game: its name on the command line and in folders.

use crate::search::UnknownWord;
use std::fmt;
use std::str::FromStr;

/// The table of the games that are built in, in the order they are listed: a line for each, with its
/// [`GameId`], its name, and the module and type that are its [`Game`](super::game::Game). It is handed to
/// the macro that is named.
macro_rules! each_game {
    ($macro:ident) => {
        $macro! {
            LastOfUs, "last-of-us", last_of_us;
            Sokoban, "sokoban", sokoban;
            Robots, "robots", robots;
            Labyrinth, "labyrinth", labyrinth;
            Monsters, "monsters", monsters;
            #[cfg(test)] Corridor, "corridor", corridor;
        }
    };
}
pub(in crate::games) use each_game;

macro_rules! declare_ids {
    ($($(#[$when:meta])? $id:ident, $name:literal, $folder:ident;)*) => {
        /// Which game.
        ///
        /// ```
        /// use outwit::games::GameId;
        ///
        /// assert_eq!("last-of-us".parse(), Ok(GameId::LastOfUs));
        /// assert_eq!(GameId::LastOfUs.to_string(), "last-of-us");
        /// assert!("chess".parse::<GameId>().is_err());
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum GameId {
            $($(#[$when])? $id,)*
        }

        impl GameId {
            /// The games that are built in, in the order they are listed.
            pub const ALL: &[GameId] = &[$($(#[$when])? GameId::$id,)*];

            /// The name used on the command line, and for folders under `areas` and `solutions`.
            pub fn name(self) -> &'static str {
                match self {
                    $($(#[$when])? GameId::$id => $name,)*
                }
            }
        }
    };
}

each_game!(declare_ids);

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GameId {
    type Err = UnknownWord;

    fn from_str(name: &str) -> Result<Self, UnknownWord> {
        UnknownWord::find(("game", name), GameId::ALL, GameId::name)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for GameId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for GameId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
