//! Certificates: claims about the least cost of a plan, in a form that anyone can check.
//!
//! A certificate is a short text: a header, which says of what area it speaks, what it claims and how much work
//! it is to check it, and the plan, where there is one. [`crate::check`] proves the claim from the rules;
//! nothing that a planner has computed needs to be believed. `docs/CERTIFICATES.md` has the format and
//! the argument.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | [`Certificate`], read and written |
//! | [`parts`] | parts of an area whose costs add up |
//! | [`rulebook`] | the interface between a game and the checker: states as bytes, steps, floors |

pub mod parts;
pub mod rulebook;

pub use parts::{Part, Parts};
pub use rulebook::{Expander, Rulebook, Start, Step};

use crate::diagnostic::{Diagnostic, Line, Source};
use std::fmt;

/// First line of a certificate, up to the version.
const TITLE: &str = "outwit certificate ";
/// The version that is written, and the only one that is read.
const VERSION: &str = "1";
/// The readings under which claims are made.
const READINGS: &str = "default";
/// Line before the plan.
const PLAN: &str = "plan";
/// Item of the number of states.
const STATES: &str = "states";
/// Item of the number of states of an abstraction.
const ABSTRACT: &str = "abstract states";
/// A claim, before its number.
const AT_LEAST: &str = "no plan is shorter than ";
/// A claim.
const IMPOSSIBLE: &str = "there is no plan";
/// Upper limit of the states that a checker may be told to close.
pub const MAX_STATES: u64 = u32::MAX as u64 - 1;
/// Upper limit of the cost in a claim.
pub const MAX_COST: u64 = u32::MAX as u64;
/// Hexadecimal digits of an area's fingerprint.
const DIGITS: usize = 64;

/// A claim about the least cost of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Claim {
    /// No plan costs less.
    AtLeast(u64),
    /// There is no plan.
    Impossible,
}

impl Claim {
    /// The claim that no plan costs less than this, or, where it is none, that there is no plan.
    pub fn from_limit(limit: Option<u64>) -> Claim {
        limit.map_or(Claim::Impossible, Claim::AtLeast)
    }

    /// The cost below which there is no plan; none where there is none at all.
    pub fn limit(self) -> Option<u64> {
        match self {
            Claim::AtLeast(cost) => Some(cost),
            Claim::Impossible => None,
        }
    }
}

/// `no plan is shorter than 97`, `there is no plan`.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::AtLeast(cost) => write!(f, "{AT_LEAST}{cost}"),
            Claim::Impossible => f.write_str(IMPOSSIBLE),
        }
    }
}

/// A claim about an area, which [`crate::check`] proves or refuses.
///
/// ```
/// use outwit::certificate::{Certificate, Claim};
/// use outwit::diagnostic::Source;
///
/// let text = format!("outwit certificate 1\ngame robots\narea {}\nreadings default\n\
///     claim no plan is shorter than 9\nstates 120\n", "0".repeat(64));
/// let certificate = Certificate::read(&Source::new("a certificate", text.as_str())).unwrap();
/// assert_eq!((certificate.claim, certificate.states), (Claim::AtLeast(9), 120));
/// assert_eq!(certificate.to_string(), text);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Name of the game.
    pub game: String,
    /// SHA-256 of the game's name and the area's text, as 64 hexadecimal digits.
    pub area: String,
    /// The measure in which costs count, in a game that has several.
    pub measure: Option<String>,
    /// The claim.
    pub claim: Claim,
    /// Upper limit of the states that a checker closes to prove the claim.
    pub states: u64,
    /// Whether these are states of the game's abstraction: see [`Rulebook::is_abstract`].
    pub is_abstract: bool,
    /// The parts of the area by which the claim is proven; without them it is proven of the whole. The states are
    /// then those of all parts.
    pub parts: Option<Parts>,
    /// A plan in the game's own format. A plan of the claimed cost is optimal.
    pub plan: Option<String>,
}

impl Certificate {
    /// Reads a certificate.
    ///
    /// # Errors
    /// A diagnostic with the place of the first line that is not as it must be.
    pub fn read(source: &Source) -> Result<Certificate, Diagnostic> {
        let mut lines = Lines { source, lines: source.lines().collect(), next: 0 };
        lines.version()?;
        let game = lines.value("game")?.1.to_owned();
        let area = lines.fingerprint()?;
        let measure = lines.optional("measure").map(str::to_owned);
        lines.readings()?;
        let claim = lines.claim()?;
        let is_abstract = lines.peek().text.starts_with(ABSTRACT);
        let item = if is_abstract { ABSTRACT } else { STATES };
        let states = lines.number(item, MAX_STATES)?;
        let parts = lines.parts()?;
        let plan = lines.plan()?;
        Ok(Certificate { game, area, measure, claim, states, is_abstract, parts, plan })
    }
}

/// The certificate's text.
impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{TITLE}{VERSION}\ngame {}\narea {}", self.game, self.area)?;
        if let Some(measure) = &self.measure {
            writeln!(f, "measure {measure}")?;
        }
        let item = if self.is_abstract { ABSTRACT } else { STATES };
        writeln!(f, "readings {READINGS}\nclaim {}\n{item} {}", self.claim, self.states)?;
        if let Some(parts) = &self.parts {
            write!(f, "{parts}")?;
        }
        match &self.plan {
            Some(plan) => write!(f, "{PLAN}\n{plan}"),
            None => Ok(()),
        }
    }
}

/// The lines of a certificate, read one after another.
struct Lines<'a> {
    source: &'a Source,
    lines: Vec<Line<'a>>,
    next: usize,
}

impl<'a> Lines<'a> {
    /// The next line; past the end an empty one.
    fn peek(&self) -> Line<'a> {
        let missing = Line { number: self.lines.len() + 1, text: "" };
        self.lines.get(self.next).copied().unwrap_or(missing)
    }

    fn complain(&self, line: Line<'_>, column: usize, message: String) -> Diagnostic {
        let length = line.text.chars().count().saturating_sub(column - 1).max(1);
        self.source.error(line.number, column, length, message)
    }

    fn version(&mut self) -> Result<(), Diagnostic> {
        let line = self.peek();
        let Some(version) = line.text.strip_prefix(TITLE) else {
            let message = format!("a certificate begins with {:?}", format!("{TITLE}{VERSION}"));
            let help = "`outwit solve AREA --certificate FILE` writes one";
            return Err(self.complain(line, 1, message).help(help));
        };
        if version != VERSION {
            let message = format!("the version is {version:?}; only {VERSION} is known");
            return Err(self.complain(line, TITLE.len() + 1, message));
        }
        self.next += 1;
        Ok(())
    }

    /// The value of the line that begins with `name`, where that is the next line.
    fn optional(&mut self, name: &str) -> Option<&'a str> {
        let value = self.peek().text.strip_prefix(name)?.strip_prefix(' ')?;
        self.next += 1;
        Some(value)
    }

    /// The value of the next line, which must begin with `name`.
    fn value(&mut self, name: &str) -> Result<(Line<'a>, &'a str), Diagnostic> {
        let line = self.peek();
        match self.optional(name) {
            Some(value) if !value.is_empty() => Ok((line, value)),
            _ => {
                let message = format!("a line {name:?} with its value is expected");
                Err(self.complain(line, 1, message))
            }
        }
    }

    fn fingerprint(&mut self) -> Result<String, Diagnostic> {
        let (line, value) = self.value("area")?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if value.len() != DIGITS || !value.bytes().all(is_digit) {
            let message = format!("a fingerprint has {DIGITS} hexadecimal digits");
            return Err(self.complain(line, "area ".len() + 1, message));
        }
        Ok(value.to_owned())
    }

    fn readings(&mut self) -> Result<(), Diagnostic> {
        let (line, value) = self.value("readings")?;
        if value != READINGS {
            let message = format!("claims are made under the readings {READINGS:?} only");
            return Err(self.complain(line, "readings ".len() + 1, message));
        }
        Ok(())
    }

    fn claim(&mut self) -> Result<Claim, Diagnostic> {
        let (line, value) = self.value("claim")?;
        if value == IMPOSSIBLE {
            return Ok(Claim::Impossible);
        }
        let Some(cost) = value.strip_prefix(AT_LEAST) else {
            let message = format!("a claim is {IMPOSSIBLE:?} or {:?}", format!("{AT_LEAST}N"));
            return Err(self.complain(line, "claim ".len() + 1, message));
        };
        let column = "claim ".len() + AT_LEAST.len() + 1;
        Ok(Claim::AtLeast(self.whole(line, column, cost, MAX_COST)?))
    }

    fn number(&mut self, name: &str, most: u64) -> Result<u64, Diagnostic> {
        let (line, value) = self.value(name)?;
        self.whole(line, name.len() + 2, value, most)
    }

    /// A whole number in plain decimal digits.
    fn whole(
        &self,
        line: Line<'_>,
        column: usize,
        text: &str,
        most: u64,
    ) -> Result<u64, Diagnostic> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|&number: &u64| is_plain && number <= most);
        number.ok_or_else(|| {
            self.complain(line, column, format!("a whole number from 0 to {most} is expected"))
        })
    }

    /// The parts, where the next line begins their list.
    fn parts(&mut self) -> Result<Option<Parts>, Diagnostic> {
        let line = self.peek();
        let Some(text) = self.optional(parts::SURCHARGES) else { return Ok(None) };
        let mut parts = Parts::default();
        parts.surcharges =
            self.list((line, parts::SURCHARGES.len() + 2), text, parts::MAX_SURCHARGE)?;
        loop {
            let line = self.peek();
            let Some(text) = self.optional(parts::PART) else { return Ok(Some(parts)) };
            let column = parts::PART.len() + 2;
            let Some((members, cost)) = text.split_once(parts::COSTS) else {
                let message = format!("a part ends with{:?} and a number", parts::COSTS);
                return Err(self.complain(line, column, message));
            };
            let after = column + members.chars().count() + parts::COSTS.len();
            let cost = self.whole(line, after, cost, MAX_COST)?;
            let members = self.list((line, column), members, parts::MAX_MEMBER)?;
            let members = members.into_iter().map(|member| member as usize).collect();
            parts.parts.push(Part { members, cost });
        }
    }

    /// Whole numbers with a blank between two of them.
    fn list(
        &self,
        (line, mut column): (Line<'_>, usize),
        text: &str,
        most: u64,
    ) -> Result<Vec<u64>, Diagnostic> {
        let mut numbers = Vec::new();
        for word in text.split(' ') {
            numbers.push(self.whole(line, column, word, most)?);
            column += word.chars().count() + 1;
        }
        Ok(numbers)
    }

    /// All that follows the line before the plan.
    fn plan(&mut self) -> Result<Option<String>, Diagnostic> {
        let line = self.peek();
        if self.next == self.lines.len() {
            return Ok(None);
        }
        if line.text != PLAN {
            let message = format!("a line {PLAN:?} or the end is expected");
            return Err(self.complain(line, 1, message));
        }
        let after = self.source.range_of(line.text).end;
        let rest = &self.source.text[after..];
        let plan = rest.strip_prefix("\r\n").or(rest.strip_prefix('\n')).unwrap_or(rest);
        Ok(Some(plan.to_owned()))
    }
}
