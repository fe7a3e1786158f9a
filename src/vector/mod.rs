//! Many games of one kind, stepped together, for programs that learn by playing.
//!
//! A step writes its results into memory of the caller's: observations, rewards, ends, masks of allowed
//! actions, levels. A game that is over begins again at the next step, whose action is not done (the
//! autoreset mode `next-step` of Gymnasium).
//!
//! | file | contents |
//! |---|---|
//! | `dataset` | positions with labels, as arrays |
//! | `labels` | exact distances, losses and best steps of positions |
//! | `npz` | datasets as files for numpy |
//! | `levels` | given levels, and those of a generator, made ahead |
//! | `pace` | on how many threads they are stepped |
//! | `sessions` | steppers over the reference rules, for any game |
//! | `observation` | what is observed |

mod dataset;
mod labels;
mod levels;
#[cfg(feature = "cli")]
mod npz;
mod observation;
mod pace;
mod sessions;

pub use dataset::{Dataset, MAX_POSITIONS, MAX_STRAYS, Sampling, dataset};
pub use labels::{Label, Position, label};
pub use levels::{Level, Levels, MAX_KEPT, Split};
pub use observation::{MAX_BYTES, Observation, Region};
pub use sessions::{SessionOpening, opening};

use crate::diagnostic::sentence_error;
use crate::games::GenerateError;
use crate::games::stepper::{Stepped, Stepper, actions};
use levels::Random;
use pace::Pace;
use std::borrow::BorrowMut;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Upper limit of the games of one batch.
pub const MAX_GAMES: usize = 1 << 20;

sentence_error!(
    /// The reason why games cannot be made or stepped, or why levels cannot be drawn or labelled, in one sentence.
    VectorError
);

impl From<GenerateError> for VectorError {
    fn from(error: GenerateError) -> Self {
        VectorError(error.to_string())
    }
}

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of games.
    pub games: usize,
    /// The form of observations.
    pub observation: Observation,
    /// Number of steps after which a game is cut off.
    pub most_steps: u32,
    /// Reward of a step that neither wins nor loses.
    pub step_reward: f32,
    /// Seed by which levels are drawn.
    pub seed: u64,
}

/// Memory for the results of a step, in the order of the games that are stepped.
#[derive(Debug)]
pub struct Outputs<'a> {
    /// Observations, [`Observation::bytes`] bytes for each game.
    pub observations: &'a mut [u8],
    /// 1 for winning, -1 for losing, else [`Settings::step_reward`]; 0 where a game begins.
    pub rewards: &'a mut [f32],
    /// Whether the game was won or lost by this step.
    pub terminated: &'a mut [bool],
    /// Whether the game was cut off by this step.
    pub truncated: &'a mut [bool],
    /// For each game a byte for each action: 1 if it is allowed, else 0. An empty slice leaves the masks out.
    pub masks: &'a mut [u8],
    /// The number of the level that the game is played on.
    pub levels: &'a mut [u32],
}

/// Many games of one kind.
///
/// ```
/// use outwit::vector::{Environments, Levels, Region, Settings, Observation, Split, Outputs};
/// use std::sync::Arc;
///
/// let level = outwit::diagnostic::Source::new("corridor", "######\n#@ $.#\n######\n");
/// let area = outwit::games::GameId::Sokoban.game().read(&level)?.only()?;
/// let levels = Levels::given(&[Arc::from(area)], Split::All)?;
/// let observation = Observation { region: Region::Board { rows: 3, cols: 6 }, has_planes: false };
/// let settings = Settings { games: 2, observation, most_steps: 100, step_reward: 0.0, seed: 1 };
/// let mut games = Environments::new(levels, settings)?;
/// assert_eq!(games.actions(), ["u", "l", "d", "r"]);
///
/// let (mut observations, mut masks) = ([0; 2 * 18], [0; 2 * 4]);
/// let (mut rewards, mut levels) = ([0.0; 2], [0; 2]);
/// let (mut terminated, mut truncated) = ([false; 2], [false; 2]);
/// // The first step begins the games; then one of them walks and pushes, and the other only walks.
/// for actions in [[0, 0], [3, 3], [3, 1]] {
///     let outputs = Outputs {
///         observations: &mut observations,
///         rewards: &mut rewards,
///         terminated: &mut terminated,
///         truncated: &mut truncated,
///         masks: &mut masks,
///         levels: &mut levels,
///     };
///     games.step(None, &actions, outputs)?;
/// }
/// assert_eq!((rewards, terminated), ([1.0, 0.0], [true, false]));
/// assert_eq!(masks, [0, 0, 0, 0, 0, 0, 0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Environments {
    levels: Arc<Levels>,
    actions: Vec<String>,
    slots: Vec<Slot>,
    settings: Settings,
    /// Decides how many threads are used, and nothing else.
    pace: Pace,
}

impl fmt::Debug for Environments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environments")
            .field("levels", &self.levels)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// The state of a game as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotState {
    /// Its level.
    pub level: u32,
    /// The level of the game after it.
    pub next: u32,
    /// Its steps, refused ones included.
    pub steps: u32,
    /// Whether the next step begins another game.
    pub is_over: bool,
    /// State of its random numbers.
    pub random: u64,
    /// The actions that were not refused; `None` before the first game.
    pub done: Option<Vec<u16>>,
}

/// A game and its progress.
#[derive(Clone)]
struct Slot {
    /// The game; there is none before the first one.
    stepper: Option<Box<dyn Stepper>>,
    /// The level that it is played on.
    place: Option<Arc<Level>>,
    /// Whether the game has its level and has not begun.
    begins: bool,
    /// The number of its level.
    level: u32,
    /// The level of the next game.
    next: u32,
    steps: u32,
    is_over: bool,
    random: Random,
    /// The actions of this game that were not refused.
    done: Vec<u16>,
    /// Working memory of observations.
    codes: Vec<u8>,
}

/// The part of [`Outputs`] for one game.
struct Part<'a> {
    observation: &'a mut [u8],
    reward: &'a mut f32,
    terminated: &'a mut bool,
    truncated: &'a mut bool,
    mask: &'a mut [u8],
    level: &'a mut u32,
}

/// The level on which games begin again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelChoice<'a> {
    /// One that is drawn at random.
    Drawn,
    /// One for each game, by its number.
    Numbers(&'a [u32]),
}

impl Environments {
    /// Games on these levels. The first step, whose actions are not done, begins them.
    ///
    /// # Errors
    /// One sentence where a setting is out of its limits, or the first level cannot be made.
    pub fn new(levels: Levels, settings: Settings) -> Result<Self, VectorError> {
        let Settings { games, observation, seed, .. } = settings;
        if !(1..=MAX_GAMES).contains(&games) {
            return Err(format!("{games} games: not from 1 to {MAX_GAMES}").into());
        }
        if observation.bytes().saturating_mul(games) > MAX_BYTES {
            let bytes = observation.bytes();
            return Err(format!(
                "{games} observations of {bytes} bytes are more than {MAX_BYTES} bytes in all"
            )
            .into());
        }
        let first = levels.take(levels.split().number(0))?;
        let actions = actions(&*first.area.session());
        // A game remembers its actions by numbers of 16 bits.
        if actions.len() > usize::from(u16::MAX) {
            return Err(format!("{} actions are too many", actions.len()).into());
        }
        let slots = (0..games as u64).map(|number| Slot {
            stepper: None,
            place: None,
            begins: false,
            level: 0,
            next: 0,
            steps: 0,
            is_over: true,
            random: Random::new(seed, number),
            done: Vec::new(),
            codes: Vec::new(),
        });
        let levels = Arc::new(levels);
        let mut games = Environments {
            levels,
            actions,
            slots: slots.collect(),
            settings,
            pace: Pace::default(),
        };
        games.draw();
        Ok(games)
    }

    /// Draws the next level of each game.
    fn draw(&mut self) {
        self.levels.forget();
        for slot in &mut self.slots {
            slot.next = self.levels.draw(&mut slot.random);
            self.levels.expect(slot.next);
        }
    }

    /// The actions, as steps of plans.
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// The levels.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// The level of a game, and its steps so far as steps of a plan, without those that were refused.
    ///
    /// # Errors
    /// One sentence where there is no game of this number, or it has not begun.
    pub fn game(&self, game: usize) -> Result<(Arc<Level>, Vec<&str>), String> {
        let slot = self.slots.get(game);
        let slot =
            slot.ok_or_else(|| format!("there is no game {game}: there are {}", self.slots.len()))?;
        let has_begun = slot.place.as_ref().filter(|_| slot.stepper.is_some());
        let level = has_begun.ok_or_else(|| format!("game {game} has not begun"))?;
        let steps = slot.done.iter().map(|&action| self.actions[usize::from(action)].as_str());
        Ok((Arc::clone(level), steps.collect()))
    }

    /// The state of all games, from which [`Environments::resume`] goes on, on the same levels.
    pub fn state(&self) -> Vec<SlotState> {
        let states = self.slots.iter().map(|slot| SlotState {
            level: slot.level,
            next: slot.next,
            steps: slot.steps,
            is_over: slot.is_over,
            random: slot.random.state(),
            done: slot.stepper.is_some().then(|| slot.done.clone()),
        });
        states.collect()
    }

    /// Goes on from a state, which may come from another process.
    ///
    /// # Errors
    /// One sentence where the state is not one of these games on these levels; games may have begun again then.
    pub fn resume(&mut self, states: &[SlotState]) -> Result<(), VectorError> {
        let levels = &self.levels;
        if states.len() != self.slots.len() {
            return Err(
                format!("a state of {} games, not {}", states.len(), self.slots.len()).into()
            );
        }
        levels.forget();
        for (slot, state) in self.slots.iter_mut().zip(states) {
            (slot.stepper, slot.begins, slot.is_over) = (None, false, true);
            if let Some(done) = &state.done {
                let level = levels.take(state.level)?;
                let mut stepper = level.opening.begin();
                if done.iter().any(|&step| stepper.step(step.into()) == Stepped::Refused) {
                    return Err(format!("level {} refuses a step of the state", state.level).into());
                }
                (slot.place, slot.stepper) = (Some(level), Some(stepper));
                slot.done.clone_from(done);
            }
            slot.random = Random::from_state(state.random);
            (slot.level, slot.next, slot.steps) = (state.level, state.next, state.steps);
            slot.is_over = state.is_over || state.done.is_none();
            levels.expect(slot.next);
        }
        Ok(())
    }

    /// Ends all games: each begins again at its next step. With a seed, their levels are drawn by that from
    /// now on.
    ///
    /// # Errors
    /// One sentence where there are not as many numbers of levels as games.
    pub fn restart(
        &mut self,
        seed: Option<u64>,
        choice: LevelChoice<'_>,
    ) -> Result<(), VectorError> {
        if let LevelChoice::Numbers(numbers) = choice
            && numbers.len() != self.slots.len()
        {
            return Err(format!("{} levels for {} games", numbers.len(), self.slots.len()).into());
        }
        if let Some(seed) = seed {
            for (slot, number) in self.slots.iter_mut().zip(0..) {
                slot.random = Random::new(seed, number);
            }
            self.draw();
        }
        // A game that was to begin on another level does not.
        self.slots.iter_mut().for_each(|slot| (slot.is_over, slot.begins) = (true, false));
        if let LevelChoice::Numbers(numbers) = choice {
            for (slot, &number) in self.slots.iter_mut().zip(numbers) {
                slot.next = number;
                self.levels.expect(number);
            }
        }
        Ok(())
    }

    /// Does an action in each game, or in those with these numbers, each once.
    ///
    /// # Errors
    /// One sentence where there are not as many actions as games, a part of `outputs` has another length, there is
    /// no game of a number or it comes twice, or a level cannot be made.
    pub fn step(
        &mut self,
        games: Option<&[u32]>,
        actions: &[i64],
        outputs: Outputs<'_>,
    ) -> Result<(), VectorError> {
        let Environments { levels, actions: names, slots, settings, pace } = self;
        let count = games.map_or(slots.len(), <[u32]>::len);
        let (bytes, width) = (settings.observation.bytes(), names.len());
        let mask_width = if outputs.masks.is_empty() { 0 } else { width };
        outputs.fits(count, bytes, mask_width)?;
        if actions.len() != count {
            return Err(format!("{} actions for {count} games", actions.len()).into());
        }
        let turns = Turns { actions, outputs, bytes, width: mask_width, settings };
        let threads = pace.threads(count, rayon::current_num_threads());
        let elapsed = match games {
            Some(games) => {
                let mut chosen = chosen(slots, games)?;
                prepare(&mut chosen, levels)?;
                turns.play(&mut chosen, threads)
            }
            None => {
                prepare(slots, levels)?;
                turns.play(slots, threads)
            }
        };
        pace.learn(count, threads, elapsed);
        Ok(())
    }
}

/// Gives each game that is over its next level.
fn prepare(slots: &mut [impl BorrowMut<Slot>], levels: &Levels) -> Result<(), VectorError> {
    let mut slots = slots.iter_mut().map(BorrowMut::borrow_mut);
    slots.try_for_each(|slot: &mut Slot| if slot.is_over { slot.prepare(levels) } else { Ok(()) })
}

/// A step of some games.
struct Turns<'a> {
    actions: &'a [i64],
    outputs: Outputs<'a>,
    /// Bytes of an observation.
    bytes: usize,
    /// Length of a mask; 0 if the masks are left out.
    width: usize,
    settings: &'a Settings,
}

impl Turns<'_> {
    /// Plays the games on this thread and `threads - 1` others; the time that it took.
    fn play<S: BorrowMut<Slot> + Send>(self, slots: &mut [S], threads: usize) -> Duration {
        let begun = Instant::now();
        if threads == 1 {
            self.play_here(slots);
            return begun.elapsed();
        }
        rayon::in_place_scope(|scope| {
            let (mut turns, mut slots) = (self, slots);
            for others in (1..threads).rev() {
                // As many games for another thread as for each of the rest.
                let share = slots.len() / (others + 1);
                let (first, rest) = slots.split_at_mut(share);
                let (first_turns, rest_turns) = turns.split_at(share);
                scope.spawn(move |_| first_turns.play_here(first));
                (turns, slots) = (rest_turns, rest);
            }
            turns.play_here(slots);
        });
        begun.elapsed()
    }

    /// The turns of the first `games` games, and those of the rest.
    fn split_at(self, games: usize) -> (Self, Self) {
        let Turns { actions, outputs, bytes, width, settings } = self;
        let (actions, more_actions) = actions.split_at(games);
        let (outputs, more_outputs) = outputs.split_at(games, bytes, width);
        let first = Turns { actions, outputs, bytes, width, settings };
        (first, Turns { actions: more_actions, outputs: more_outputs, bytes, width, settings })
    }

    fn play_here(self, slots: &mut [impl BorrowMut<Slot>]) {
        let Turns { actions, outputs, bytes, width, settings } = self;
        let mut observations = outputs.observations.chunks_exact_mut(bytes.max(1));
        let mut masks = outputs.masks.chunks_exact_mut(width.max(1));
        let ends = outputs.rewards.iter_mut().zip(outputs.terminated).zip(outputs.truncated);
        let rest = slots.iter_mut().zip(actions).zip(ends).zip(outputs.levels);
        for (((slot, &action), ((reward, terminated), truncated)), level) in rest {
            let mut part = Part {
                observation: observations.next().unwrap_or_default(),
                reward,
                terminated,
                truncated,
                mask: masks.next().unwrap_or_default(),
                level,
            };
            slot.borrow_mut().step(action, settings, &mut part);
        }
    }
}

/// The slots of games with these numbers, in their order.
fn chosen<'a>(slots: &'a mut [Slot], games: &[u32]) -> Result<Vec<&'a mut Slot>, VectorError> {
    let count = slots.len();
    let mut places = vec![None; count];
    for (place, &game) in games.iter().enumerate() {
        let free = places.get_mut(game as usize);
        let free = free.ok_or_else(|| format!("there is no game {game}: there are {count}"))?;
        if free.replace(place).is_some() {
            return Err(format!("game {game} has two actions").into());
        }
    }
    let mut chosen: Vec<Option<&mut Slot>> = games.iter().map(|_| None).collect();
    for (slot, place) in slots.iter_mut().zip(places) {
        if let Some(place) = place {
            chosen[place] = Some(slot);
        }
    }
    Ok(chosen.into_iter().flatten().collect())
}

impl<'a> Outputs<'a> {
    /// Whether there is room for the results of some games.
    fn fits(&self, games: usize, bytes: usize, width: usize) -> Result<(), VectorError> {
        let lengths = [
            ("rewards", self.rewards.len(), games),
            ("terminated", self.terminated.len(), games),
            ("truncated", self.truncated.len(), games),
            ("levels", self.levels.len(), games),
            ("observations", self.observations.len(), games * bytes),
            ("masks", self.masks.len(), games * width),
        ];
        match lengths.into_iter().find(|(_, length, wanted)| length != wanted) {
            Some((name, length, wanted)) => {
                Err(format!("{name} has {length} numbers, not {wanted}").into())
            }
            None => Ok(()),
        }
    }

    /// Memory for the first `games` games, and for the rest.
    fn split_at(self, games: usize, bytes: usize, width: usize) -> (Outputs<'a>, Outputs<'a>) {
        let (observations, more_observations) = self.observations.split_at_mut(games * bytes);
        let (rewards, more_rewards) = self.rewards.split_at_mut(games);
        let (terminated, more_terminated) = self.terminated.split_at_mut(games);
        let (truncated, more_truncated) = self.truncated.split_at_mut(games);
        let (masks, more_masks) = self.masks.split_at_mut(games * width);
        let (levels, more_levels) = self.levels.split_at_mut(games);
        let first = Outputs { observations, rewards, terminated, truncated, masks, levels };
        let rest = Outputs {
            observations: more_observations,
            rewards: more_rewards,
            terminated: more_terminated,
            truncated: more_truncated,
            masks: more_masks,
            levels: more_levels,
        };
        (first, rest)
    }
}

impl Slot {
    /// Takes the level of a game that begins, and draws the one after it.
    fn prepare(&mut self, levels: &Levels) -> Result<(), VectorError> {
        if self.begins {
            return Ok(());
        }
        self.place = Some(levels.take(self.next)?);
        (self.level, self.begins) = (self.next, true);
        self.next = levels.draw(&mut self.random);
        levels.expect(self.next);
        Ok(())
    }

    /// Does an action, or begins a game in the place of one that is over; writes the results.
    fn step(&mut self, action: i64, settings: &Settings, outputs: &mut Part<'_>) {
        let has_begun = std::mem::take(&mut self.begins);
        if has_begun {
            self.stepper = self.place.as_ref().map(|level| level.opening.begin());
            (self.steps, self.is_over) = (0, false);
            self.done.clear();
        }
        let Some(stepper) = &mut self.stepper else { return };
        let (mut reward, mut has_ended, mut is_cut) = (0.0, false, false);
        if !has_begun {
            self.steps += 1;
            let stepped = stepper.step(usize::try_from(action).unwrap_or(usize::MAX));
            if stepped != Stepped::Refused {
                self.done.push(action as u16);
            }
            reward = match stepped {
                Stepped::Won => 1.0,
                Stepped::Lost => -1.0,
                Stepped::Playing | Stepped::Refused => settings.step_reward,
            };
            has_ended = matches!(stepped, Stepped::Won | Stepped::Lost);
            is_cut = !has_ended && self.steps >= settings.most_steps;
            self.is_over = has_ended || is_cut;
        }
        (*outputs.reward, *outputs.terminated, *outputs.truncated) = (reward, has_ended, is_cut);
        *outputs.level = self.level;
        settings.observation.observe(&**stepper, &mut self.codes, outputs.observation);
        if !outputs.mask.is_empty() {
            stepper.allowed(outputs.mask);
        }
    }
}
