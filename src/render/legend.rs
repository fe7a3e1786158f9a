//! The signs of a game, explained under a picture. Pictures as pixels have no letters, so it is for SVG.

use super::heat::Heat;
use super::markup::escaped;
use super::tiles::{Colour, ROUTE, THROW, Tile};
use super::{Form, Picture, element, hex};
use crate::games::{Legend, Role};
use std::fmt::Write as _;

/// Height of a row of the legend, in pixels.
const ROW: f64 = 22.0;
/// Side of the drawing before a row's text, in pixels.
const SIDE: f64 = 16.0;
/// Space around the legend, in pixels.
const EDGE: f64 = 8.0;
/// Size of the letters, in pixels.
const LETTERS: f64 = 13.0;
/// Width that is reserved for a letter, in pixels: that of a wide one, since the reader's font is not known.
const LETTER_WIDTH: f64 = 8.0;
/// Colour of the text.
const TEXT: Colour = [52, 58, 64];

/// A legend as elements of SVG, and its extent in pixels.
pub struct Drawn {
    pub content: String,
    pub width: f64,
    pub height: f64,
}

/// Draws the legend of some pictures of a game below a height: a row for each kind of thing in them.
pub fn draw<'p>(
    pictures: impl Iterator<Item = &'p Picture> + Clone,
    legend: &Legend,
    top: f64,
) -> Drawn {
    let mut drawn = Drawn { content: String::new(), width: 0.0, height: 2.0 * EDGE };
    let is_shown = |role| {
        pictures.clone().any(|it| it.patches.iter().any(|(_, tile)| *tile == Tile::Of(role)))
    };
    for role in Role::ALL.into_iter().filter(|&role| is_shown(role)) {
        let text = words(legend, role);
        if !text.is_empty() {
            let place = drawn.next_place(top);
            let mut forms = Vec::new();
            Tile::Of(role).draw(place, &mut forms);
            drawn.add(&forms, place, &text);
        }
    }
    for (colour, text) in pictures.clone().filter_map(|it| it.heat.as_ref()).flat_map(Heat::legend)
    {
        let place = drawn.next_place(top);
        let (left, top, width, height) = place;
        drawn.add(&[(Form::Rect { left, top, width, height }, colour)], place, &text);
    }
    let has_route = pictures.clone().any(|picture| picture.route.len() > 1);
    let has_throws = pictures.clone().any(|picture| !picture.throws.is_empty());
    for (is_there, colour, text) in
        [(has_route, ROUTE, "the plan's route"), (has_throws, THROW, "a throw")]
    {
        if is_there {
            let place = drawn.next_place(top);
            let (left, top, side, _) = place;
            let points = vec![(left, top + side / 2.0), (left + side, top + side / 2.0)];
            drawn.add(&[(Form::Line { points, pen: side / 5.0 }, colour)], place, text);
        }
    }
    drawn
}

impl Drawn {
    /// The place of the next row's drawing: left, top, width, height.
    fn next_place(&self, top: f64) -> (f64, f64, f64, f64) {
        (EDGE, top + self.height - EDGE + (ROW - SIDE) / 2.0, SIDE, SIDE)
    }

    /// Adds a row.
    fn add(&mut self, forms: &[(Form, Colour)], place: (f64, f64, f64, f64), text: &str) {
        let (left, top, side, _) = place;
        for (form, colour) in forms {
            element(&mut self.content, form, &hex(*colour));
        }
        let (x, y) = (left + side + EDGE, top + side / 2.0);
        // Writing to a string does not fail.
        let _ = writeln!(
            self.content,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-family=\"sans-serif\" font-size=\"{LETTERS}\" \
             dominant-baseline=\"central\" fill=\"{}\">{}</text>",
            hex(TEXT),
            escaped(text)
        );
        self.width = self.width.max(x + LETTER_WIDTH * text.chars().count() as f64 + EDGE);
        self.height += ROW;
    }
}

/// The meaning of all signs with one role, which are drawn alike: `box ($)`.
fn words(legend: &Legend, role: Role) -> String {
    let mut kinds: Vec<(&str, String)> = Vec::new();
    for sign in legend.signs.iter().filter(|sign| sign.role == role) {
        match kinds.iter_mut().find(|(about, _)| *about == sign.about) {
            Some((_, letters)) => {
                letters.push(' ');
                letters.push(sign.letter);
            }
            None => kinds.push((sign.about, sign.letter.to_string())),
        }
    }
    let texts = kinds.into_iter().map(|(about, letters)| format!("{about} ({letters})"));
    texts.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameId;

    #[test]
    fn signs_that_are_drawn_alike_share_a_row() {
        let legend = GameId::Monsters.game().legend();
        assert_eq!(words(legend, Role::Walker), "sentinel (^ > v <)");
        let level = crate::parse("######\n#@$ .#\n######\n").expect("a file").only().expect("one");
        let picture = Picture::new(&*level, &["R".into(), "R".into()]).expect("a picture");
        let drawn = draw(std::iter::once(&picture), level.session().legend(), 72.0);
        for text in ["wall (#)", "you (@); you, on a target (+)", "box ($)", "the plan&#39;s route"]
        {
            assert!(
                drawn.content.contains(&format!(">{text}</text>")),
                "{text}: {}",
                drawn.content
            );
        }
        assert!(!drawn.content.contains("box on a target"), "none is shown");
        assert_eq!(drawn.height, 2.0 * EDGE + 5.0 * ROW);
    }
}
