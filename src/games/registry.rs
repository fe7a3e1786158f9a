//! The games that are built in, by their ids, and which of them a file is of.

use crate::diagnostic::{Diagnostic, Source};
use crate::games::game::Game;
use crate::games::id::{GameId, each_game};
use std::path::Path;

macro_rules! declare_games {
    ($($(#[$when:meta])? $id:ident, $name:literal, $folder:ident;)*) => {
        impl GameId {
            /// The game itself.
            pub fn game(self) -> &'static dyn Game {
                match self {
                    $($(#[$when])? GameId::$id => &crate::games::$folder::$id,)*
                }
            }
        }
    };
}

each_game!(declare_games);

/// Tells which game a file is of: by its ending where only one game has it, by the folder it is in,
/// by its content where only one game recognises it, and else by the nearest folder above that is
/// named like a game.
///
/// # Errors
/// A diagnostic about the file as a whole where that leaves it open.
pub fn identify(path: &Path, source: &Source) -> Result<GameId, Diagnostic> {
    if let Some(game) = by_ending(path) {
        return Ok(game);
    }
    // What comes from stdin lies in no folder.
    let path = match path.as_os_str() == "-" {
        true => path.to_path_buf(),
        false => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()),
    };
    let mut named = path.ancestors().skip(1).map(|folder| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.and_then(|name| name.parse::<GameId>().ok())
    });
    if let Some(Some(game)) = named.next() {
        return Ok(game);
    }
    let recognising: Vec<GameId> =
        GameId::ALL.iter().copied().filter(|id| id.game().recognises(&source.text)).collect();
    // Input of a game's own program is not an area: the reader says so.
    let is_for_simulator = |id: &GameId| id.game().is_for_simulator(&source.text);
    let simulated = GameId::ALL.iter().copied().find(is_for_simulator);
    if let [game] = recognising[..]
        && (simulated.is_none() || game.game().read(source).is_ok())
    {
        return Ok(game);
    }
    named.flatten().next().or(simulated).ok_or_else(|| {
        if source.text.trim().is_empty() {
            return Diagnostic::file(&source.name, "the file is empty");
        }
        let games = if recognising.is_empty() { GameId::ALL } else { &recognising[..] };
        let names: Vec<_> = games.iter().map(|id| id.name()).collect();
        Diagnostic::file(&source.name, "cannot tell which game this is")
            .help(format!("say --game with one of {}", names.join(", ")))
    })
}

/// The game whose files alone have such an ending.
fn by_ending(path: &Path) -> Option<GameId> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    GameId::ALL.iter().copied().find(|id| id.game().endings().contains(&ending.as_str()))
}
