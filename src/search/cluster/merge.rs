//! What comes in order from several workers, in order.

/// The items of several sources, each of which is in ascending order, in ascending order, with the
/// number of the source; of equal items the one of the first source first.
///
/// Several items of one source often come together: as long as they are below the first of all other
/// sources, nothing else is looked at.
pub(super) struct Merge<I: Iterator> {
    /// The sources, with the next item of each.
    sources: Vec<(I, Option<I::Item>)>,
    /// The source of the last item.
    from: usize,
    /// The least next item of the other sources, with its source.
    limit: Option<(I::Item, usize)>,
}

impl<I: Iterator<Item: Ord + Copy>> Merge<I> {
    pub(super) fn new(sources: impl IntoIterator<Item = I>) -> Self {
        let sources = sources.into_iter().map(|mut source| {
            let next = source.next();
            (source, next)
        });
        let mut merge = Merge { sources: sources.collect(), from: 0, limit: None };
        merge.choose();
        merge
    }

    /// Goes on with the source that has the least item.
    fn choose(&mut self) {
        let heads = self.sources.iter().enumerate();
        let heads = heads.filter_map(|(from, (_, next))| next.map(|next| (next, from)));
        let (mut least, mut limit) = (None, None);
        for head in heads {
            if least.is_none_or(|least| head < least) {
                (limit, least) = (least, Some(head));
            } else if limit.is_none_or(|limit| head < limit) {
                limit = Some(head);
            }
        }
        self.from = least.map_or(0, |least| least.1);
        self.limit = limit;
    }
}

impl<I: Iterator<Item: Ord + Copy>> Iterator for Merge<I> {
    type Item = (I::Item, usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let from = self.from;
        let (source, next) = self.sources.get_mut(from)?;
        let item = next.take()?;
        *next = source.next();
        let goes_on = match (*next, self.limit) {
            (Some(next), Some(limit)) => (next, from) < limit,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if !goes_on {
            self.choose();
        }
        Some((item, from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_in_order() {
        let sources = [vec![1, 4, 4, 9], vec![], vec![2, 4], vec![0, 11, 12]];
        let mut all: Vec<(i32, usize)> = Vec::new();
        for (from, source) in sources.iter().enumerate() {
            all.extend(source.iter().map(|&item| (item, from)));
        }
        all.sort_unstable();
        let merged: Vec<_> = Merge::new(sources.map(Vec::into_iter)).collect();
        assert_eq!(merged, all);
    }
}
