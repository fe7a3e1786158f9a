//! Where a proof has searched: cells in colours, by how many of its states are there.

use super::tiles::Colour;
use super::{Cell, Form, Picture};
use crate::check::Searched;

/// Colour of a cell in which one state is, and of the cell in which the most are. Between them the colour goes by the
/// logarithm: states of a proof crowd on a few cells.
const FEW: Colour = [255, 243, 205];
const MANY: Colour = [246, 178, 66];

/// The number of a proof's closed states on each cell.
#[derive(Debug)]
pub struct Heat {
    /// Cells and their numbers of states, each at least 1.
    cells: Vec<(Cell, u64)>,
    most: u64,
    /// Number of all closed states.
    states: u64,
}

impl Heat {
    pub fn new(searched: &Searched) -> Heat {
        let cells: Vec<(Cell, u64)> =
            searched.cells.iter().map(|(&at, &many)| (at, many)).collect();
        let most = cells.iter().map(|&(_, many)| many).max().unwrap_or(0);
        Heat { cells, most, states: searched.certified.states() }
    }

    /// The forms of a picture's cells; they lie under all that stands there.
    pub fn draw(&self, picture: &Picture, forms: &mut Vec<(Form, Colour)>) {
        for &((row, col), many) in &self.cells {
            let (left, top, width, height) = picture.place_of(row, col);
            forms.push((Form::Rect { left, top, width, height }, self.colour(many)));
        }
    }

    fn colour(&self, many: u64) -> Colour {
        let share = match self.most {
            0 | 1 => 0.0,
            most => (many as f64).ln() / (most as f64).ln(),
        };
        let mixed = |at: usize| {
            let (few, many) = (f64::from(FEW[at]), f64::from(MANY[at]));
            (few + share * (many - few)).round() as u8
        };
        [mixed(0), mixed(1), mixed(2)]
    }

    /// Colours with what they mean, for a legend.
    pub fn legend(&self) -> Vec<(Colour, String)> {
        let (most, states) = (self.most, self.states);
        let few = (FEW, format!("1 of the {states} states that the proof closed"));
        let many = (MANY, format!("{most} of them"));
        [few, many].into_iter().take(most.min(2) as usize).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::{Claim, Start};
    use crate::check::{certify, searched};
    use crate::games::{Area, Role, Window};
    use crate::search::Run;

    fn area(text: &str) -> Box<dyn Area> {
        crate::parse(text).expect("a file").only().expect("one area")
    }

    #[test]
    fn cells_with_more_states_have_the_stronger_colour() {
        let area = area("#########\n#@      #\n# $ . $ #\n#   .   #\n#########\n");
        let run = Run::seconds(10.0);
        // The shortest plan has seven moves; the boxes go straight, so that in pushes nothing needs to be closed.
        let measure = area.game().game().measures().last().copied();
        let certificate = certify(&*area, measure, Claim::AtLeast(7), None, &run).expect("true");
        let found = searched(&*area, &certificate, &run).expect("it is certified");
        let heat = Heat::new(&found);
        assert!(heat.most > 1, "{found:?}");
        assert_eq!((heat.colour(1), heat.colour(heat.most)), (FEW, MANY));
        let mut picture = Picture::new(&*area, &[]).expect("a picture");
        let before = picture.svg();
        picture.mark(&found);
        assert_eq!(picture.svg().lines().count(), before.lines().count() + found.cells.len());
    }

    /// The cells that are marked for the start are where the session has the player, or the boxes.
    #[test]
    fn every_game_marks_the_cells_that_its_pictures_have() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("areas");
        for name in [
            "sokoban/pull-9x12-5-500.xsb",
            "robots/sample-1.txt",
            "monsters/subtask-g-blobs.txt",
            "labyrinth/class-5-maze-3.txt",
            "last-of-us/area-0-sample.txt",
        ] {
            let file = crate::read(folder.join(name)).expect("a file");
            let area = file.only().expect("one area");
            let session = area.session();
            let (board, player) = session.extent();
            let is_shown = |&(row, col): &Cell| {
                let at = Window { row, col, rows: 1, cols: 1 };
                let role = super::super::roles(&*session, at)[0];
                matches!(role, Role::Thing | Role::Settled)
            };
            let abstraction = area.abstraction();
            for rulebook in area.rulebook(None).into_iter().chain(abstraction) {
                let Start::State(start) = rulebook.start() else { panic!("{name}") };
                let cells = rulebook.cells(&start);
                assert!(!cells.is_empty(), "{name}");
                if cells.len() > 1 || Some(cells[0]) != player {
                    assert!(cells.iter().all(is_shown), "{name}: {cells:?} in {board:?}");
                }
            }
        }
    }
}
