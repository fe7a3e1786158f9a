//! Where a box can be parked that is in the way on its target.

use super::level::pulls::FAR;
use super::order::{NO_PHASE, OrderSearch, Parking};
use crate::games::sokoban::board::Square;

impl OrderSearch<'_> {
    /// The parkings of those of these targets that hold a box which can be pulled.
    pub(super) fn parkings(&mut self, among: &[usize], player: Square) -> Vec<(usize, Parking)> {
        let mut open = Vec::new();
        for &k in among {
            let target = self.targets[k];
            if target.phase == NO_PHASE && self.can_pull(target.square) {
                open.extend(self.parking(k, player).map(|parking| (k, parking)));
            }
        }
        open
    }

    /// Where the box of a real target can be parked: as far as possible by pushes, and then as far as
    /// possible as the crow flies.
    fn parking(&mut self, k: usize, player: Square) -> Option<Parking> {
        let (terrain, goal) = (self.terrain, self.targets[k].square);
        self.pulls.measure_for(terrain, &mut self.occupied, goal, player);
        let back = |s: Square| terrain.from_goal[k][s as usize];
        let mut reached = self.pulls.reached.clone();
        reached.retain(|&s| back(s) != FAR);
        reached.sort_unstable();
        let mut most_back = reached.iter().map(|&s| back(s)).max()?;
        let mut most_apart = reached.iter().map(|&s| terrain.manhattan(s, goal)).max()?;
        reached.retain(|&s| {
            terrain.is_usable(s) && !terrain.is_gate[s as usize] && terrain.tunnels[s as usize] == 0
        });
        let mut first = None;
        while first.is_none() && most_back > 0 && most_apart > 0 {
            first = (reached.iter().filter(|&&s| back(s) == most_back))
                .find_map(|&s| self.places_beside(goal, s).next().map(|player| (s, player)));
            most_back -= u16::from(first.is_none());
        }
        let first = first?;
        let mut second: Option<(Square, Square)> = None;
        while second.is_none() && most_apart > 0 {
            for &square in &reached {
                let is_farther = second.is_none_or(|(other, _)| {
                    terrain.manhattan(square, first.0) > terrain.manhattan(other, first.0)
                });
                if terrain.manhattan(square, goal) == most_apart
                    && square != first.0
                    && is_farther
                    && let Some(player) = self.places_beside(goal, square).last()
                {
                    second = Some((square, player));
                }
            }
            most_apart -= 1;
        }
        Some(Parking { distance: most_back, first, second })
    }

    /// The squares beside a parked box from which the player can walk to the target that it was pulled
    /// from.
    fn places_beside(&mut self, goal: Square, square: Square) -> impl Iterator<Item = Square> {
        let arrivals: Vec<u8> = self.pulls.arrivals(square).collect();
        arrivals.into_iter().filter_map(move |d| {
            let player = self.terrain.step(square, d);
            self.walk_after(goal, square, player);
            self.walk.contains(goal).then_some(player)
        })
    }
}
