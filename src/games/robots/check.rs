//! Robots as a checker of proofs sees it, over the reference rules: see [`crate::check`].

use super::format::{Case, Move};
use super::rules::{Game, Place, Standing};
use crate::board::Direction;
use crate::certificate::{Expander, Rulebook, Start, Step};

/// Above this many robots the floor is not worth its pairs: it is 1.
const MOST_PAIRED: usize = 12;

impl Rulebook for &Case {
    fn start(&self) -> Start {
        let game = Game::new(self);
        match game.robots.is_empty() {
            true => Start::Goal,
            false => {
                let mut bytes = Vec::new();
                write(&game, &mut bytes);
                Start::State(bytes.into())
            }
        }
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let game = Game::new(self);
        Box::new(Moves {
            moves: moves(self),
            next: 0,
            after: game.clone(),
            game,
            bytes: Vec::new(),
        })
    }

    /// Your place; the rules count rows and columns from 1.
    fn cells(&self, state: &[u8]) -> Vec<(i64, i64)> {
        vec![(i64::from(state[0]) - 1, i64::from(state[1]) - 1)]
    }
}

/// All moves that may be legal.
fn moves(case: &Case) -> Vec<Move> {
    let walks = Direction::ALL.into_iter().map(Some).chain([None]).map(Move::Walk);
    let mut moves: Vec<Move> = walks.collect();
    for &cell in &case.teleports {
        if !moves.contains(&Move::Teleport(cell)) {
            moves.push(Move::Teleport(cell));
        }
    }
    moves
}

/// Your place, which teleports are used, the number of robots, the robots, the debris.
fn write(game: &Game, bytes: &mut Vec<u8>) {
    bytes.clear();
    let mut put = |(row, col): Place| bytes.extend([row as u8, col as u8]);
    put(game.you);
    put((game.robots.len() as i32, 0));
    game.robots.iter().for_each(|&place| put(place));
    game.debris.iter().for_each(|&place| put(place));
    bytes.extend(game.teleports.iter().map(|&(_, used)| u8::from(used)));
}

/// Sets a game of the same case to a state.
fn read(bytes: &[u8], game: &mut Game) {
    let (places, used) = bytes.split_at(bytes.len() - game.teleports.len());
    let mut places = places.chunks_exact(2).map(|two| (i32::from(two[0]), i32::from(two[1])));
    let mut take = || places.next().unwrap_or((0, 0));
    game.you = take();
    let robots = take().0 as usize;
    game.robots = (0..robots).map(|_| take()).collect();
    game.debris = places.collect();
    for (teleport, &used) in game.teleports.iter_mut().zip(used) {
        teleport.1 = used != 0;
    }
    game.standing = Standing::Playing;
}

struct Moves {
    moves: Vec<Move>,
    next: usize,
    game: Game,
    /// The game after the move that was given last; at first the game.
    after: Game,
    bytes: Vec<u8>,
}

impl Expander for Moves {
    fn go_to(&mut self, state: &[u8], _left: u64) {
        read(state, &mut self.game);
        self.after.clone_from(&self.game);
        self.next = 0;
    }

    fn next(&mut self) -> Option<Step<'_>> {
        while let Some(&step) = self.moves.get(self.next) {
            self.next += 1;
            self.after.clone_from(&self.game);
            match self.after.step(step) {
                Err(_) | Ok(Standing::Lost) => {}
                Ok(Standing::Won) => return Some(Step::Goal { cost: 1 }),
                Ok(Standing::Playing) => {
                    write(&self.after, &mut self.bytes);
                    return Some(Step::State { cost: 1, to: &self.bytes });
                }
            }
        }
        None
    }

    fn costs_at_least(&mut self, left: u64) -> bool {
        is_lost(&self.after) || floor(&self.after) >= left
    }

    /// Whoever has used one teleport less can do whatever others can.
    fn is_covered(&mut self, is_closed: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        let used = self.bytes.len() - self.after.teleports.len()..self.bytes.len();
        used.into_iter().any(|at| {
            let is_used = std::mem::take(&mut self.bytes[at]) != 0;
            let is_covered = is_used && is_closed(&self.bytes);
            self.bytes[at] = u8::from(is_used);
            is_covered
        })
    }
}

/// One robot alone has nothing to collide with.
fn is_lost(game: &Game) -> bool {
    game.debris.is_empty() && game.robots.len() < 2
}

/// Every robot has to meet another one, or debris. In a move a robot comes one cell nearer in either axis, and so
/// does what it meets: another robot, or debris that is pushed, for which you have to stand beside it first.
/// Debris that is still to come lies where a robot was then: it is no nearer than that robot came.
fn floor(game: &Game) -> u64 {
    if game.robots.len() > MOST_PAIRED {
        return 1;
    }
    let walks: Vec<(Place, i32)> = game.debris.iter().map(|&at| (at, walk(game, at))).collect();
    let soonest = |&robot: &Place| {
        let others = game.robots.iter().filter(|&&other| other != robot);
        let meeting = others.map(|&other| (distance(robot, other) + 1) / 2);
        let debris = walks.iter().map(|&(at, walk)| {
            let apart = distance(robot, at);
            apart.min((apart + walk + 1) / 2)
        });
        meeting.chain(debris).min().unwrap_or(1)
    };
    game.robots.iter().map(soonest).max().unwrap_or(1).max(1) as u64
}

/// The moves that you need at least to stand beside a cell: on foot, or by a teleport that is not used.
fn walk(game: &Game, to: Place) -> i32 {
    let unused = game.teleports.iter().filter(|(_, used)| !used);
    let teleports = unused.map(|&(place, _)| distance(place, to).max(1));
    teleports.chain([distance(game.you, to) - 1]).min().unwrap_or(0)
}

fn distance(a: Place, b: Place) -> i32 {
    (a.0 - b.0).abs().max((a.1 - b.1).abs())
}

#[cfg(test)]
mod tests {
    use super::super::format::BOARD;
    use super::super::rules::place_of;
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let cell = |row, col| BOARD.cell(row, col);
        let case = Case {
            robots: vec![cell(0, 0), cell(30, 30), cell(14, 20), cell(14, 22)],
            teleports: vec![cell(3, 3), cell(3, 3)],
        };
        let mut game = Game::new(&case);
        game.step(Move::Teleport(cell(3, 3))).expect("it is free");
        game.step(Move::Walk(None)).expect("one may stay");
        let (mut bytes, mut other) = (Vec::new(), Game::new(&case));
        write(&game, &mut bytes);
        read(&bytes, &mut other);
        other.moves = game.moves;
        assert_eq!(other, game);
        assert_eq!(place_of(cell(3, 3)), game.you);
    }
}
