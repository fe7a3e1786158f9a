//! Which of the plans of a text is meant of an area.

use crate::diagnostic::{Diagnostic, Source};
use crate::games::plans::outdented;
use crate::games::{Area, Of, Passage, PlanError, Steps, Validation};
use std::collections::HashMap;
use std::sync::Arc;

/// A plan that was chosen from a text, and holds.
pub(super) struct Choice {
    /// The plan alone.
    pub(super) plan: Source,
    /// Result of its replay.
    pub(super) validation: Validation,
    /// Remark on the choice, such as that there were other plans.
    pub(super) remark: Option<String>,
}

/// The plans of a text.
#[derive(Debug)]
pub struct Plans<'a> {
    source: &'a Source,
    passages: Vec<Passage>,
    /// The passages of each name, which is one of a level's number, of a title, of a board.
    named: HashMap<Name, Vec<usize>>,
}

/// What a passage is found by.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Name {
    Any,
    Number(usize),
    Title(Arc<str>),
    Board(Arc<str>),
}

impl<'a> Plans<'a> {
    /// The plans of a text about areas of the game of this one.
    ///
    /// # Errors
    /// A diagnostic where the text is none with plans.
    pub fn read(area: &dyn Area, source: &'a Source) -> Result<Self, Diagnostic> {
        let passages = area.passages(source)?;
        let mut named: HashMap<Name, Vec<usize>> = HashMap::new();
        // A board is long, and may have many solutions: it is looked at once.
        let mut boards: HashMap<*const u8, (&Arc<str>, Vec<usize>)> = HashMap::new();
        for (index, passage) in passages.iter().enumerate() {
            match &passage.of {
                Of::Any => named.entry(Name::Any).or_default().push(index),
                Of::Level { number, title } => {
                    named.entry(Name::Number(*number)).or_default().push(index);
                    named.entry(Name::Title(Arc::clone(title))).or_default().push(index);
                }
                Of::Board(board) => {
                    let entry = boards.entry(board.as_ptr());
                    entry.or_insert_with(|| (board, Vec::new())).1.push(index);
                }
            }
        }
        let boards = boards.into_values();
        named.extend(boards.map(|(board, found)| (Name::Board(Arc::clone(board)), found)));
        Ok(Plans { source, passages, named })
    }

    /// Whether the text says of which areas its plans are, where it has some.
    pub fn names_areas(&self) -> bool {
        self.passages.iter().all(|passage| passage.of != Of::Any)
    }

    /// The greatest number of a level that has a plan here.
    pub fn last_level(&self) -> Option<usize> {
        let number = |passage: &Passage| match passage.of {
            Of::Level { number, .. } => Some(number),
            _ => None,
        };
        self.passages.iter().filter_map(number).max()
    }

    /// The plans that are of an area: of its board, else of the level of its number, or of its title
    /// where no number is known, else those of any area.
    fn of(&self, area: &dyn Area, level: Option<usize>) -> &[usize] {
        let find = |name: Name| self.named.get(&name).map(Vec::as_slice);
        let board = area.sok().and_then(|sok| find(Name::Board(outdented(&sok.board()).into())));
        let by_level = || match level {
            Some(number) => find(Name::Number(number)),
            None => find(Name::Title(area.name().into())).or_else(|| self.only_level()),
        };
        board.or_else(by_level).or_else(|| find(Name::Any)).unwrap_or_default()
    }

    /// The one plan of the text, where it is one of a level.
    fn only_level(&self) -> Option<&[usize]> {
        match &self.passages[..] {
            [Passage { of: Of::Level { .. }, .. }] => Some(&[0]),
            _ => None,
        }
    }

    /// The best plan of an area that holds; the first that does not where none does. Nothing where
    /// the text has none of it. `level` is the area's number in its collection, from 1, where it is
    /// one of several.
    pub(super) fn best(
        &self,
        area: &dyn Area,
        level: Option<usize>,
    ) -> Option<Result<Choice, PlanError>> {
        let mut best: Option<(&Passage, Choice)> = None;
        let mut refused = None;
        let (mut count, mut invalid) = (0, 0);
        for &index in self.of(area, level) {
            let passage = &self.passages[index];
            let plan = passage.alone(self.source);
            let is_nothing = passage.of != Of::Any && plan.text.trim().is_empty();
            let validation = match area.replay(&plan) {
                // Below its line nothing need follow.
                Err(_) if is_nothing => continue,
                Err(error) => {
                    refused.get_or_insert_with(|| passage.placed(self.source, error));
                    (count, invalid) = (count + 1, invalid + 1);
                    continue;
                }
                Ok(validation) => validation,
            };
            count += 1;
            let is_better = |(_, best): &(&Passage, Choice)| {
                let rank = |of: &Validation| (of.rank.clone(), of.remarks.len());
                rank(&validation) < rank(&best.validation)
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some((passage, Choice { plan, validation, remark: None }));
            }
        }
        let Some((passage, choice)) = best else { return refused.map(Err) };
        let line = passage.first_line(self.source);
        let others =
            if invalid == 0 { String::new() } else { format!(", {invalid} of them not valid") };
        let remark = format!("the best of {count} plans, from line {line}{others}");
        Some(Ok(Choice { remark: (count > 1).then_some(remark), ..choice }))
    }

    /// The diagnostic for an area that has no plan here.
    pub fn missing(&self, area: &dyn Area, level: Option<usize>) -> Diagnostic {
        let which = level.map_or(area.name().to_string(), |level| format!("level {level}"));
        Diagnostic::file(&self.source.name, format!("there is no plan of {which} in it"))
    }

    /// The one passage that is meant of an area.
    fn meant(&self, area: &dyn Area, level: Option<usize>) -> Result<&Passage, Diagnostic> {
        let found = self.of(area, level);
        let place = match found {
            [] => None,
            [one] => Some(*one),
            // Of several the one that is verified, or the first.
            [first, ..] => {
                let best = self.best(area, level).and_then(Result::ok);
                let is_best = |&&index: &&usize| {
                    let alone = self.passages[index].alone(self.source);
                    best.as_ref().is_some_and(|best| best.plan == alone)
                };
                Some(found.iter().find(is_best).copied().unwrap_or(*first))
            }
        };
        let passage = place.map(|index| &self.passages[index]);
        passage.ok_or_else(|| self.missing(area, level))
    }
}

/// The steps of an area's plan in a text, as [`Area::steps`] tells those of a plan alone; their places
/// are those in the text. `level` is the number of the area in its file, from 1, where the file
/// has several.
///
/// # Errors
/// A diagnostic where the text has no plan of the area, or one that cannot be read.
pub fn steps(area: &dyn Area, level: Option<usize>, source: &Source) -> Result<Steps, Diagnostic> {
    let plans = Plans::read(area, source)?;
    let passage = plans.meant(area, level)?;
    let steps = area.steps(&passage.alone(source));
    let steps = steps.map_err(|diagnostic| passage.diagnostic_placed(source, diagnostic))?;
    Ok(passage.steps_placed(source, steps))
}
