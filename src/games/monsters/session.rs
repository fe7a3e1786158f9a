//! A game played by hand under the reference rules.

use super::format::{Key, Level, MAX_COMPLEXITY, MAX_KEYS, Tile, picture, plan_text};
use super::rules::{self, Standing, World};
use crate::board::Cell;
use crate::games::{self, Fact, Mark, Role, Session, Status, View, Window};

/// The world is kept whole every so many turns, so that taking one back replays no more than this.
const CHECKPOINT_TURNS: usize = 64;

/// What the monsters are, for the side of the board.
const LEGEND: [(&[char], &str, &str); 7] = [
    (&['^', '>', 'v', '<'], "^>v< sentinel", "walks ahead, turns right where it cannot"),
    (&['*'], "* seeker", "steps toward the hero it sees"),
    (&['X'], "X shooter", "makes a seeker when it sees the hero"),
    (&['o', 'O'], "oO blob", "comes the shortest way, as O"),
    (&['?'], "? mine", "is lit when the hero is beside it"),
    (&['!'], "! lit mine", "blows up the 3x3 around it this turn"),
    (&['%'], "% explosion", "is gone after this turn"),
];

/// A game in progress with its whole past.
pub struct Play {
    world: World,
    complexity: u64,
    keys: Vec<Key>,
    /// The worlds after 0, [`CHECKPOINT_TURNS`], twice as many, … turns.
    checkpoints: Vec<World>,
}

impl Play {
    /// The start of a level.
    pub fn new(level: &Level) -> Self {
        let world = World::new(level);
        let complexity = level.complexity();
        Play { checkpoints: vec![world.clone()], world, complexity, keys: Vec::new() }
    }

    fn coordinates(&self, cell: Cell) -> (i64, i64) {
        let shape = self.world.shape();
        (shape.row(cell).into(), shape.col(cell).into())
    }

    /// What to point out: who sees the hero (`target`, a line to him), what a lit mine destroys
    /// this turn and where a sentinel goes (`danger`), what a mine notices (`hearing`).
    fn marks(&self) -> Vec<Mark> {
        let mut marks = Vec::new();
        let shape = self.world.shape();
        for cell in shape.iter() {
            match self.world.tile(cell) {
                Tile::Seeker | Tile::Shooter if self.world.toward_seen_hero(cell).is_some() => {
                    let to = self.world.hero().map(|hero| self.coordinates(hero));
                    self.mark(cell, "target", to, &mut marks);
                }
                Tile::LitMine => self.mark_around(cell, "danger", &mut marks),
                Tile::Mine => self.mark_around(cell, "hearing", &mut marks),
                Tile::Sentinel(ahead) => {
                    if let Some(next) = shape.step(cell, ahead)
                        && matches!(self.world.tile(next), Tile::Floor | Tile::Hero)
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
        let (row, col) = self.coordinates(cell);
        marks.push(Mark { row, col, kind, to });
    }

    fn mark_around(&self, cell: Cell, kind: &'static str, marks: &mut Vec<Mark>) {
        let shape = self.world.shape();
        for near in shape.iter().filter(|&near| shape.chebyshev(near, cell) <= 1) {
            self.mark(near, kind, None, marks);
        }
    }

    fn facts(&self) -> Vec<Fact> {
        let spent = self.complexity * (self.world.turn() + 1);
        let mut facts = vec![
            Fact::new("turn", self.world.turn()),
            Fact::new("complexity", format!("{spent} of {MAX_COMPLEXITY}")),
        ];
        for (letters, name, what) in LEGEND {
            let of_kind = |tile: &&Tile| letters.contains(&tile.letter());
            let count = self.world.tiles().iter().filter(of_kind).count();
            if count > 0 {
                facts.push(Fact::new(name, format!("{count}, {what}")));
            }
        }
        facts
    }
}

impl Session for Play {
    fn act(&mut self, step: &str) -> Result<(), String> {
        let line = step.strip_suffix('\n').unwrap_or(step);
        let Some(key) = Key::from_line(line) else {
            return Err("a key is one of w a s d or a space".into());
        };
        match self.world.standing() {
            Standing::Playing => {}
            Standing::Won => return Err("the game is won".into()),
            Standing::Lost => return Err("there is no hero".into()),
        }
        if self.keys.len() == MAX_KEYS {
            return Err(format!("a plan has at most {MAX_KEYS} keys"));
        }
        self.world.act(key);
        self.keys.push(key);
        if self.keys.len().is_multiple_of(CHECKPOINT_TURNS) {
            self.checkpoints.push(self.world.clone());
        }
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let steps = self.steps();
        self.rewind(steps.saturating_sub(1));
        steps > 0
    }

    fn rewind(&mut self, steps: u64) {
        if steps >= self.steps() {
            return;
        }
        self.keys.truncate(steps as usize);
        self.checkpoints.truncate(self.keys.len() / CHECKPOINT_TURNS + 1);
        self.world = self.checkpoints[self.checkpoints.len() - 1].clone();
        for &key in &self.keys[(self.checkpoints.len() - 1) * CHECKPOINT_TURNS..] {
            self.world.act(key);
        }
    }

    fn steps(&self) -> u64 {
        self.keys.len() as u64
    }

    fn status(&self) -> Status {
        match self.world.standing() {
            Standing::Playing => Status::Playing,
            Standing::Won => Status::Won,
            Standing::Lost => Status::Lost(rules::loss(&self.world)),
        }
    }

    fn plan(&self) -> String {
        plan_text(&self.keys)
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let shape = self.world.shape();
        let window = Window { row: 0, col: 0, rows: shape.rows, cols: shape.cols };
        let hero = self.world.hero().or(self.world.blow().map(|blow| blow.at));
        (window, hero.map(|cell| self.coordinates(cell)))
    }

    fn view(&self, window: Window) -> View {
        let window = window.cut(self.extent().0);
        let (from, to) = (window.col as usize, window.col as usize + window.cols as usize);
        let rows = picture(self.world.shape(), self.world.tiles())
            .lines()
            .skip(window.row as usize)
            .take(window.rows as usize)
            .map(|row| row[from..to].to_string())
            .collect();
        let mut marks = self.marks();
        marks.retain(|mark| window.contains(mark.row, mark.col));
        View { window, rows, marks, facts: self.facts() }
    }

    fn keys(&self) -> Vec<games::Key> {
        let key = |key: &str, step: Key, about: &str| games::Key {
            key: key.into(),
            step: step.letter().to_string(),
            about: about.into(),
        };
        vec![
            key("up", Key::Up, "go up"),
            key("w", Key::Up, "go up"),
            key("left", Key::Left, "go left"),
            key("a", Key::Left, "go left"),
            key("down", Key::Down, "go down"),
            key("s", Key::Down, "go down"),
            key("right", Key::Right, "go right"),
            key("d", Key::Right, "go right"),
            key("space", Key::Wait, "wait"),
        ]
    }

    fn role(&self, letter: char) -> Role {
        match Tile::from_letter(letter) {
            None | Some(Tile::Floor) => Role::Floor,
            Some(Tile::Hero) => Role::Player,
            Some(Tile::Wall) => Role::Wall,
            Some(Tile::Sentinel(_)) => Role::Walker,
            Some(Tile::Seeker | Tile::RestingBlob | Tile::ReadyBlob) => Role::Hunter,
            Some(Tile::Shooter) => Role::Shooter,
            Some(Tile::Mine | Tile::LitMine) => Role::Trap,
            Some(Tile::Explosion) => Role::Blast,
        }
    }
}
