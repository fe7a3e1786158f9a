//! Plans for others: programs to submit that know the plans of *The Last of Us*, and collections of
//! Sokoban levels with solutions that other programs open.
//!
//! The programs to submit are written by [`crate::games::last_of_us::export`]; this is the way there,
//! for verified plans alone.

use crate::diagnostic::Source;
use crate::games::last_of_us::export;
pub use crate::games::last_of_us::export::ExportError;
use crate::games::{Area, GameId, Sok};
use crate::verify::{Verified, verify};

/// The source of a Rust program that prints the plan for the area it reads, by the area's name.
///
/// # Errors
/// Two plans for one name, or a plan that is not one of this game.
pub fn rust(plans: &[(String, Verified)]) -> Result<String, ExportError> {
    export::rust(&texts(plans))
}

/// The source of a C++ program (C++11) that prints the plan for the area it reads, by the area's
/// name.
///
/// # Errors
/// Two plans for one name, or a plan that is not one of this game.
pub fn cpp(plans: &[(String, Verified)]) -> Result<String, ExportError> {
    export::cpp(&texts(plans))
}

/// Names and texts of plans.
fn texts(plans: &[(String, Verified)]) -> Vec<(&str, &str)> {
    plans.iter().map(|(name, plan)| (name.as_str(), plan.text())).collect()
}

/// The first lines of a `.sok` file that has a title or an author of the whole. Readers take a single text line
/// before a board for the board's title. With these remark lines, the collection's own title is never a single line.
const HEAD: &str = "\
:: Levels of Sokoban and their solutions in LURD.
:: Written by outwit.
";
/// The lines below the names of a level without a solution, which would else be taken for the title of the
/// next level. A text line that follows another one directly is no title, hence two.
const NO_SOLUTION: &str = "\
:: The level above has no solution here.
:: These lines part its names from the next level.

";

/// Why there is no `.sok` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SokError {
    /// The game has none.
    #[error("{0} has no form in .sok files: Sokoban has")]
    NoForm(GameId),
    /// Other programs would be given a plan that does not hold: a fault of ours.
    #[error("a solution does not hold in the form of .sok files, which is a fault of outwit")]
    Refused,
}

/// Title and author of a level, or of a whole `.sok` file.
#[derive(Clone, Copy, Debug, Default)]
pub struct SokNames<'a> {
    /// The title.
    pub title: Option<&'a str>,
    /// The author.
    pub author: Option<&'a str>,
}

impl SokNames<'_> {
    /// A line for each that is known.
    fn lines(self, title_key: &str) -> String {
        let line = |(key, value): (&str, Option<&str>)| {
            let value: String =
                value?.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            Some(format!("{key}: {}\n", value.trim()))
        };
        [(title_key, self.title), ("Author", self.author)].into_iter().filter_map(line).collect()
    }
}

/// The head of a `.sok` file; empty without a title and an author of the whole.
///
/// ```
/// use outwit::export::{SokNames, sok_head};
///
/// let names = SokNames { title: Some("Shelf"), author: None };
/// let head = sok_head(names);
/// assert!(head.starts_with(":: ") && head.ends_with("\nCollection: Shelf\n\n"));
/// ```
pub fn sok_head(names: SokNames<'_>) -> String {
    let lines = names.lines("Collection");
    if lines.is_empty() { lines } else { format!("{HEAD}{lines}\n") }
}

/// Refuses games that have no form in `.sok` files.
///
/// # Errors
/// The game, where it has none.
pub fn sok_of(area: &dyn Area) -> Result<&dyn Sok, SokError> {
    area.sok().ok_or(SokError::NoForm(area.game()))
}

/// A level of a `.sok` file: its board, its names, and its solution as other programs read it, in plain
/// LURD.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::export::{SokNames, sok_level};
/// use outwit::games::GameId;
/// use outwit::verify::verify;
///
/// let level = Source::new("corridor", "######\n#@$ .#\n######\n");
/// let area = GameId::Sokoban.game().read(&level).expect("a level").only().expect("one");
/// let plan = verify(area.as_ref(), &Source::new("plan", "2r")).expect("it holds");
/// let names = SokNames { title: Some("Corridor"), author: Some("A. Uthor") };
/// assert_eq!(
///     sok_level(area.as_ref(), names, Some(&plan)).expect("a level"),
///     "######\n#@$ .#\n######\nTitle: Corridor\nAuthor: A. Uthor\n\nSolution\nRR\n\n"
/// );
/// ```
///
/// # Errors
/// The game has no such form.
pub fn sok_level(
    area: &dyn Area,
    names: SokNames<'_>,
    plan: Option<&Verified>,
) -> Result<String, SokError> {
    let sok = sok_of(area)?;
    let lines = names.lines("Title");
    let mut text = sok.board() + &lines + "\n";
    let mut keys = String::new();
    if let Some(plan) = plan {
        let plain = sok.plain(&Source::new("the plan", plan.text()));
        // The very text that leaves is verified.
        let plain = plain.and_then(|plain| verify(area, &Source::new("the plan", plain)));
        let plain = plain.map_err(|_| SokError::Refused)?;
        keys = plain.text().to_string();
    }
    // A level that is solved as it stands has no keys to write.
    if !keys.trim().is_empty() {
        text += &format!("Solution\n{keys}\n");
    } else if !lines.is_empty() {
        text += NO_SOLUTION;
    }
    Ok(text)
}
