//! The Last of Us: areas of few open cells, with the odd corners of the rules in them; the bound that
//! rests on guards, from every state of areas that have some; and the bound by abstraction, from
//! states of crowded areas.

use super::{Rules, Tally, audit_area, is_part, rng, seeds};
use outwit::board::{Cell, Direction};
use outwit::certificate::{Certificate, Claim, MAX_STATES};
use outwit::check::check;
use outwit::diagnostic::Source;
use outwit::games::last_of_us::format::{self, Action, Map, THROW_RANGE, read_map};
use outwit::games::last_of_us::planner::abstraction::Abstraction;
use outwit::games::last_of_us::planner::bound::{Guards, Roused};
use outwit::games::last_of_us::planner::heuristic::walk_field;
use outwit::games::last_of_us::rules::{Clicker, Event, Game, Readings};
use outwit::games::last_of_us::state::{Board, Move, Simulator, State};
use outwit::games::{Fingerprint, GameId};
use outwit::search::crew::Crew;
use outwit::search::{Allowance, Known, Run, Search};
use rand::prelude::*;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Areas that are drawn.
const DRAWN: u64 = 1_500;
/// States that plain search may expand.
const MOST_STATES: usize = 15_000;
/// Areas with guards that are drawn for their bounds.
const GUARDED: u64 = 300;
/// States of an area whose bounds are compared, at most.
const MOST_BOUNDS: usize = 15_000;
/// Crowded areas that are drawn for the bound by abstraction.
const CROWDED: u64 = 600;
/// States of such an area whose bounds are compared, at most.
const MOST_CROWDED: usize = 300;
/// Memory for the distance fields of the simulator, in bytes.
const FIELD_BYTES: usize = 1 << 20;

impl Rules for Game {
    type Action = Action;
    type Key = (Cell, u32, Vec<Clicker>);

    fn key(&self) -> Self::Key {
        let mut clickers = self.clickers().to_vec();
        // They are sorted again each turn, so that their order does not matter.
        clickers.sort();
        (self.ellie(), self.bricks(), clickers)
    }

    fn actions(&self) -> Vec<Action> {
        let mut actions: Vec<Action> =
            Direction::ALL.map(|direction| Action::Walk(Some(direction))).to_vec();
        actions.push(Action::Walk(None));
        if self.bricks() == 0 {
            return actions;
        }
        let (shape, range) = (self.map().shape, -THROW_RANGE..=THROW_RANGE);
        let (row, col) = (shape.row(self.ellie()), shape.col(self.ellie()));
        for (drow, dcol) in range.clone().flat_map(|r| range.clone().map(move |c| (r, c))) {
            let target = shape.at(row + drow, col + dcol);
            if target.is_some_and(|cell| !self.map().is_blocked(cell)) {
                actions.push(Action::Throw { drow: drow as i8, dcol: dcol as i8 });
            }
        }
        actions
    }

    fn act(&mut self, action: Action) -> Option<u64> {
        match Game::act(self, action) {
            Ok(Event::Survived | Event::Won) => Some(1),
            Ok(Event::Killed(_)) | Err(_) => None,
        }
    }

    fn is_won(&self) -> bool {
        self.ellie() == self.map().exit
    }

    fn plan_text(plan: &[Action]) -> String {
        format::plan_text(plan)
    }
}

/// An area as rows of letters, blocked at first.
struct Drawing {
    rows: usize,
    cols: usize,
    letters: Vec<Vec<char>>,
}

impl Drawing {
    fn new(rows: usize, cols: usize) -> Drawing {
        Drawing { rows, cols, letters: vec![vec!['#'; cols]; rows] }
    }

    fn open(&self) -> Vec<(usize, usize)> {
        let all = (0..self.rows).flat_map(|row| (0..self.cols).map(move |col| (row, col)));
        all.filter(|&(row, col)| self.letters[row][col] == '.').collect()
    }

    /// Opens a rectangle, in a corner of the board or anywhere, but for some cells.
    fn carve_room(&mut self, rng: &mut impl Rng) {
        let (height, width) = (rng.random_range(1..=5), rng.random_range(2..=6));
        let row = *[0, self.rows - height, rng.random_range(0..=self.rows - height)]
            .choose(rng)
            .expect("places");
        let col = *[0, self.cols - width, rng.random_range(0..=self.cols - width)]
            .choose(rng)
            .expect("places");
        let walls = *[0.0, 0.1, 0.25].choose(rng).expect("parts");
        for (row, col) in (row..row + height).flat_map(|r| (col..col + width).map(move |c| (r, c)))
        {
            if !rng.random_bool(walls) {
                self.letters[row][col] = '.';
            }
        }
    }

    /// Opens a winding corridor.
    fn carve_corridor(&mut self, rng: &mut impl Rng) {
        let (mut row, mut col) = (rng.random_range(0..self.rows), rng.random_range(0..self.cols));
        let mut ahead = Direction::East;
        for _ in 0..rng.random_range(3..=18) {
            self.letters[row][col] = '.';
            if rng.random_bool(0.4) {
                ahead = *Direction::ALL.choose(rng).expect("directions");
            }
            row = row.saturating_add_signed(ahead.drow() as isize).min(self.rows - 1);
            col = col.saturating_add_signed(ahead.dcol() as isize).min(self.cols - 1);
        }
    }

    /// Halls of 5 by 5 side by side, each with a clicker in its middle, and rims of walls with some
    /// doors, each with a lane before it. By the first one is Ellie, by the last one the exit.
    fn carve_guarded_halls(&mut self, halls: usize, rng: &mut impl Rng) {
        for hall in 0..halls {
            let left = 1 + 6 * hall;
            for (row, col) in (2..7).flat_map(|row| (left + 1..left + 6).map(move |c| (row, c))) {
                self.letters[row][col] = '.';
            }
            self.letters[4][left + 3] = 'C';
        }
        for between in 1..halls {
            self.letters[rng.random_range(2..=6)][1 + 6 * between] = '.';
        }
        let right = 1 + 6 * halls;
        let sides = [[3, 1], [0, 2], [3, 2], [0, 1], [3, 0]].choose(rng).expect("sides");
        for (&side, letter) in sides.iter().zip(['E', 'X']) {
            // In the middle more often than not.
            let along = |from: usize, rng: &mut dyn Rng| {
                if rng.random_bool(0.6) { from + 2 } else { from + rng.random_range(0..=4) }
            };
            let near = if letter == 'E' { 2 } else { right - 5 };
            let (door, before, lane) = match side {
                0 => ((1, along(near, rng)), 0, false),
                1 => ((along(2, rng), right), right + 1, true),
                2 => ((7, along(near, rng)), 8, false),
                _ => ((along(2, rng), 1), 0, true),
            };
            self.letters[door.0][door.1] = '.';
            let at = if lane { door.0 } else { door.1 };
            let end = (at + rng.random_range(0..=2)).min(if lane { 9 } else { right });
            for step in at..=end {
                let (row, col) = if lane { (step, before) } else { (before, step) };
                self.letters[row][col] = if step == end { letter } else { '.' };
            }
        }
    }

    /// Puts letters on open cells: Ellie, the exit, clickers, near each other now and then.
    fn place(&mut self, clickers: usize, rng: &mut impl Rng) {
        let open = self.open();
        let Some(&ellie) = open.choose(rng) else { return };
        let near = |&&(row, col): &&(usize, usize)| {
            (row, col) != ellie && row.abs_diff(ellie.0) <= 1 && col.abs_diff(ellie.1) <= 1
        };
        let far =
            |&&(row, col): &&(usize, usize)| row.abs_diff(ellie.0) > 2 || col.abs_diff(ellie.1) > 2;
        let beside: Vec<_> = open.iter().filter(near).collect();
        let away: Vec<_> = open.iter().filter(far).collect();
        let exit = match rng.random_range(0..8) {
            0 => beside.choose(rng).copied(),
            1 => away.iter().min().copied(),
            2 => away.iter().max().copied(),
            _ => away.choose(rng).copied(),
        };
        let Some(&exit) = exit else { return };
        for _ in 0..clickers {
            // Beside the exit, on the way, even beside Ellie.
            let by_exit = |&&(row, col): &&(usize, usize)| {
                row.abs_diff(exit.0) <= 2 && col.abs_diff(exit.1) <= 2
            };
            let cell = match rng.random_range(0..6) {
                0 => open.iter().filter(by_exit).choose(rng),
                1 => open.choose(rng),
                _ => away.choose(rng).copied(),
            };
            if let Some(&(row, col)) = cell {
                self.letters[row][col] = 'C';
            }
        }
        self.letters[ellie.0][ellie.1] = 'E';
        self.letters[exit.0][exit.1] = 'X';
    }

    fn text(&self, bricks: u32) -> String {
        let rows = self.letters.iter().map(|row| row.iter().collect::<String>() + "\n");
        format!("audit\n{} {} {bricks}\n{}", self.rows, self.cols, rows.collect::<String>())
    }
}

fn draw(rng: &mut impl Rng) -> String {
    let mut drawing = Drawing::new(10, rng.random_range(10..=11));
    match rng.random_range(0..4) {
        0 => drawing.carve_corridor(rng),
        1 => {
            drawing.carve_room(rng);
            drawing.carve_corridor(rng);
        }
        _ => {
            drawing.carve_room(rng);
            if rng.random_bool(0.3) {
                drawing.carve_room(rng);
            }
        }
    }
    let clickers = *[0, 1, 1, 1, 2, 2, 3].choose(rng).expect("counts");
    // Throws make areas large for plain search: many bricks only where little is open.
    let bricks = match drawing.open().len() {
        0..=6 => *[0, 1, 2, 3, 140].choose(rng).expect("counts"),
        7..=14 => rng.random_range(0..=2),
        _ => *[0, 0, 1].choose(rng).expect("counts"),
    };
    drawing.place(clickers, rng);
    drawing.text(bricks)
}

/// More states than the planner's first exact search expands, so that what follows it has its turn.
fn draw_large(rng: &mut impl Rng) -> String {
    let mut drawing = Drawing::new(10, 10);
    for _ in 0..3 {
        drawing.carve_room(rng);
        drawing.carve_corridor(rng);
    }
    drawing.place(rng.random_range(2..=3), rng);
    drawing.text(0)
}

fn draw_guarded(halls: usize, rng: &mut impl Rng) -> String {
    let mut drawing = Drawing::new(10, (3 + 6 * halls).max(10));
    drawing.carve_guarded_halls(halls, rng);
    if halls == 1 && rng.random_bool(0.3) {
        drawing.carve_corridor(rng);
    }
    let bricks = if halls == 1 { *[0, 0, 1, 1, 2].choose(rng).expect("counts") } else { 0 };
    drawing.text(bricks)
}

/// Two or three rooms and corridors between them, Ellie far on the left, the exit far on the right,
/// clickers anywhere between.
fn draw_crowded(rng: &mut impl Rng) -> String {
    let mut drawing = Drawing::new(10, rng.random_range(10..=14));
    for _ in 0..rng.random_range(2..=3) {
        drawing.carve_room(rng);
        drawing.carve_corridor(rng);
    }
    let mut open = drawing.open();
    open.sort_by_key(|&(row, col)| (col, row));
    let last = open.len() - 1;
    let (ellie, exit) = (open[rng.random_range(0..=2.min(last))], open[last]);
    let clickers = rng.random_range(2..=7);
    for &(row, col) in open.iter().sample(rng, clickers) {
        drawing.letters[row][col] = 'C';
    }
    drawing.letters[ellie.0][ellie.1] = 'E';
    drawing.letters[exit.0][exit.1] = 'X';
    drawing.text(*[0, 1, 1, 2].choose(rng).expect("counts"))
}

fn map_of(text: &str) -> Map {
    read_map(&Source::new("area", text)).expect("it was read before")
}

#[test]
fn every_claim_holds_against_plain_search() {
    let mut tally = Tally::default();
    for seed in seeds(DRAWN) {
        let mut rng = rng(seed);
        let text = match seed % 8 {
            0 => draw_guarded(1, &mut rng),
            1 => draw_large(&mut rng),
            _ => draw(&mut rng),
        };
        let Some(area) = tally.read(GameId::LastOfUs, seed, &text) else { continue };
        let start = Game::new(&map_of(&text), Readings::default());
        audit_area(&start, MOST_STATES, &*area, seed, &mut tally);
    }
    tally.report(GameId::LastOfUs);
}

/// Every state that can be reached in an area under the reference rules.
struct Everything {
    /// The same states as the planner's bounds take them.
    states: Vec<State>,
    /// The states that lead to each in one action.
    parents: Vec<Vec<u32>>,
    /// The states from which one action wins.
    last: Vec<u32>,
}

impl Everything {
    /// `None` where there are more than `most`.
    fn of(map: &Map, board: &Board, most: usize) -> Option<Everything> {
        let mut sim = Simulator::new(board, FIELD_BYTES);
        let start = Game::new(map, Readings::default());
        let mut number = HashMap::from([(start.key(), 0)]);
        let mut all =
            Everything { states: vec![board.start()], parents: vec![Vec::new()], last: Vec::new() };
        let mut queue = VecDeque::from([start]);
        for parent in 0_u32.. {
            let Some(game) = queue.pop_front() else { break };
            for action in game.actions() {
                let mut child = game.clone();
                match Game::act(&mut child, action) {
                    Ok(Event::Won) => all.last.push(parent),
                    Ok(Event::Survived) => {
                        let next = all.states.len() as u32;
                        let found = *number.entry(child.key()).or_insert(next);
                        if found == next {
                            let state = &all.states[parent as usize];
                            let state = sim.after(state, Move::from(action)).1.expect("legal");
                            all.states.push(state);
                            all.parents.push(Vec::new());
                            queue.push_back(child);
                        }
                        all.parents[found as usize].push(parent);
                    }
                    Ok(Event::Killed(_)) | Err(_) => {}
                }
            }
            if all.states.len() > most {
                return None;
            }
        }
        Some(all)
    }

    /// The length of a shortest plan from each state.
    fn distances(&self) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.states.len()];
        let mut queue: VecDeque<u32> = VecDeque::new();
        let mut reached: Vec<(u32, u32)> = self.last.iter().map(|&state| (state, 1)).collect();
        loop {
            for (state, distance) in reached.drain(..) {
                if distances[state as usize].is_none() {
                    distances[state as usize] = Some(distance);
                    queue.push_back(state);
                }
            }
            let Some(state) = queue.pop_front() else { return distances };
            let further = distances[state as usize].expect("it was reached") + 1;
            reached.extend(self.parents[state as usize].iter().map(|&parent| (parent, further)));
        }
    }
}

/// The bounds of a board, for the sets of roused guards that were asked for.
struct Bounds<'a> {
    board: &'a Board,
    guards: Guards,
    weak: HashMap<Roused, Arc<Vec<u32>>>,
    strong: HashMap<Roused, Vec<u32>>,
    blind: HashMap<Roused, Vec<u32>>,
}

impl<'a> Bounds<'a> {
    fn new(board: &'a Board) -> Self {
        let guards = Guards::new(board);
        let (weak, strong, blind) = Default::default();
        Bounds { board, guards, weak, strong, blind }
    }

    /// The bound of a state, the one with chases, and the one for any number of bricks.
    fn of(&mut self, state: &State) -> [u32; 3] {
        let Bounds { board, guards, weak, strong, blind } = self;
        let (bricks, roused) = (board.bricks as usize, guards.roused(state));
        let mut weak = |roused| {
            let bound = || Arc::new(guards.bound(board, Some(bricks), roused));
            Arc::clone(weak.entry(roused).or_insert_with(bound))
        };
        let strong = strong
            .entry(roused)
            .or_insert_with(|| guards.bound_with_chases(board, bricks, roused, &mut weak));
        let blind = blind.entry(roused).or_insert_with(|| guards.bound(board, None, roused));
        let at = state.bricks as usize * board.sites() + state.ellie as usize;
        [weak(roused)[at], strong[at], blind[state.ellie as usize]]
    }
}

#[test]
fn bounds_never_exceed_what_plain_search_finds_from_any_state() {
    let (mut areas, mut of_two, mut states, mut raised, mut dead) = (0, 0, 0, 0, 0);
    for seed in seeds(GUARDED) {
        let text = draw_guarded(if seed % 4 == 0 { 2 } else { 1 }, &mut rng(seed));
        let Ok(map) = read_map(&Source::new("area", text.as_str())) else { continue };
        let board = Board::new(&map);
        let mut bounds = Bounds::new(&board);
        if bounds.guards.is_empty() {
            continue;
        }
        let Some(all) = Everything::of(&map, &board, MOST_BOUNDS) else { continue };
        areas += 1;
        of_two += u64::from(bounds.guards.len() == 2);
        let walking = Guards::none(&board).bound(&board, None, 0);
        for (index, distance) in all.distances().into_iter().enumerate() {
            let state = &all.states[index];
            let [weak, strong, blind] = bounds.of(state);
            let Some(distance) = distance else {
                dead += 1;
                continue;
            };
            let known = format!("{distance} from {state:?}, seed {seed}\n{text}");
            assert!(weak <= distance, "the bound says {weak}, it is {known}");
            assert!(strong <= distance, "the bound with chases says {strong}, it is {known}");
            assert!(blind <= distance, "the bound without bricks says {blind}, it is {known}");
            states += 1;
            raised += u64::from(strong > walking[state.ellie as usize]);
        }
    }
    println!(
        "{areas} areas with guards, {of_two} of them with two; {states} states with a way out, the \
         bounds of {raised} raised by guards; {dead} states without"
    );
    assert!(is_part() || areas >= 100 && of_two >= 10 && raised >= 400 && dead >= 1_000);
}

#[test]
fn the_bound_by_abstraction_never_exceeds_what_plain_search_finds() {
    let (clock, crew) = (Run::seconds(600.0).start(), Crew::default());
    let (mut areas, mut states, mut raised, mut met, mut certified) = (0, 0, 0, 0, 0);
    for seed in seeds(CROWDED) {
        let mut rng = rng(seed);
        let text = match seed % 6 {
            0 => draw_guarded(1, &mut rng),
            1 => draw(&mut rng),
            _ => draw_crowded(&mut rng),
        };
        let Ok(map) = read_map(&Source::new("area", text.as_str())) else { continue };
        let board = Board::new(&map);
        let Some(all) = Everything::of(&map, &board, MOST_BOUNDS) else { continue };
        areas += 1;
        let walk = walk_field(&board, board.exit);
        let mut abstraction = Abstraction::new(&board, &walk);
        let capacities = [[1, 2], [4, 8], [64, 1024]];
        abstraction.capacities = &capacities[seed as usize % capacities.len()];
        if seed % 2 == 0 {
            abstraction.always_counted = 0;
        }
        certified += u64::from(audit_checker(&text, all.distances()[0], seed));
        let ways: Vec<(usize, u32)> =
            (0..).zip(all.distances()).filter_map(|(index, way)| Some((index, way?))).collect();
        let stride = ways.len().div_ceil(MOST_CROWDED).max(1);
        for &(index, distance) in ways.iter().step_by(stride) {
            let state = &all.states[index];
            let mut search = abstraction.bound_of(state.clone());
            let bound = search.turn(Known::default(), &Allowance::whole(&clock, &crew)).bound;
            let known = format!("it is {distance} from {state:?}, seed {seed}\n{text}");
            assert!(bound <= u64::from(distance), "the bound says {bound}, {known}");
            states += 1;
            raised += u64::from(bound > u64::from(walk[state.ellie as usize]));
            met += u64::from(bound == u64::from(distance));
        }
    }
    println!(
        "{areas} areas, {certified} certified by the checker's own abstraction; {states} states with a \
         way out, the bounds of {raised} above walking, {met} exact"
    );
    assert!(is_part() || areas >= 100 && raised >= 500 && certified >= 100);
}

/// Whether the checker's abstraction proves how long the shortest plan of an area is. It must not prove more.
fn audit_checker(text: &str, least: Option<u32>, seed: u64) -> bool {
    let area =
        GameId::LastOfUs.game().read(&Source::new("area", text)).expect("it was read before");
    let area = area.only().expect("one area");
    let proves = |claim| {
        let certificate = Certificate {
            game: area.game().name().into(),
            area: Fingerprint::of_area(&*area).to_string(),
            measure: None,
            claim,
            states: MAX_STATES,
            is_abstract: true,
            parts: None,
            plan: None,
        };
        check(&*area, &certificate, &Run::seconds(600.0)).is_ok()
    };
    let Some(least) = least.map(u64::from) else { return proves(Claim::Impossible) };
    for false_one in [Claim::AtLeast(least + 1), Claim::AtLeast(least + 2), Claim::Impossible] {
        assert!(
            !proves(false_one),
            "{false_one} is certified, but it is {least}, seed {seed}\n{text}"
        );
    }
    proves(Claim::AtLeast(least))
}
