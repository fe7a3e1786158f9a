//! Any text is an area or a diagnostic, whatever game it is said to be of; and what an area writes
//! is read again as the same.

use super::input;
use outwit::diagnostic::Source;
use outwit::games::{Area, Game, GameId, identify};
use std::path::Path;

/// Areas of a text that are looked at; a collection may have thousands.
const MOST_AREAS: usize = 20;

/// Reads bytes as every game would.
pub fn run(data: &[u8]) {
    let source = Source::new("input", input::text(data));
    if let Err(diagnostic) = identify(Path::new("-"), &source) {
        assert!(!diagnostic.report(false).is_empty());
    }
    for id in GameId::ALL {
        let game = id.game();
        game.recognises(&source.text);
        match game.read(&source) {
            Err(diagnostic) => {
                assert!(!diagnostic.report(false).is_empty());
                assert!(!diagnostic.message.is_empty());
            }
            Ok(areas) => {
                assert!(
                    areas.readable().next().is_some(),
                    "{id}: neither an area nor a diagnostic"
                );
                for (_, diagnostic) in areas.errors().take(MOST_AREAS) {
                    assert!(!diagnostic.report(false).is_empty());
                }
                areas.readable().take(MOST_AREAS).for_each(|(_, area)| read_again(game, &**area));
            }
        }
    }
}

/// Checks that an area is what it was once it is written and read.
fn read_again(game: &dyn Game, area: &dyn Area) {
    let text = area.text();
    let again = game.read(&Source::new("again", text.clone()));
    let again = again.unwrap_or_else(|error| panic!("{}\n{text}", error.report(false)));
    let again = again.only().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.text(), text);
    assert_eq!(again.facts(), area.facts(), "{text}");
    assert_eq!(area.game(), game.id());
    assert!(!area.name().is_empty(), "{text}");
}
