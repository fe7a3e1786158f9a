//! Monsters: levels of at most 7 by 8 cells, with the odd corners of the rules in them.

use super::{Rules, Tally, audit_area, rng, seeds};
use outwit::diagnostic::Source;
use outwit::games::GameId;
use outwit::games::monsters::format::{self, Key, Tile, read_level};
use outwit::games::monsters::rules::{Game, Standing};
use rand::prelude::*;

/// Levels that are drawn.
const DRAWN: u64 = 3_000;
/// Worlds that plain search may expand.
const MOST_WORLDS: usize = 4_000;

impl Rules for Game {
    type Action = Key;
    type Key = Vec<Tile>;

    fn key(&self) -> Vec<Tile> {
        self.tiles().to_vec()
    }

    fn actions(&self) -> Vec<Key> {
        Key::ALL.to_vec()
    }

    fn act(&mut self, key: Key) -> Option<u64> {
        if self.standing() != Standing::Playing {
            return None;
        }
        Game::act(self, key);
        (self.standing() != Standing::Lost).then_some(1)
    }

    fn is_won(&self) -> bool {
        self.standing() == Standing::Won
    }

    fn plan_text(plan: &[Key]) -> String {
        format::plan_text(plan)
    }
}

/// Monsters of a level, each as often as it stands here.
const CASTS: [&str; 9] = ["^>v<", "*", "X", "oO", "?", "?!%", "X*", "^>v<*XoO?!", "^>v<*XoO???!%"];

/// A level as rows of letters.
struct Drawing {
    rows: usize,
    cols: usize,
    letters: Vec<Vec<char>>,
}

impl Drawing {
    fn is_border(&self, row: usize, col: usize) -> bool {
        row == 0 || col == 0 || row + 1 == self.rows || col + 1 == self.cols
    }

    /// The cells that are on the border, or those that are not.
    fn cells(&self, on_border: bool) -> Vec<(usize, usize)> {
        let all = (0..self.rows).flat_map(|row| (0..self.cols).map(move |col| (row, col)));
        all.filter(|&(row, col)| self.is_border(row, col) == on_border).collect()
    }

    /// A closed border, walls and monsters inside by chance.
    fn new(rng: &mut impl Rng) -> Drawing {
        let (rows, cols) = (rng.random_range(3..=7), rng.random_range(3..=8));
        let mut drawing = Drawing { rows, cols, letters: vec![vec!['#'; cols]; rows] };
        let cast: Vec<char> = CASTS.choose(rng).expect("casts").chars().collect();
        let walls = *[0.0, 0.1, 0.25, 0.4].choose(rng).expect("parts");
        let monsters = *[0.0, 0.05, 0.12, 0.25, 0.5].choose(rng).expect("parts");
        for (row, col) in drawing.cells(false) {
            drawing.letters[row][col] = if rng.random_bool(walls) {
                '#'
            } else if rng.random_bool(monsters) {
                *cast.choose(rng).expect("a cast")
            } else {
                '.'
            };
        }
        drawing
    }

    /// Opens some of the border, or only corners of it, or nothing.
    fn open(&mut self, rng: &mut impl Rng) {
        let border = self.cells(true);
        let (last_row, last_col) = (self.rows - 1, self.cols - 1);
        let is_corner = |&(row, col): &(usize, usize)| row % last_row == 0 && col % last_col == 0;
        let open: Vec<(usize, usize)> = match rng.random_range(0..8) {
            0 => Vec::new(),
            1 => border.into_iter().filter(is_corner).collect(),
            2 => border,
            3 => border.into_iter().filter(|_| rng.random_bool(0.3)).collect(),
            n => border.sample(rng, n - 3).copied().collect(),
        };
        for (row, col) in open {
            self.letters[row][col] = '.';
        }
    }

    /// A wall from side to side, perhaps with something in it that is no wall.
    fn split(&mut self, rng: &mut impl Rng) {
        let col = rng.random_range(1..self.cols - 1);
        for row in 1..self.rows - 1 {
            self.letters[row][col] = '#';
        }
        let row = rng.random_range(1..self.rows - 1);
        self.letters[row][col] = *['#', '.', '?', 'X', '^', 'o'].choose(rng).expect("letters");
    }

    /// The hero inside, rarely on the border or nowhere; sometimes something stands near him.
    fn place_hero(&mut self, rng: &mut impl Rng) {
        let on_border = match rng.random_range(0..24) {
            0 => return,
            1 => true,
            _ => false,
        };
        let (row, col) = *self.cells(on_border).choose(rng).expect("cells");
        self.letters[row][col] = '@';
        if on_border || rng.random_bool(0.5) {
            return;
        }
        let near: Vec<_> = self.cells(false).into_iter().filter(|&c| c != (row, col)).collect();
        // A mine beside him, or somebody in his row or column who sees him.
        let letter = *['?', '!', '*', 'X', 'O', '<', '^'].choose(rng).expect("letters");
        let close = |&&(r, c): &&(usize, usize)| r.abs_diff(row) <= 1 && c.abs_diff(col) <= 1;
        let in_line = |&&(r, c): &&(usize, usize)| r == row || c == col;
        let chosen = match letter {
            '?' | '!' => near.iter().filter(close).choose(rng),
            _ => near.iter().filter(in_line).choose(rng),
        };
        if let Some(&(r, c)) = chosen {
            self.letters[r][c] = letter;
        }
    }

    fn text(&self) -> String {
        let rows = self.letters.iter().map(|row| row.iter().collect::<String>() + "\n");
        format!("{} {}\n{}", self.rows, self.cols, rows.collect::<String>())
    }
}

fn draw(rng: &mut impl Rng) -> String {
    let mut drawing = Drawing::new(rng);
    if rng.random_bool(0.3) {
        drawing.split(rng);
    }
    drawing.open(rng);
    drawing.place_hero(rng);
    drawing.text()
}

#[test]
fn every_claim_holds_against_plain_search() {
    let mut tally = Tally::default();
    for seed in seeds(DRAWN) {
        let text = draw(&mut rng(seed));
        let Some(area) = tally.read(GameId::Monsters, seed, &text) else { continue };
        let level = read_level(&Source::new("level", text)).expect("it was read before").0;
        audit_area(&Game::new(&level), MOST_WORLDS, &*area, seed, &mut tally);
    }
    tally.report(GameId::Monsters);
}
