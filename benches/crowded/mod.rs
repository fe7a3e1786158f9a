//! Forty crowded boards with 30 boxes and more: chains, of which no plan is known, and mirrored crowds.

use outwit::games::sokoban::generate::chain_without_plan;
use outwit::games::{GameId, GenerateOptions};

/// Chains: form, boxes, corners, rooms, seed.
const CHAINS: [(&str, u32, u32, u32, u64); 24] = [
    ("line", 30, 6, 0, 31),
    ("line", 30, 6, 0, 32),
    ("line", 30, 5, 1, 33),
    ("line", 30, 4, 2, 34),
    ("line", 32, 7, 0, 35),
    ("line", 36, 8, 0, 36),
    ("line", 36, 6, 2, 37),
    ("line", 40, 9, 0, 38),
    ("line", 40, 7, 2, 39),
    ("line", 40, 5, 4, 40),
    ("ring", 30, 0, 0, 41),
    ("ring", 30, 0, 3, 42),
    ("ring", 40, 0, 4, 43),
    ("spiral", 30, 0, 1, 44),
    ("spiral", 40, 0, 3, 45),
    ("spiral", 50, 0, 4, 46),
    ("crossing", 30, 0, 0, 47),
    ("crossing", 30, 0, 2, 48),
    ("crossing", 36, 0, 3, 49),
    ("crossing", 40, 0, 4, 50),
    ("line", 52, 12, 0, 51),
    ("ring", 60, 0, 6, 52),
    ("spiral", 60, 0, 6, 53),
    ("spiral", 70, 0, 8, 54),
];
/// Mirrored crowds: rows, columns, boxes, walls in percent, seed.
const CROWDS: [(u32, u32, u32, u32, u64); 16] = [
    (11, 17, 40, 20, 65),
    (13, 15, 30, 30, 66),
    (13, 15, 40, 20, 67),
    (13, 17, 36, 30, 68),
    (13, 17, 44, 20, 69),
    (13, 19, 40, 30, 70),
    (13, 19, 50, 20, 71),
    (15, 17, 40, 30, 72),
    (15, 17, 50, 20, 73),
    (15, 19, 44, 30, 74),
    (15, 19, 54, 20, 75),
    (15, 21, 50, 30, 76),
    (15, 21, 60, 20, 77),
    (17, 23, 60, 30, 78),
    (17, 25, 64, 20, 79),
    (17, 29, 72, 20, 80),
];

/// The boards as a collection.
pub fn levels() -> String {
    let chains = CHAINS.iter().map(|&(form, boxes, corners, rooms, seed)| {
        let numbers = [("boxes", boxes), ("corners", corners), ("rooms", rooms)];
        let mut values = numbers.map(|(name, number)| (name, number.to_string())).to_vec();
        values.push(("form", form.to_string()));
        let board = chain_without_plan(&GenerateOptions::new(seed, values)).expect("a chain");
        format!("{board}Title: chain-{form}-{boxes}-{corners}-{rooms}-{seed}\n\n")
    });
    let crowds = CROWDS.iter().map(|&(rows, cols, boxes, walls, seed)| {
        let numbers =
            [("rows", rows), ("cols", cols), ("boxes", boxes), ("walls", walls), ("pulls", 800)];
        let mut values = numbers.map(|(name, number)| (name, number.to_string())).to_vec();
        values.push(("family", "mirrored".to_string()));
        let made =
            GameId::Sokoban.game().generate(&GenerateOptions::new(seed, values)).expect("a crowd");
        format!("{}\n", made.area)
    });
    chains.chain(crowds).collect()
}
