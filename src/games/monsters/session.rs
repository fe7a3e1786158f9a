//! A game played by hand under the reference rules.

use super::format::{Key, Level, MAX_COMPLEXITY, MAX_KEYS, Tile, plan_text};
use super::planner::OfLevel;
use super::rules::{self, Game, Standing};
use crate::board::{Cell, Direction};
use crate::games::fact::Fact;
use crate::games::legend::{Legend, MarkSign, Role, Sign};
use crate::games::objective::Objective;
use crate::games::plan::Answer;
use crate::games::planning::TextPlanner;
use crate::games::session::history::History;
use crate::games::session::{self, IllegalStep, Mark, Session, Status, View, Window};
use crate::search::Run;

/// What the monsters are, for the side of the board.
const KINDS: [(&[char], &str, &str); 7] = [
    (&['^', '>', 'v', '<'], "^>v< sentinel", "walks ahead, turns right where it cannot"),
    (&['*'], "* seeker", "steps toward the hero it sees"),
    (&['X'], "X shooter", "makes a seeker when it sees the hero"),
    (&['o', 'O'], "oO blob", "comes the shortest way, as O"),
    (&['?'], "? mine", "is lit when the hero is beside it"),
    (&['!'], "! lit mine", "blows up the 3x3 around it this turn"),
    (&['%'], "% explosion", "is gone after this turn"),
];

/// What the signs on the board mean.
pub const LEGEND: Legend = Legend {
    signs: &[
        Sign::new('@', Role::Player, "you"),
        Sign::new('^', Role::Walker, "sentinel"),
        Sign::new('>', Role::Walker, "sentinel"),
        Sign::new('v', Role::Walker, "sentinel"),
        Sign::new('<', Role::Walker, "sentinel"),
        Sign::new('*', Role::Hunter, "seeker"),
        Sign::new('X', Role::Shooter, "shooter"),
        Sign::new('o', Role::Hunter, "blob, resting"),
        Sign::new('O', Role::Hunter, "blob, ready"),
        Sign::new('?', Role::Trap, "mine"),
        Sign::new('!', Role::Trap, "lit mine"),
        Sign::new('%', Role::Blast, "explosion"),
        Sign::new('#', Role::Wall, "wall"),
    ],
    marks: &[
        MarkSign::new("hearing", "lights a mine"),
        MarkSign::new("danger", "harm is done here next turn"),
    ],
};

/// A game in progress with its whole past.
#[derive(Debug)]
pub struct Play {
    past: History<Game, Key>,
    complexity: u64,
}

impl Play {
    /// The start of a level.
    pub fn new(level: &Level) -> Self {
        let past = History::new(Game::new(level), MAX_KEYS, act);
        Play { past, complexity: level.complexity() }
    }

    fn world(&self) -> &Game {
        self.past.now()
    }

    /// What to point out: who sees the hero (`target`, a line to him), what a lit mine destroys
    /// this turn and where a sentinel goes (`danger`), what a mine notices (`hearing`).
    fn marks(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        let shape = self.world().shape();
        for cell in shape.iter() {
            match self.world().tile(cell) {
                Tile::Seeker | Tile::Shooter if self.world().toward_seen_hero(cell).is_some() => {
                    let to = self.world().hero().map(|hero| shape.coordinates(hero));
                    self.mark(cell, "target", to, &mut marks);
                }
                Tile::LitMine => self.mark_around(cell, "danger", &mut marks),
                Tile::Mine => self.mark_around(cell, "hearing", &mut marks),
                Tile::Sentinel(ahead) => {
                    if let Some(next) = shape.step(cell, ahead)
                        && matches!(self.world().tile(next), Tile::Floor | Tile::Hero)
                    {
                        self.mark(next, "danger", None, &mut marks);
                    }
                }
                _ => {}
            }
        }
        marks
    }

    fn mark(&self, cell: Cell, kind: &'static str, to: Option<(i64, i64)>, marks: &mut Vec<Mark>) {
        let shape = self.world().shape();
        let (row, col) = shape.coordinates(cell);
        marks.push(Mark { row, col, kind, to });
    }

    fn mark_around(&self, cell: Cell, kind: &'static str, marks: &mut Vec<Mark>) {
        let shape = self.world().shape();
        for near in shape.iter().filter(|&near| shape.chebyshev(near, cell) <= 1) {
            self.mark(near, kind, None, marks);
        }
    }

    fn facts(&self) -> Vec<Fact> {
        let spent = self.complexity * (self.world().turn() + 1);
        let mut facts = vec![
            Fact::new("turn", self.world().turn()),
            Fact::new("complexity", format!("{spent} of {MAX_COMPLEXITY}")),
        ];
        for (letters, name, what) in KINDS {
            let of_kind = |tile: &&Tile| letters.contains(&tile.letter());
            let count = self.world().tiles().iter().filter(of_kind).count();
            if count > 0 {
                facts.push(Fact::new(name, format!("{count}, {what}")));
            }
        }
        facts
    }
}

/// Does a turn of a game that goes on.
fn act(world: &mut Game, key: Key) -> Result<(), String> {
    match world.standing() {
        Standing::Playing => {
            world.act(key);
            Ok(())
        }
        Standing::Won => Err("the game is won".into()),
        Standing::Lost => Err("there is no hero".into()),
    }
}

impl Session for Play {
    fn act(&mut self, step: &str) -> Result<(), IllegalStep> {
        let line = step.strip_suffix('\n').unwrap_or(step);
        let key = Key::from_line(line).ok_or("a key is one of w a s d or a space")?;
        Ok(self.past.act(key)?)
    }

    fn rewind(&mut self, steps: u64) {
        self.past.rewind(steps as usize);
    }

    fn steps(&self) -> u64 {
        self.past.steps().len() as u64
    }

    fn status(&self) -> Status {
        match self.world().standing() {
            Standing::Playing => Status::Playing,
            Standing::Won => Status::Won,
            Standing::Lost => Status::Lost(rules::loss(self.world())),
        }
    }

    fn plan(&self) -> String {
        plan_text(self.past.steps())
    }

    fn search(&self, objective: &Objective, run: &Run) -> Answer {
        let world = self.world();
        let level = Level { shape: world.shape(), tiles: world.tiles().to_vec() };
        let planner = OfLevel::from_position(&level, self.past.steps());
        TextPlanner::solve(&planner, objective, None, run)
    }

    fn length(&self, _: &Objective) -> u64 {
        self.steps()
    }

    fn position(&self) -> Vec<u64> {
        let letters = self.world().tiles().chunks(8);
        let word = |word: u64, tile: &Tile| word << 8 | u64::from(u32::from(tile.letter()));
        letters.map(|tiles| tiles.iter().fold(0, word)).collect()
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let world = self.world();
        let hero = world.hero().or(world.blow().map(|blow| blow.at));
        let shape = world.shape();
        (Window::whole(shape), hero.map(|cell| shape.coordinates(cell)))
    }

    fn view(&self, window: Window) -> View {
        let world = self.world();
        let letter =
            |row: i64, col: i64| world.tile(world.shape().cell(row as u32, col as u32)).letter();
        View::new(window.cut(self.extent().0), letter, self.marks(), self.facts())
    }

    fn keys(&self) -> Vec<session::Key> {
        let step = |direction: Option<Direction>| -> String {
            Key::ALL
                .iter()
                .filter(|key| key.direction() == direction)
                .map(|key| key.letter())
                .collect()
        };
        let mut keys = session::Key::four_ways(|direction| step(Some(direction)), "go");
        keys.push(session::Key::new("space", &step(None), "wait"));
        keys
    }

    fn legend(&self) -> &'static Legend {
        &LEGEND
    }
}
