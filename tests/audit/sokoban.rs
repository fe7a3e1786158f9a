//! Sokoban: boards of at most 6 by 7 squares inside the wall, in pushes and in moves.

use super::{
    Case, Question, Rules, Tally, Truth, certificates, parts, plain_search, rng, seeds, stray,
};
use outwit::board::{BitBoard, Cell, Direction, ORTHOGONAL};
use outwit::diagnostic::Source;
use outwit::games::GameId;
use outwit::games::sokoban::format::{letter, read_levels};
use outwit::games::sokoban::rules::{Done, Game};
use rand::prelude::*;

/// Levels that are drawn.
const DRAWN: u64 = 1_200;
/// Positions that plain search may expand.
const MOST_POSITIONS: usize = 20_000;

/// A game whose actions cost pushes or moves.
#[derive(Clone)]
struct Measured {
    game: Game,
    in_moves: bool,
}

impl Rules for Measured {
    type Action = Direction;
    type Key = (Cell, BitBoard);

    fn key(&self) -> Self::Key {
        (self.game.player(), self.game.boxes().clone())
    }

    fn actions(&self) -> Vec<Direction> {
        ORTHOGONAL.to_vec()
    }

    fn act(&mut self, direction: Direction) -> Option<u64> {
        match self.game.press(direction).ok()? {
            Done::Pushed => Some(1),
            Done::Moved => Some(u64::from(self.in_moves)),
        }
    }

    fn is_won(&self) -> bool {
        self.game.is_complete()
    }

    fn plan_text(plan: &[Direction]) -> String {
        plan.iter().map(|&direction| letter(direction, false)).chain(['\n']).collect()
    }
}

/// Things on squares: any of them may be on a target.
#[derive(Clone, Copy, PartialEq)]
enum Thing {
    Nothing,
    Wall,
    Box,
    Player,
}

/// The squares inside the wall of a board, each with a thing and perhaps a target.
struct Drawing {
    rows: usize,
    cols: usize,
    squares: Vec<Vec<(Thing, bool)>>,
}

impl Drawing {
    fn new(rng: &mut impl Rng) -> Drawing {
        let (rows, cols) = match rng.random_range(0..5) {
            0 => (rng.random_range(1..=2), rng.random_range(2..=6)),
            _ => (rng.random_range(3..=6), rng.random_range(3..=7)),
        };
        let mut squares = vec![vec![(Thing::Nothing, false); cols]; rows];
        let walls = *[0.0, 0.1, 0.2, 0.3, 0.4].choose(rng).expect("parts");
        for square in squares.iter_mut().flatten() {
            if rng.random_bool(walls) {
                square.0 = Thing::Wall;
            }
        }
        Drawing { rows, cols, squares }
    }

    /// A wall from side to side, perhaps with a door.
    fn split(&mut self, rng: &mut impl Rng) {
        let col = rng.random_range(0..self.cols);
        self.squares.iter_mut().for_each(|row| row[col].0 = Thing::Wall);
        let door = *[Thing::Wall, Thing::Nothing, Thing::Nothing].choose(rng).expect("things");
        self.squares[rng.random_range(0..self.rows)][col].0 = door;
    }

    /// Squares that are empty, by chance.
    fn strewn(&self, count: usize, rng: &mut impl Rng) -> Vec<(usize, usize)> {
        let all = (0..self.rows * self.cols).map(|i| (i / self.cols, i % self.cols));
        all.filter(|&(row, col)| self.squares[row][col].0 == Thing::Nothing).sample(rng, count)
    }

    fn put(&mut self, thing: Thing, count: usize, rng: &mut impl Rng) -> usize {
        let chosen = self.strewn(count, rng);
        chosen.iter().for_each(|&(row, col)| self.squares[row][col].0 = thing);
        chosen.len()
    }

    /// As many targets as boxes anywhere but in walls.
    fn put_targets(&mut self, count: usize, rng: &mut impl Rng) {
        let floor = self.squares.iter_mut().flatten().filter(|square| square.0 != Thing::Wall);
        floor.sample(rng, count).into_iter().for_each(|square| square.1 = true);
    }

    /// The square on one side of another, where it is on the board.
    fn beside(&self, (row, col): (usize, usize), side: Direction) -> Option<(usize, usize)> {
        let row = row.checked_add_signed(side.drow() as isize).filter(|&row| row < self.rows)?;
        let col = col.checked_add_signed(side.dcol() as isize).filter(|&col| col < self.cols)?;
        Some((row, col))
    }

    /// Backward from the end: boxes are pulled off their targets, so that there is a plan.
    fn pull(&mut self, rng: &mut impl Rng) {
        let Some(mut player) = self.strewn(1, rng).first().copied() else { return };
        for _ in 0..rng.random_range(10..=400) {
            let is = |square: (usize, usize), thing| self.squares[square.0][square.1].0 == thing;
            let mut steps = Vec::new();
            for ahead in ORTHOGONAL {
                let next = self.beside(player, ahead).filter(|&next| is(next, Thing::Nothing));
                let behind = self.beside(player, ahead.opposite());
                steps.extend(next.map(|next| (next, behind.filter(|&b| is(b, Thing::Box)))));
            }
            // Rather a pull than a walk.
            let pulls = steps.iter().filter(|(_, behind)| behind.is_some());
            let pull = if rng.random_bool(0.4) { pulls.choose(rng) } else { None };
            let Some(&(next, behind)) = pull.or(steps.choose(rng)) else { break };
            if let Some(behind) = behind.filter(|_| rng.random_bool(0.7)) {
                self.squares[behind.0][behind.1].0 = Thing::Nothing;
                self.squares[player.0][player.1].0 = Thing::Box;
            }
            player = next;
        }
        self.squares[player.0][player.1].0 = Thing::Player;
    }

    /// The board in XSB.
    fn text(&self) -> String {
        let wall = "#".repeat(self.cols + 2);
        let mut text = format!("{wall}\n");
        for row in &self.squares {
            let letters = row.iter().map(|square| match square {
                (Thing::Nothing, false) => ' ',
                (Thing::Nothing, true) => '.',
                (Thing::Wall, _) => '#',
                (Thing::Box, false) => '$',
                (Thing::Box, true) => '*',
                (Thing::Player, false) => '@',
                (Thing::Player, true) => '+',
            });
            text += &format!("#{}#\n", letters.collect::<String>());
        }
        text + &wall + "\n"
    }
}

/// A level with as many targets as boxes, and up to `spare` more where there is room.
fn draw(rng: &mut impl Rng, spare: usize) -> String {
    loop {
        let mut drawing = Drawing::new(rng);
        if rng.random_bool(0.15) {
            drawing.split(rng);
        }
        let boxes = *[0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5].choose(rng).expect("counts");
        let boxes = drawing.put(Thing::Box, boxes, rng);
        if rng.random_bool(0.65) {
            let squares = drawing.squares.iter_mut().flatten();
            squares.for_each(|square| square.1 = square.0 == Thing::Box);
            drawing.pull(rng);
        } else {
            drawing.put(Thing::Player, 1, rng);
            drawing.put_targets(boxes, rng);
        }
        drawing.put_targets(spare, rng);
        // Some levels with nothing to do are enough.
        let to_do = drawing.squares.iter().flatten().any(|&square| square == (Thing::Box, false));
        if to_do || rng.random_bool(0.1) {
            return drawing.text();
        }
    }
}

/// Walls that are taken away from a level.
const TAKEN: usize = 4;

/// A level with some of its inner walls taken away; none where it has none.
fn without_walls(text: &str, rng: &mut impl Rng) -> Option<String> {
    let cols = text.lines().next()?.len();
    let rows = text.lines().count();
    let (mut letters, width) = (text.as_bytes().to_vec(), cols + 1);
    let is_inside = |at: usize| {
        let (row, col) = (at / width, at % width);
        (1..rows - 1).contains(&row) && (1..cols - 1).contains(&col)
    };
    let walls = (0..letters.len()).filter(|&at| letters[at] == b'#' && is_inside(at));
    let taken = walls.sample(rng, TAKEN);
    taken.iter().for_each(|&wall| letters[wall] = b' ');
    (!taken.is_empty()).then(|| String::from_utf8(letters).ok())?
}

/// Takes some walls away from a level. Where that makes a shorter plan possible, the certificate of the original level, in
/// pushes, must be refused for the changed one.
fn audit_without_walls(case: &Case<'_>, text: &str, rng: &mut impl Rng, tally: &mut Tally) {
    let Some(text) = without_walls(text, rng) else { return };
    let Some(area) = tally.read(GameId::Sokoban, case.seed, &text) else { return };
    let level = read_levels(&Source::new("level", text)).expect("it was read before").remove(0);
    let start = Measured { game: Game::new(&level), in_moves: false };
    let truth = plain_search(&start, MOST_POSITIONS);
    if !matches!(truth, Truth::TooLarge) {
        let of = |questions: &[Question]| questions[1..2].to_vec();
        let pushes = Case { questions: of(&case.questions), ..*case };
        let question = Question { optimal: Some("pushes"), least: truth.least() };
        let changed = Case { area: &*area, seed: case.seed, questions: vec![question] };
        certificates::audit_changed(&pushes, &changed, tally);
    }
}

/// Compares what is claimed of a level with plain search.
fn audit(seed: u64, spare: usize, tally: &mut Tally) {
    let mut rng = rng(seed);
    let text = draw(&mut rng, spare);
    let drawn = text.clone();
    let Some(area) = tally.read(GameId::Sokoban, seed, &text) else { return };
    let level = read_levels(&Source::new("level", text)).expect("it was read before").remove(0);
    let start = |in_moves| Measured { game: Game::new(&level), in_moves };
    let [pushes, moves] =
        [false, true].map(|in_moves| plain_search(&start(in_moves), MOST_POSITIONS));
    // What is too large for one measure is not compared in the other.
    let truth = if matches!(moves, Truth::TooLarge) { &moves } else { &pushes };
    if !tally.count(truth) {
        return;
    }
    let question = |optimal, truth: &Truth<Direction>| Question { optimal, least: truth.least() };
    let questions = vec![
        question(None, &pushes),
        question(Some("pushes"), &pushes),
        question(Some("moves"), &moves),
    ];
    let case = Case { area: &*area, seed, questions };
    case.audit_solve(tally);
    if spare == 0 {
        parts::audit((&*area, &drawn, seed), pushes.least(), &mut rng.clone(), tally);
    }
    // In every second one: plain search takes long.
    if seed.is_multiple_of(2) {
        audit_without_walls(&case, &drawn, &mut rng.clone(), tally);
    }
    if let Truth::Least(plan, _) = pushes {
        let in_moves = seed.is_multiple_of(2);
        let stray = stray(&start(in_moves), MOST_POSITIONS, &mut rng);
        // Where nothing is to do, keys are ignored.
        if let Some(least) = stray.least().filter(|_| !plan.is_empty()) {
            let measure = if in_moves { "moves" } else { "pushes" };
            let question = Question { optimal: Some(measure), least };
            let case = Case { questions: vec![question], ..case };
            case.audit_position(&Measured::plan_text(&stray.begun), tally);
        }
        let plan = stray.plan().unwrap_or(plan);
        case.audit_improve(&Measured::plan_text(&plan), tally);
    }
}

#[test]
fn every_claim_holds_against_plain_search() {
    let mut tally = Tally::default();
    seeds(DRAWN).for_each(|seed| audit(seed, 0, &mut tally));
    tally.report(GameId::Sokoban);
    assert!(tally.parts_by_lot > tally.areas / 2 && tally.parts_by_planner > tally.areas / 4);
}

/// Some target stays empty.
#[test]
fn every_claim_holds_where_there_are_more_targets_than_boxes() {
    let mut tally = Tally::default();
    seeds(DRAWN).for_each(|seed| audit(seed, 1 + seed as usize % 3, &mut tally));
    tally.report(GameId::Sokoban);
}

#[test]
fn improving_in_moves_gave_the_length_in_pushes() {
    let text = "#####\n#**@#\n#.$ #\n#####\n";
    let mut tally = Tally::default();
    let area = tally.read(GameId::Sokoban, 11, text).expect("a level");
    let moves = [Question { optimal: Some("moves"), least: Some(2) }];
    let case = Case { area: &*area, seed: 11, questions: moves.to_vec() };
    case.audit_improve("dudL\n", &mut tally);
}
