//! What a file of areas has in it: one area, or many with titles, authors and solutions.

use crate::diagnostic::Diagnostic;
use crate::games::area::Area;
use std::fmt;

/// The areas of a file, in their order.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::GameId;
///
/// let text = "; good\n#####\n#@$.#\n#####\n\n; bad\n#####\n#@$ #\n#####\n";
/// let levels = GameId::Sokoban.game().read(&Source::new("two.xsb", text)).expect("a collection");
/// assert_eq!((levels.entries.len(), levels.readable().count()), (2, 1));
/// assert_eq!(levels.area(Some(1)).expect("a level").name(), "good");
/// let (number, error) = levels.errors().next().expect("one is bad");
/// assert_eq!((number, error.line), (2, 7));
/// ```
#[derive(Clone, Debug)]
pub struct Collection<A = Box<dyn Area>> {
    /// Its title, where the file has one for all of them.
    pub title: Option<String>,
    /// Its author, where the file names one for all of them.
    pub author: Option<String>,
    /// The areas, whether they can be read or not.
    pub entries: Vec<Entry<A>>,
}

/// One area of a file.
#[derive(Clone, Debug)]
pub struct Entry<A = Box<dyn Area>> {
    /// Its number in the file, from 1.
    pub number: usize,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Its author, where the file names one for it.
    pub author: Option<String>,
    /// The plans that the file has for it.
    pub solutions: Vec<Solution>,
    /// The area, or what is wrong with it.
    pub content: Result<A, Diagnostic>,
}

/// A plan that stands with its area in the same file. It is not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The text beside the word `Solution`, such as `2/2 (pushes)`.
    pub title: Option<String>,
    /// The plan, line by line as it stands in the file.
    pub text: String,
    /// The line of the file that the plan begins in, from 1.
    pub line: usize,
}

impl<A> Collection<A> {
    /// Areas without titles or anything else beside them.
    pub fn of(areas: impl IntoIterator<Item = A>) -> Self {
        let entry = |(number, area)| Entry {
            number,
            title: None,
            author: None,
            solutions: Vec::new(),
            content: Ok(area),
        };
        Collection { title: None, author: None, entries: (1..).zip(areas).map(entry).collect() }
    }

    /// The same collection, with what `make` makes of each area in its place.
    pub fn map<B>(self, mut make: impl FnMut(A) -> B) -> Collection<B> {
        let entry = |entry: Entry<A>| Entry {
            number: entry.number,
            title: entry.title,
            author: entry.author,
            solutions: entry.solutions,
            content: entry.content.map(&mut make),
        };
        let entries = self.entries.into_iter().map(entry).collect();
        Collection { title: self.title, author: self.author, entries }
    }

    /// The collection itself, where anything of it can be read. Where it has several entries,
    /// diagnostics say of which they are.
    ///
    /// # Errors
    /// The diagnostic of the first entry, if no entry can be read.
    pub fn checked(mut self) -> Result<Self, Diagnostic> {
        if self.entries.len() > 1 {
            for entry in &mut self.entries {
                if let Err(diagnostic) = &mut entry.content {
                    diagnostic.message = format!("level {}: {}", entry.number, diagnostic.message);
                }
            }
        }
        if !self.entries.is_empty() && self.readable().next().is_none() {
            let first = self.entries.swap_remove(0);
            return Err(first.content.err().unwrap_or_else(|| Diagnostic::file("", "no area")));
        }
        Ok(self)
    }

    /// The areas that can be read, with their numbers.
    pub fn readable(&self) -> impl Iterator<Item = (usize, &A)> {
        self.entries.iter().filter_map(|entry| Some((entry.number, entry.content.as_ref().ok()?)))
    }

    /// The diagnostics of the entries that cannot be read, with their numbers.
    pub fn errors(&self) -> impl Iterator<Item = (usize, &Diagnostic)> {
        self.entries.iter().filter_map(|entry| Some((entry.number, entry.content.as_ref().err()?)))
    }

    /// The areas that can be read.
    pub fn into_areas(self) -> Vec<A> {
        self.entries.into_iter().filter_map(|entry| entry.content.ok()).collect()
    }

    /// The entry that is meant: the one of number `level`, from 1, or the only one.
    ///
    /// ```
    /// use outwit::games::{Collection, LevelError};
    ///
    /// let three = Collection::of(['a', 'b', 'c']);
    /// assert_eq!(three.area(Some(2)), Ok(&'b'));
    /// assert_eq!(three.area(None), Err(LevelError::Unsaid { count: 3 }));
    /// assert_eq!(three.area(Some(4)), Err(LevelError::Missing { level: 4, count: 3 }));
    /// assert_eq!(Collection::of(['a']).only(), Ok('a'));
    /// ```
    ///
    /// # Errors
    /// There is no such level, or it has to be said which one.
    pub fn entry(&self, level: Option<usize>) -> Result<&Entry<A>, LevelError> {
        Ok(&self.entries[index(self.entries.len(), level)?])
    }

    /// The area that is meant.
    ///
    /// # Errors
    /// As those of [`Collection::entry`]; and that it cannot be read.
    pub fn area(&self, level: Option<usize>) -> Result<&A, LevelError> {
        let content = self.entry(level)?.content.as_ref();
        content.map_err(|diagnostic| LevelError::Unreadable(Box::new(diagnostic.clone())))
    }

    /// The area that is meant.
    ///
    /// # Errors
    /// As those of [`Collection::area`].
    pub fn into_area(mut self, level: Option<usize>) -> Result<A, LevelError> {
        let entry = self.entries.swap_remove(index(self.entries.len(), level)?);
        entry.content.map_err(|diagnostic| LevelError::Unreadable(Box::new(diagnostic)))
    }

    /// The only area that there is.
    ///
    /// # Errors
    /// As those of [`Collection::area`].
    pub fn only(self) -> Result<A, LevelError> {
        self.into_area(None)
    }
}

impl<A> Entry<A> {
    /// Its title, or `level N`.
    pub fn name(&self) -> String {
        self.title.clone().unwrap_or_else(|| format!("level {}", self.number))
    }
}

/// Why no level is chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LevelError {
    /// The text has several, and none is named.
    Unsaid {
        /// Number of levels in the text.
        count: usize,
    },
    /// The text has no level of that number.
    Missing {
        /// The number, from 1.
        level: usize,
        /// Number of levels in the text.
        count: usize,
    },
    /// It cannot be read.
    Unreadable(Box<Diagnostic>),
}

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LevelError::Unsaid { count } => {
                write!(f, "the text has {count} levels: say which one")
            }
            LevelError::Missing { level, count } => {
                write!(f, "level {level}: the text has levels 1 to {count}")
            }
            LevelError::Unreadable(diagnostic) => diagnostic.fmt(f),
        }
    }
}

impl std::error::Error for LevelError {}

/// The index, from 0, of the level that is meant.
fn index(count: usize, level: Option<usize>) -> Result<usize, LevelError> {
    match level {
        Some(level) if (1..=count).contains(&level) => Ok(level - 1),
        Some(level) => Err(LevelError::Missing { level, count }),
        None if count == 1 => Ok(0),
        None => Err(LevelError::Unsaid { count }),
    }
}
