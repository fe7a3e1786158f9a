//! Many games at once, for `outwit.gym`.

use crate::session::Session;
use crate::{Area, game_of, parameters};
use numpy::{PyArray1, PyArrayMethods};
use outwit::search::UnknownWord;
use outwit::vector::{
    self, LevelChoice, Levels, Observation, Outputs, Region, Settings, SlotState, Split,
    VectorError,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A [`SlotState`]: level, next level, steps, whether it is over, random numbers, actions.
type State = (u32, u32, u32, bool, u64, Option<Vec<u16>>);

/// The part of a board that is seen.
pub fn region_of(shape: Option<(u32, u32)>, radius: Option<u32>) -> PyResult<Region> {
    match (shape, radius) {
        (Some((rows, cols)), None) => Ok(Region::Board { rows, cols }),
        (None, Some(radius)) => Ok(Region::Window { radius }),
        _ => Err(PyValueError::new_err("either a shape or a radius")),
    }
}

/// Many games of one kind, stepped together.
#[pyclass(frozen, module = "outwit._native")]
pub struct Environments {
    games: Mutex<vector::Environments>,
}

/// The arrays that a step writes into, each with one dimension.
#[pyclass(frozen, module = "outwit._native")]
pub struct Arrays {
    observations: Py<PyArray1<u8>>,
    rewards: Py<PyArray1<f32>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
    masks: Py<PyArray1<u8>>,
    levels: Py<PyArray1<u32>>,
}

#[pymethods]
impl Arrays {
    #[new]
    fn new(
        observations: Py<PyArray1<u8>>,
        rewards: Py<PyArray1<f32>>,
        terminated: Py<PyArray1<bool>>,
        truncated: Py<PyArray1<bool>>,
        masks: Py<PyArray1<u8>>,
        levels: Py<PyArray1<u32>>,
    ) -> Self {
        Arrays { observations, rewards, terminated, truncated, masks, levels }
    }
}

#[pymethods]
impl Environments {
    /// Games on areas, or where there are none on levels that the generator of `game` makes: `made` different
    /// ones, or without that a new one for each game.
    #[new]
    #[pyo3(signature = (
        game, areas, games, *, made, split, shape, radius, planes, most_steps, step_reward, **values
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        game: &str,
        areas: Option<Vec<PyRef<'_, Area>>>,
        games: usize,
        made: Option<u32>,
        split: &str,
        shape: Option<(u32, u32)>,
        radius: Option<u32>,
        planes: bool,
        most_steps: u32,
        step_reward: f32,
        values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let game = game_of(game)?;
        let region = region_of(shape, radius)?;
        let unknown = |error: UnknownWord| PyValueError::new_err(error.to_string());
        let split: Split = split.parse().map_err(unknown)?;
        let observation = Observation { region, has_planes: planes };
        let settings = Settings { games, observation, most_steps, step_reward, seed: 0 };
        let options = parameters(game.game(), 0, values)?;
        let areas: Option<Vec<_>> =
            areas.map(|areas| areas.iter().map(|area| Arc::clone(&area.area)).collect());
        let games = py.detach(|| {
            let levels = match areas {
                Some(areas) => Levels::given(&areas, split)?,
                None => Levels::made(game, options, made, split)?,
            };
            if levels.game() != game {
                return Err(format!("the levels are of {}, not of {game}", levels.game()).into());
            }
            vector::Environments::new(levels, settings)
        });
        Ok(Environments { games: Mutex::new(games.map_err(invalid)?) })
    }

    /// The actions, as steps of plans.
    #[getter]
    fn actions(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.lock().actions().to_vec())
    }

    /// A letter for each role, in the order of `ROLES`.
    #[getter]
    fn letters(&self, py: Python<'_>) -> String {
        py.detach(|| self.lock().levels().game().game().legend().letters().iter().collect())
    }

    /// The numbers of the first `count` levels of this part.
    fn first_levels(&self, py: Python<'_>, count: u32) -> Vec<u32> {
        py.detach(|| self.lock().levels().first(count))
    }

    /// The level of a number.
    fn level(&self, py: Python<'_>, number: u32) -> PyResult<Area> {
        let level = py.detach(|| self.lock().levels().take(number));
        let level = level.map_err(invalid)?;
        Ok(Area { area: Arc::clone(&level.area), level: number as usize + 1, named: None })
    }

    /// The game of a number under the reference rules, after its steps so far.
    fn session(&self, py: Python<'_>, game: usize) -> PyResult<Session> {
        let session = py.detach(|| {
            let games = self.lock();
            let (level, steps) = games.game(game)?;
            let mut session = level.area.session();
            let mut act =
                |step| session.act(step).map_err(|illegal| VectorError::from(illegal.to_string()));
            steps.into_iter().try_for_each(&mut act)?;
            Ok::<_, VectorError>((Arc::clone(&level.area), session))
        });
        let (area, session) = session.map_err(invalid)?;
        Ok(Session::new(area, session))
    }

    /// These games once more, to go on by themselves.
    fn fork(&self, py: Python<'_>) -> Environments {
        Environments { games: Mutex::new(py.detach(|| self.lock().clone())) }
    }

    /// How far the games are, as plain data for `resume`.
    fn state(&self, py: Python<'_>) -> Vec<State> {
        let states = py.detach(|| self.lock().state());
        let state = |state: SlotState| {
            let SlotState { level, next, steps, is_over, random, done } = state;
            (level, next, steps, is_over, random, done)
        };
        states.into_iter().map(state).collect()
    }

    /// Goes on from a state of games on the same levels.
    fn resume(&self, py: Python<'_>, states: Vec<State>) -> PyResult<()> {
        let state = |(level, next, steps, is_over, random, done)| SlotState {
            level,
            next,
            steps,
            is_over,
            random,
            done,
        };
        let states: Vec<_> = states.into_iter().map(state).collect();
        py.detach(|| self.lock().resume(&states)).map_err(invalid)
    }

    /// Ends all games: each begins again at its next step. With a seed, their levels are drawn by that from
    /// now on; with numbers of levels, they begin on these.
    #[pyo3(signature = (seed=None, levels=None))]
    fn restart(&self, py: Python<'_>, seed: Option<u64>, levels: Option<Vec<u32>>) -> PyResult<()> {
        let choice = levels.as_deref().map_or(LevelChoice::Drawn, LevelChoice::Numbers);
        py.detach(|| self.lock().restart(seed, choice)).map_err(invalid)
    }

    /// Does an action in each game, or in those with these numbers.
    #[pyo3(signature = (actions, arrays, games=None))]
    fn step(
        &self,
        py: Python<'_>,
        actions: &Bound<'_, PyArray1<i64>>,
        arrays: &Arrays,
        games: Option<&Bound<'_, PyArray1<u32>>>,
    ) -> PyResult<()> {
        let actions = actions.try_readonly()?;
        let actions = actions.as_slice()?;
        let games = games.map(|games| games.try_readonly()).transpose()?;
        let games = games.as_ref().map(|games| games.as_slice()).transpose()?;
        let mut observations = arrays.observations.bind(py).try_readwrite()?;
        let mut rewards = arrays.rewards.bind(py).try_readwrite()?;
        let mut terminated = arrays.terminated.bind(py).try_readwrite()?;
        let mut truncated = arrays.truncated.bind(py).try_readwrite()?;
        let mut masks = arrays.masks.bind(py).try_readwrite()?;
        let mut levels = arrays.levels.bind(py).try_readwrite()?;
        let outputs = Outputs {
            observations: observations.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
            masks: masks.as_slice_mut()?,
            levels: levels.as_slice_mut()?,
        };
        let done = py.detach(|| self.lock().step(games, actions, outputs));
        done.map_err(invalid)
    }
}

impl Environments {
    fn lock(&self) -> MutexGuard<'_, vector::Environments> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The exception of games that cannot be made or stepped.
pub(crate) fn invalid(error: VectorError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
