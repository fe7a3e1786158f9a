//! The levels of a batch with their solutions in one file, which other programs open.

use super::names::{measure_names, plan_file_in};
use super::{Task, held};
use crate::export::{SokError, SokNames, sok_level, sok_of};
use std::collections::BTreeMap;
use std::path::Path;

/// Refuses areas of games that have no such files.
///
/// # Errors
/// The first such game.
pub fn check(tasks: &[Task]) -> Result<(), SokError> {
    tasks.iter().try_for_each(|task| sok_of(&*task.area).map(drop))
}

/// A `.sok` file, and of how many of its levels it has a solution.
#[derive(Debug)]
pub struct Shelf {
    /// The file's text.
    pub text: String,
    /// Levels with a solution.
    pub solved: usize,
}

/// The file: all areas in their order, each with the plan that the folder of solutions has for it,
/// where that holds (that of the usual measure, or else of another), and with its author, by its key.
///
/// # Errors
/// As those of [`check`].
pub fn shelf(
    tasks: &[Task],
    authors: &BTreeMap<String, String>,
    out: &Path,
) -> Result<Shelf, SokError> {
    let mut shelf = Shelf { text: String::new(), solved: 0 };
    for task in tasks {
        let held_in = |measure| held(task, &plan_file_in(out, &task.key, measure)).ok();
        let held = measure_names(task.area.game()).into_iter().find_map(held_in);
        let plan = held.map(|held| held.plan);
        shelf.solved += usize::from(plan.is_some());
        let author = authors.get(&task.key).map(String::as_str);
        let names = SokNames { title: Some(task.area.name()), author };
        shelf.text += &sok_level(&*task.area, names, plan.as_ref())?;
    }
    Ok(shelf)
}
