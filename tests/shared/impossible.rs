//! Small areas that are proven to have no plan, one of each game.

use outwit::games::GameId;

/// The exit is walled in.
const LAST_OF_US: &str = "\
closed
10 10 0
E.........
..........
..........
..........
..........
..........
..........
........##
........##
........#X
";

/// The box is in a corner.
const SOKOBAN: &str = "######\n#$ @.#\n######\n";

/// One robot alone runs into nothing.
const ROBOTS: &str = "1 0\n1 1\n0 0\n";

/// The player is in an inner room, and has no dynamite.
const LABYRINTH: &str = "1\n\
    8 0 10 10 10 0\n0 0 20 0\n0 20 20 20\n0 0 0 20\n20 0 20 20\n\
    8 8 12 8\n8 12 12 12\n8 8 8 12\n12 8 12 12\n";

/// The hero is walled in.
const MONSTERS: &str = "3 5\n#####\n#@..#\n#####\n";

/// The area of a game.
pub fn area(game: GameId) -> &'static str {
    match game {
        GameId::LastOfUs => LAST_OF_US,
        GameId::Sokoban => SOKOBAN,
        GameId::Robots => ROBOTS,
        GameId::Labyrinth => LABYRINTH,
        GameId::Monsters => MONSTERS,
    }
}
