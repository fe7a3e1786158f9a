//! The words of a child that is sent to the worker that owns it.

use super::super::Successor;
use super::super::shared::Portable;
use super::table::BackPointer;

/// Words of a child before those of its state.
const HEAD: usize = 6;

/// A state that a worker was sent.
pub(super) struct Arrival<'a, A> {
    pub(super) key: u64,
    /// What it costs to come to it on this way.
    pub(super) cost: u32,
    pub(super) bound: u32,
    pub(super) back_pointer: BackPointer<A>,
    /// The words of the state itself.
    pub(super) state: &'a [u64],
}

/// How a child that is sent was reached.
pub(super) struct Origin {
    pub(super) stamp: u64,
    /// The parent's number where it was expanded.
    pub(super) parent: u32,
    /// What it costs to come to the child.
    pub(super) cost: u32,
}

/// Appends a child with its state.
pub(super) fn write<S: Portable>(
    space: &S,
    child: &Successor<S::Action>,
    Origin { stamp, parent, cost }: Origin,
    state: &S::State,
    words: &mut Vec<u64>,
) {
    let start = words.len();
    words.extend([
        stamp,
        child.key,
        u64::from(parent) | u64::from(cost) << 32,
        u64::from(child.bound) | u64::from(child.cost) << 32,
        S::action_word(child.action),
        0,
    ]);
    space.pack(state, words);
    words[start + HEAD - 1] = (words.len() - start - HEAD) as u64;
}

/// The stamps and places of the children in a parcel.
#[derive(Clone)]
pub(super) struct Stamps<'a> {
    words: &'a [u64],
    at: usize,
}

impl<'a> Stamps<'a> {
    pub(super) fn of(words: &'a [u64]) -> Self {
        Stamps { words, at: 0 }
    }
}

impl Iterator for Stamps<'_> {
    type Item = (u64, usize);

    #[inline]
    fn next(&mut self) -> Option<(u64, usize)> {
        let head = self.words.get(self.at..self.at + HEAD)?;
        let place = self.at;
        self.at += HEAD + head[HEAD - 1] as usize;
        Some((head[0], place))
    }
}

/// The key of the child at a place of a parcel.
pub(super) fn key(words: &[u64], place: usize) -> u64 {
    words[place + 1]
}

/// How many words the state of the child at a place has.
pub(super) fn state_words(words: &[u64], place: usize) -> usize {
    words[place + HEAD - 1] as usize
}

/// The child at a place of a parcel that `worker` sent.
pub(super) fn read<S: Portable>(
    words: &[u64],
    place: usize,
    worker: usize,
) -> Option<Arrival<'_, S::Action>> {
    let [_, key, second, third, action, count] = *words.get(place..place + HEAD)? else {
        return None;
    };
    let state = words.get(place + HEAD..)?.get(..count as usize)?;
    let back_pointer = BackPointer {
        worker: worker as u32,
        parent: second as u32,
        cost: (third >> 32) as u32,
        action: S::action_of(action)?,
    };
    let (cost, bound) = ((second >> 32) as u32, third as u32);
    Some(Arrival { key, cost, bound, back_pointer, state })
}
