//! Robots: cases whose robots are near, so that plain search gets through, with the odd corners of
//! the rules in them.

use super::{Rules, Tally, audit_area, rng, seeds};
use outwit::board::{Cell, Direction};
use outwit::diagnostic::Source;
use outwit::games::GameId;
use outwit::games::robots::format::{self, BOARD, Case, Move, START, read_cases};
use outwit::games::robots::rules::{Game, Place, Standing};
use rand::prelude::*;

/// Cases that are drawn.
const DRAWN: u64 = 1_200;
/// States that plain search may expand.
const MOST_STATES: usize = 6_000;

impl Rules for Game {
    type Action = Move;
    type Key = (Place, Vec<Place>, Vec<Place>, Vec<bool>);

    fn key(&self) -> Self::Key {
        let places = |set: &std::collections::BTreeSet<Place>| set.iter().copied().collect();
        let used = self.teleports.iter().map(|&(_, used)| used).collect();
        (self.you, places(&self.robots), places(&self.debris), used)
    }

    fn actions(&self) -> Vec<Move> {
        let mut moves: Vec<Move> =
            Direction::ALL.map(|direction| Move::Walk(Some(direction))).to_vec();
        moves.push(Move::Walk(None));
        for &((row, col), _) in &self.teleports {
            let teleport = Move::Teleport(BOARD.cell(row as u32 - 1, col as u32 - 1));
            if !moves.contains(&teleport) {
                moves.push(teleport);
            }
        }
        moves
    }

    fn act(&mut self, action: Move) -> Option<u64> {
        match self.step(action) {
            Ok(Standing::Playing | Standing::Won) => Some(1),
            Ok(Standing::Lost) | Err(_) => None,
        }
    }

    fn is_won(&self) -> bool {
        self.standing == Standing::Won
    }

    fn plan_text(plan: &[Move]) -> String {
        format::plan_text(plan)
    }
}

/// The cell at this offset, in rows and columns, from the start.
fn beside_start(drow: i32, dcol: i32) -> Option<Cell> {
    BOARD.at(BOARD.row(START) + drow, BOARD.col(START) + dcol)
}

/// Robots around you: scattered, in a row or column that closes in, or side by side.
fn draw_robots(rng: &mut impl Rng) -> Vec<Cell> {
    let reach = rng.random_range(1..=5);
    let mut robots: Vec<Cell> = Vec::new();
    let mut add = |cell: Option<Cell>| {
        if let Some(cell) = cell.filter(|&cell| cell != START && !robots.contains(&cell)) {
            robots.push(cell);
        }
    };
    for _ in 0..rng.random_range(1..=3) {
        let (drow, dcol) = (rng.random_range(-reach..=reach), rng.random_range(-reach..=reach));
        add(beside_start(drow, dcol));
        match rng.random_range(0..5) {
            // One that it meets, one beside it, one behind it.
            0 => add(beside_start(drow, -dcol)),
            1 => add(beside_start(-drow, dcol)),
            2 => add(beside_start(drow, dcol + 1)),
            3 => add(beside_start(drow + drow.signum(), dcol + dcol.signum())),
            _ => {}
        }
    }
    if rng.random_bool(0.1) {
        // All around you but for a gap or two.
        for drow in -2..=2_i32 {
            for dcol in -2..=2_i32 {
                if drow.abs().max(dcol.abs()) == 2 && rng.random_bool(0.8) {
                    add(beside_start(drow, dcol));
                }
            }
        }
    }
    if rng.random_bool(0.1) {
        add(Some(BOARD.cell(0, 0)));
    }
    robots
}

/// Teleport locations: in corners, near, where robots meet or stand, where you start, and twice.
fn draw_teleports(robots: &[Cell], rng: &mut impl Rng) -> Vec<Cell> {
    let mut teleports = Vec::new();
    for _ in 0..*[0, 0, 1, 1, 2, 3].choose(rng).expect("counts") {
        let (first, last) = (0, BOARD.cells() as u32 - 1);
        teleports.push(match rng.random_range(0..6) {
            0 => Cell(*[first, BOARD.cols - 1, last, last - 30].choose(rng).expect("corners")),
            1 => START,
            2 => *robots.choose(rng).expect("a robot"),
            3 => *teleports.choose(rng).unwrap_or(&START),
            4 => {
                // Halfway between two robots: where they leave debris.
                let (a, b) = (robots.choose(rng), robots.choose(rng));
                let (a, b) = (*a.expect("a robot"), *b.expect("a robot"));
                let half = |a: i32, b: i32| ((a + b) / 2) as u32;
                BOARD.cell(half(BOARD.row(a), BOARD.row(b)), half(BOARD.col(a), BOARD.col(b)))
            }
            _ => beside_start(rng.random_range(-4..=4), rng.random_range(-4..=4)).expect("near"),
        });
    }
    teleports
}

fn draw(rng: &mut impl Rng) -> String {
    let robots = draw_robots(rng);
    let teleports = match robots.is_empty() {
        true => Vec::new(),
        false => draw_teleports(&robots, rng),
    };
    format::text(&[Case { robots, teleports }])
}

#[test]
fn every_claim_holds_against_plain_search() {
    let mut tally = Tally::default();
    for seed in seeds(DRAWN) {
        let text = draw(&mut rng(seed));
        let Some(area) = tally.read(GameId::Robots, seed, &text) else { continue };
        let cases = read_cases(&Source::new("case", text)).expect("it was read before");
        audit_area(&Game::new(&cases[0]), MOST_STATES, &*area, seed, &mut tally);
    }
    tally.report(GameId::Robots);
}
