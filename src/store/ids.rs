//! The ids of areas: what requests call them.

use super::{AreaText, digest};
use crate::games::GameId;
use std::collections::HashSet;

/// Stands before the digits that tell an area's id from another's.
pub const TOLD_APART: char = '~';
/// Number of digits of a digest in the id of an area whose plain id is another's.
const DIGITS: usize = 8;

/// The ids of areas with these batch keys, `GAME/NAME` each, in their order. No two are the same,
/// unless the areas are, too.
///
/// A key may have further slashes, for folders and for levels of collections; an id has one. Where two keys
/// would give one id, the key with the fewest slashes has it, and the others get some digits of
/// their own at the end. These depend on the key alone, or on the area where the keys are the
/// same.
pub fn area_ids(areas: &[(String, AreaText)]) -> Vec<String> {
    let mut order: Vec<usize> = (0..areas.len()).collect();
    let rank = |(key, area): &(String, AreaText)| {
        (key.matches('/').count(), key.clone(), area.fingerprint.clone())
    };
    order.sort_by_cached_key(|&at| rank(&areas[at]));
    let plain = |(key, area): &(String, AreaText)| plain_id(area.game, key);
    let mut ids = vec![String::new(); areas.len()];
    // The plain ones first: no other may come upon one of these.
    let mut taken: HashSet<String> = HashSet::new();
    let mut others = Vec::new();
    let mut last: Option<usize> = None;
    for at in order {
        let is_the_same = last.is_some_and(|last| {
            (&areas[last].0, &areas[last].1.fingerprint) == (&areas[at].0, &areas[at].1.fingerprint)
        });
        if let (true, Some(last)) = (is_the_same, last) {
            others.push((at, Some(last)));
            continue;
        }
        last = Some(at);
        let id = plain(&areas[at]);
        if taken.insert(id.clone()) {
            ids[at] = id;
        } else {
            others.push((at, None));
        }
    }
    for (at, same) in others {
        ids[at] = match same {
            Some(same) => ids[same].clone(),
            None => told_apart(&areas[at], &plain(&areas[at]), &mut taken),
        };
    }
    ids
}

/// An id of its own for an area whose plain one is another's.
fn told_apart((key, area): &(String, AreaText), id: &str, taken: &mut HashSet<String>) -> String {
    let digests = [digest(&[key]), digest(&[key, &area.fingerprint])];
    let ends = digests.iter().map(|digest| digest.get(..DIGITS).unwrap_or(digest));
    let mut ids =
        ends.chain(digests.iter().map(String::as_str)).map(|end| format!("{id}{TOLD_APART}{end}"));
    // All four are taken where the very same area came before, and then it is the same id.
    let free = ids.find(|id| !taken.contains(id));
    let id = free.unwrap_or_else(|| format!("{id}{TOLD_APART}{}", digests[1]));
    taken.insert(id.clone());
    id
}

/// `GAME/NAME` from a batch's key, whose name may have further slashes.
fn plain_id(game: GameId, key: &str) -> String {
    let name = key.strip_prefix(game.name()).unwrap_or(key).trim_start_matches('/');
    format!("{game}/{}", name.replace('/', "."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Facts;

    fn area(key: &str, text: &str) -> (String, AreaText) {
        let game = GameId::Sokoban;
        let fingerprint = digest(&[game.name(), text]);
        let text = text.to_string();
        (
            key.into(),
            AreaText { fingerprint, game, title: text.clone(), facts: Facts::default(), text },
        )
    }

    fn ids(areas: &[(&str, &str)]) -> Vec<String> {
        area_ids(&areas.iter().map(|(key, text)| area(key, text)).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_alone_has_its_plain_id() {
        let ids = ids(&[("sokoban/a", "1"), ("sokoban/sub/a.b", "2"), ("sokoban/m/001-x", "3")]);
        assert_eq!(ids, ["sokoban/a", "sokoban/sub.a.b", "sokoban/m.001-x"]);
    }

    #[test]
    fn no_two_areas_share_an_id_in_any_order() {
        let areas = [
            ("sokoban/sub/q", "1"),
            ("sokoban/sub.q", "2"),
            ("sokoban/a/b/c", "3"),
            ("sokoban/a.b/c", "4"),
            ("sokoban/a/b.c", "5"),
            // Two names that are no UTF-8 have one key.
            ("sokoban/\u{fffd}", "6"),
            ("sokoban/\u{fffd}", "7"),
        ];
        let by_text = |areas: &[(&'static str, &'static str)]| {
            let mut told: Vec<_> = areas.iter().map(|(_, text)| *text).zip(ids(areas)).collect();
            told.sort();
            told
        };
        let told = by_text(&areas);
        assert_eq!(told[1].1, "sokoban/sub.q", "who is called so is called so");
        assert!(told[0].1.starts_with("sokoban/sub.q~"), "{told:?}");
        let distinct: HashSet<_> = told.iter().map(|(_, id)| id).collect();
        assert_eq!(distinct.len(), areas.len(), "{told:?}");
        let mut turned = areas;
        for _ in 0..areas.len() {
            turned.rotate_left(1);
            assert_eq!(by_text(&turned), told);
        }
    }

    #[test]
    fn what_is_there_twice_has_one_id() {
        let ids = ids(&[("sokoban/a", "1"), ("sokoban/a", "1"), ("sokoban/b", "1")]);
        assert_eq!(ids, ["sokoban/a", "sokoban/a", "sokoban/b"]);
    }

    #[test]
    fn digits_that_are_another_s_name_are_not_taken() {
        let first = ids(&[("sokoban/sub/q", "1"), ("sokoban/sub.q", "2")])[0].clone();
        let told = ids(&[("sokoban/sub/q", "1"), ("sokoban/sub.q", "2"), (&first, "3")]);
        assert_eq!(told[2], first);
        assert_eq!(told.iter().collect::<HashSet<_>>().len(), 3, "{told:?}");
    }
}
