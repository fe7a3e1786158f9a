//! What areas are called in a folder of solutions, and so where their plans are.
//!
//! A name is plain enough for every system and every table: no sign that a shell, a terminal or
//! Markdown takes for its own, no longer than a file's name may be. Areas that would share a file,
//! names that differ only in case included, get two: the first digits of their [`Fingerprint`] tell
//! them apart, so that the names do not depend on the order in which the files were found.

use crate::games::{Fingerprint, GameId, Measure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Name of the measure in a game that has only one.
const LENGTH: &str = "length";
/// The most bytes of a part of a key: a file's name has at most 255 on most systems, and endings
/// follow.
const MAX_PART_BYTES: usize = 200;
/// Separates a name from the digits of a fingerprint.
const MARK: char = '~';
/// The fewest digits of a fingerprint in a name.
const DIGITS: usize = 8;
/// The ending of plans.
const PLAN: &str = "plan";
/// The ending of certificates.
const CERTIFICATE: &str = "cert";
/// The ending of plans that did not hold and were put aside.
pub const INVALID: &str = "invalid";

/// The names of a game's measures, the usual one first; `length` where it has only one.
///
/// ```
/// use outwit::batch::names::measure_names;
/// use outwit::games::GameId;
/// assert_eq!(measure_names(GameId::Sokoban), ["pushes", "moves"]);
/// assert_eq!(measure_names(GameId::Robots), ["length"]);
/// ```
pub fn measure_names(game: GameId) -> Vec<&'static str> {
    let names: Vec<_> = game.game().measures().iter().map(|measure| measure.name()).collect();
    if names.is_empty() { vec![LENGTH] } else { names }
}

/// The name of a measure that was asked for, or of the game's usual one.
pub fn measure_name(game: GameId, measure: Option<Measure>) -> &'static str {
    measure.map_or_else(|| measure_names(game)[0], Measure::name)
}

/// Where the plan of an area belongs that is short in its game's usual measure.
pub fn plan_file(out: &Path, key: &str) -> PathBuf {
    let mut path = out.to_path_buf();
    path.extend(key.split('/'));
    path.as_mut_os_string().push(format!(".{PLAN}"));
    path
}

/// Where the plan of an area belongs that is short in a measure: `NAME.plan`, and `NAME.MEASURE.plan`
/// for the measures that are not the game's usual one.
pub fn plan_file_in(out: &Path, key: &str, measure: &str) -> PathBuf {
    plan_file(out, &format!("{key}{}", suffix(key, measure)))
}

/// Where the certificate of an area in a measure belongs: `NAME.cert`, and `NAME.MEASURE.cert` for the
/// measures that are not the game's usual one.
pub fn certificate_file(out: &Path, key: &str, measure: &str) -> PathBuf {
    let mut file = plan_file_in(out, key, measure);
    file.set_extension(CERTIFICATE);
    file
}

/// The part of a plan's file name between the area's name and the ending: `.MEASURE`, or nothing for the
/// usual measure.
pub fn suffix(key: &str, measure: &str) -> String {
    let game = key.split('/').next().and_then(|game| game.parse::<GameId>().ok());
    let usual = game.is_none_or(|game| measure_names(game).first() == Some(&measure));
    if usual { String::new() } else { format!(".{measure}") }
}

/// A part of a key from a name that may have any signs.
pub(super) fn part(name: &str) -> String {
    let plain = |c: char| if is_plain(c) { c } else { '_' };
    let mut part: String = name.chars().map(plain).collect();
    // Windows drops dots and blanks at the end of a name.
    let kept = part.trim_end_matches(['.', ' ']).len();
    part.replace_range(kept.., &"_".repeat(part.len() - kept));
    part
}

/// The name of a folder, which may not be called as a plan or a certificate is.
pub(super) fn folder(name: &str) -> String {
    let part = part(name);
    let ending = part.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    let is_taken = ending.is_some_and(|ending| [PLAN, CERTIFICATE, INVALID].contains(&&*ending));
    if is_taken { format!("{part}_") } else { part }
}

/// Whether a sign may stand in a name: it is no control character, does not turn the direction of
/// what follows, and has no meaning in file systems, tables or links.
fn is_plain(c: char) -> bool {
    let is_ours = matches!(c, '/' | '\\' | '|' | '<' | '>' | ':' | '"' | '*' | '?' | '`');
    crate::diagnostic::is_visible(c) && !is_ours
}

/// An area and what it would be called if it were alone.
pub(super) struct Wanted {
    /// The key.
    pub key: String,
    /// Its content.
    pub area: Fingerprint,
}

/// The keys of areas, each its own; where two areas are one and the same and would share a key, only
/// the first has one.
pub(super) fn resolve(wanted: &[Wanted]) -> Vec<Option<String>> {
    let mut sharing: BTreeMap<String, BTreeSet<Fingerprint>> = BTreeMap::new();
    for Wanted { key, area } in wanted {
        sharing.entry(folded(key)).or_default().insert(*area);
    }
    let mut named = BTreeSet::new();
    wanted
        .iter()
        .map(|Wanted { key, area }| {
            let areas = &sharing[&folded(key)];
            let is_first = named.insert((folded(key), *area));
            let digits = digits(areas);
            let is_alone = areas.len() == 1 && !is_reserved(key);
            is_first.then(|| if is_alone { key.clone() } else { marked(key, *area, digits) })
        })
        .collect()
}

/// A name as file systems compare it that ignore case.
fn folded(key: &str) -> String {
    key.to_lowercase()
}

/// Number of digits of a fingerprint that distinguish these areas.
fn digits(areas: &BTreeSet<Fingerprint>) -> usize {
    let tells = |digits: usize| {
        let prefixes: BTreeSet<String> = areas.iter().map(|area| area.prefix(digits)).collect();
        prefixes.len() == areas.len()
    };
    (DIGITS..64).find(|&digits| tells(digits)).unwrap_or(64)
}

/// Whether a name is one that [`marked`] gives, too long for a file, or would put the plan of one
/// measure where another area's plan of another measure is.
fn is_reserved(key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or(key);
    let is_marked = name.rsplit_once(MARK).is_some_and(|(_, digits)| {
        digits.len() >= DIGITS && digits.chars().all(|c| c.is_ascii_hexdigit())
    });
    let game = key.split('/').next().and_then(|game| game.parse::<GameId>().ok());
    let ends_in = |measure: &&str| folded(name).ends_with(&format!(".{measure}"));
    let is_measure = game.is_some_and(|game| measure_names(game).iter().any(ends_in));
    is_marked || is_measure || key.split('/').any(|part| part.len() > MAX_PART_BYTES)
}

/// A name with digits of the area's fingerprint, its parts cut to what a file's name may have.
fn marked(key: &str, area: Fingerprint, digits: usize) -> String {
    let parts: Vec<&str> = key.split('/').map(|part| cut(part, MAX_PART_BYTES)).collect();
    let mark = format!("{MARK}{}", area.prefix(digits));
    let whole = parts.join("/");
    let last = parts.last().map_or(0, |part| part.len());
    let room = MAX_PART_BYTES.saturating_sub(mark.len()).min(last);
    let name = cut(parts.last().unwrap_or(&""), room);
    format!("{}{name}{mark}", &whole[..whole.len() - last])
}

/// The beginning of a text, at most `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(wanted: &[(&str, &str)]) -> Vec<Option<String>> {
        let of = |&(key, text): &(&str, &str)| Wanted {
            key: key.into(),
            area: Fingerprint::of(&[text]),
        };
        resolve(&wanted.iter().map(of).collect::<Vec<_>>())
    }

    #[test]
    fn areas_that_would_share_a_file_get_two() {
        let (a, b) = (Fingerprint::of(&["a"]).prefix(8), Fingerprint::of(&["b"]).prefix(8));
        let both = keys(&[("sokoban/l", "a"), ("sokoban/L", "b"), ("sokoban/m", "a")]);
        let names = [format!("sokoban/l~{a}"), format!("sokoban/L~{b}"), "sokoban/m".into()];
        assert_eq!(both, names.map(Some));
        let twice = keys(&[("sokoban/l", "a"), ("sokoban/l", "a")]);
        assert_eq!(twice, [Some("sokoban/l".into()), None]);
        assert_eq!(
            keys(&[("sokoban/x.moves", "a"), ("robots/x.moves", "b")]),
            [Some(format!("sokoban/x.moves~{a}")), Some("robots/x.moves".into())]
        );
        let given = format!("sokoban/l~{a}");
        assert_eq!(keys(&[(&given, "b")]), [Some(format!("{given}~{b}"))]);
    }

    #[test]
    fn no_name_is_longer_than_a_file_may_have() {
        let long = format!("sokoban/{}/{}", "é".repeat(250), "x".repeat(300));
        let key = keys(&[(&long, "a")]).remove(0).unwrap();
        assert!(key.split('/').all(|part| part.len() <= MAX_PART_BYTES), "{key}");
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(part("a\n|b\u{1b}[31m<c>\u{202e}d. "), "a__b_[31m_c__d__");
        assert_eq!(folder("a.PLAN"), "a.PLAN_");
        assert_eq!(folder("a.cert"), "a.cert_");
        assert_eq!(part("Grüße, 世界"), "Grüße, 世界");
    }
}
