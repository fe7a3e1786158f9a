//! The levels that many games are played on: given ones, or those of a generator, which are made ahead on
//! other threads.
//!
//! A level has a number. The number of a given level is its place; the number of a level that is made is its
//! seed. So which levels are drawn, and what they are, does not depend on how fast they are made.

use super::VectorError;
use super::sessions::opening;
use crate::diagnostic::Source;
use crate::games::stepper::Opening;
use crate::games::{Area, GameId, GenerateOptions};
use crate::search::{UnknownWord, cores};
use ahash::HashMap;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Upper limit of the number of different levels that a generator makes and keeps.
pub const MAX_KEPT: u32 = 1 << 16;
/// Number of different levels if `count` sets no limit.
const ENDLESS: u32 = 1 << 28;

/// A level to be played, and its start.
pub struct Level {
    /// The level as an area.
    pub area: Arc<dyn Area>,
    /// The start of games on it.
    pub opening: Box<dyn Opening>,
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Level")
            .field("name", &self.area.name())
            .field("game", &self.area.game())
            .finish_non_exhaustive()
    }
}

impl From<Arc<dyn Area>> for Level {
    fn from(area: Arc<dyn Area>) -> Level {
        Level { opening: opening(&area), area }
    }
}

/// A part of the levels: what is learned on one part is tested on another. Of ten levels in a row the first
/// eight are for training, the next is for choosing between what was trained, the last for a final test.
///
/// ```
/// use outwit::vector::Split;
///
/// assert_eq!("train".parse(), Ok(Split::Train));
/// let trained: Vec<u32> = (0..10).map(|place| Split::Train.number(place)).collect();
/// assert_eq!(trained, [0, 1, 2, 3, 4, 5, 6, 7, 10, 11]);
/// assert_eq!((Split::Valid.number(1), Split::Test.number(1)), (18, 19));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// All levels.
    #[default]
    All,
    /// The levels whose numbers end with 0 to 7.
    Train,
    /// The levels whose numbers end with 8.
    Valid,
    /// The levels whose numbers end with 9.
    Test,
}

impl Split {
    /// The number of the level at a place of this part.
    pub fn number(self, place: u32) -> u32 {
        match self {
            Split::All => place,
            Split::Train => place / 8 * 10 + place % 8,
            Split::Valid => place * 10 + 8,
            Split::Test => place * 10 + 9,
        }
    }

    /// How many of the first `levels` levels belong to this part.
    fn count(self, levels: u32) -> u32 {
        match self {
            Split::All => levels,
            Split::Train => levels / 10 * 8 + (levels % 10).min(8),
            Split::Valid => (levels + 1) / 10,
            Split::Test => levels / 10,
        }
    }
}

impl Split {
    /// All of them.
    pub const ALL: [Split; 4] = [Split::All, Split::Train, Split::Valid, Split::Test];

    /// One lower-case word.
    pub fn name(self) -> &'static str {
        match self {
            Split::All => "all",
            Split::Train => "train",
            Split::Valid => "valid",
            Split::Test => "test",
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Split {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Split, UnknownWord> {
        UnknownWord::find(("split", word), &Split::ALL, Split::name)
    }
}

/// Where levels come from.
pub struct Levels {
    source: Origin,
    split: Split,
    /// Number of levels that are drawn from.
    count: u32,
}

impl fmt::Debug for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Levels")
            .field("split", &self.split)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

enum Origin {
    Given(Vec<Arc<Level>>),
    Made(Maker),
}

impl Levels {
    /// Levels of one game.
    ///
    /// # Errors
    /// One sentence where there are none in this part, or where they are of several games.
    pub fn given(areas: &[Arc<dyn Area>], split: Split) -> Result<Levels, VectorError> {
        let first = areas.first().ok_or("there are no levels")?;
        if let Some(other) = areas.iter().find(|area| area.game() != first.game()) {
            return Err(
                format!("levels of {} and of {} in one batch", first.game(), other.game()).into()
            );
        }
        let all = u32::try_from(areas.len()).map_err(|_| "there are too many levels")?;
        let count = split.count(all);
        if count == 0 {
            return Err(format!("{all} levels are too few for a part {split}").into());
        }
        let levels = areas.par_iter().map(|area| Arc::new(Level::from(Arc::clone(area))));
        Ok(Levels { source: Origin::Given(levels.collect()), split, count })
    }

    /// The levels that a game's generator makes with these values, whatever seed they have; `count` different
    /// ones, which are kept, or without `count` a new one for each game.
    ///
    /// # Errors
    /// One sentence where a value is not one of the generator's, or `count` is not in its limits.
    pub fn made(
        game: GameId,
        options: GenerateOptions,
        count: Option<u32>,
        split: Split,
    ) -> Result<Levels, VectorError> {
        let parameters = game.game().parameters();
        options.check(parameters)?;
        if count.is_some_and(|count| !(1..=MAX_KEPT).contains(&count)) {
            return Err(
                format!("the number of levels that are made is not from 1 to {MAX_KEPT}").into()
            );
        }
        let maker = Maker::new(game, options, count.is_some());
        Ok(Levels { source: Origin::Made(maker), split, count: count.unwrap_or(ENDLESS) })
    }

    /// Their game.
    pub fn game(&self) -> GameId {
        match &self.source {
            Origin::Given(levels) => levels[0].area.game(),
            Origin::Made(maker) => maker.shared.game,
        }
    }

    /// Their part.
    pub fn split(&self) -> Split {
        self.split
    }

    /// Draws the number of a level.
    pub fn draw(&self, random: &mut Random) -> u32 {
        self.split.number(random.below(self.count))
    }

    /// The numbers of the first `count` levels, or of all if there are fewer.
    pub fn first(&self, count: u32) -> Vec<u32> {
        (0..count.min(self.count)).map(|place| self.split.number(place)).collect()
    }

    /// Says that a level will be taken soon.
    pub fn expect(&self, number: u32) {
        if let Origin::Made(maker) = &self.source {
            maker.expect(number);
        }
    }

    /// Says that nothing is expected any more. Levels that would be kept are.
    pub fn forget(&self) {
        if let Origin::Made(maker) = &self.source {
            maker.forget();
        }
    }

    /// A level, where need be after making it.
    ///
    /// # Errors
    /// One sentence where there is none of this number, or the generator makes none with this seed.
    pub fn take(&self, number: u32) -> Result<Arc<Level>, VectorError> {
        match &self.source {
            Origin::Given(levels) => levels.get(number as usize).cloned().ok_or_else(|| {
                format!("there is no level {number}: there are {}, from 0", levels.len()).into()
            }),
            Origin::Made(maker) => maker.take(number),
        }
    }
}

/// Makes levels on other threads.
struct Maker {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// The part of a maker that its threads share.
struct Shared {
    game: GameId,
    options: GenerateOptions,
    /// Whether levels stay after they were taken.
    keeps: bool,
    work: Mutex<Work>,
    changed: Condvar,
}

/// The levels that are made, and the queue of levels to make.
#[derive(Default)]
struct Work {
    expected: VecDeque<u32>,
    levels: HashMap<u32, Making>,
    is_closed: bool,
}

/// How far a level is.
enum Making {
    Expected,
    Begun,
    Done(Result<Arc<Level>, VectorError>),
}

impl Maker {
    fn new(game: GameId, options: GenerateOptions, keeps: bool) -> Maker {
        let (work, changed) = Default::default();
        let shared = Arc::new(Shared { game, options, keeps, work, changed });
        let threads = (0..cores().div_ceil(2)).map(|_| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.make_all())
        });
        Maker { threads: threads.collect(), shared }
    }

    fn expect(&self, number: u32) {
        let mut work = self.shared.work();
        work.levels.entry(number).or_insert(Making::Expected);
        work.expected.push_back(number);
        self.shared.changed.notify_one();
    }

    fn forget(&self) {
        let mut work = self.shared.work();
        work.expected.clear();
        let keeps = self.shared.keeps;
        work.levels.retain(|_, level| match level {
            Making::Expected => false,
            Making::Begun => true,
            Making::Done(_) => keeps,
        });
    }

    fn take(&self, number: u32) -> Result<Arc<Level>, VectorError> {
        let shared = &*self.shared;
        let mut work = shared.work();
        loop {
            match work.levels.get(&number) {
                None | Some(Making::Expected) => {
                    work = shared.make(number, work);
                }
                Some(Making::Begun) => work = shared.wait(work),
                Some(Making::Done(level)) => {
                    let level = level.clone();
                    if !shared.keeps {
                        work.levels.remove(&number);
                    }
                    return level;
                }
            }
        }
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        self.shared.work().is_closed = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so already.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&'a self, work: MutexGuard<'a, Work>) -> MutexGuard<'a, Work> {
        self.changed.wait(work).unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes what is expected until the maker is dropped.
    fn make_all(&self) {
        let mut work = self.work();
        while !work.is_closed {
            let Some(number) = work.expected.pop_front() else {
                work = self.wait(work);
                continue;
            };
            if matches!(work.levels.get(&number), Some(Making::Expected)) {
                work = self.make(number, work);
            }
        }
    }

    /// Makes a level while the lock is free.
    fn make<'a>(&'a self, number: u32, mut work: MutexGuard<'a, Work>) -> MutexGuard<'a, Work> {
        work.levels.insert(number, Making::Begun);
        drop(work);
        let level = self.level(number).map(Arc::new);
        let mut work = self.work();
        work.levels.insert(number, Making::Done(level));
        self.changed.notify_all();
        work
    }

    fn level(&self, number: u32) -> Result<Level, VectorError> {
        let options = GenerateOptions { seed: number.into(), ..self.options.clone() };
        let game = self.game.game();
        let made = game.generate(&options)?;
        let read = game.read(&Source::new(made.name, made.area));
        let area = read.map_err(|error| error.to_string())?.only();
        let area = area.map_err(|error| error.to_string())?;
        Ok(Level::from(Arc::<dyn Area>::from(area)))
    }
}

/// Random numbers by SplitMix64 (Steele, Lea, Flood, *Fast splittable pseudorandom number generators*,
/// OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The random numbers of one of many games.
    pub fn new(seed: u64, game: u64) -> Random {
        Random(seed ^ game.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// The random numbers that go on from a state.
    pub fn from_state(state: u64) -> Random {
        Random(state)
    }

    /// The state of these random numbers.
    pub fn state(&self) -> u64 {
        self.0
    }

    /// A number below `count`.
    pub(super) fn below(&mut self, count: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        ((u128::from(word) * u128::from(count)) >> 64) as u32
    }
}
