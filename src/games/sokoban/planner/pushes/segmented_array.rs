//! A segmented array: rows of equal width in blocks that never move.
//!
//! A vector that grows copies itself, and for a moment holds everything twice. A search that is to
//! hold to its memory cannot have that.

/// Rows of a block: two to this power.
const BLOCK: u32 = 14;

/// Rows of equal width.
#[derive(Clone, Debug)]
pub struct SegmentedArray<T> {
    width: usize,
    blocks: Vec<Vec<T>>,
    len: usize,
}

impl<T: Clone> SegmentedArray<T> {
    /// An array without rows, for rows of `width` items.
    pub fn new(width: usize) -> Self {
        SegmentedArray { width, blocks: Vec::new(), len: 0 }
    }

    /// Items of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows held.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.blocks.len() * self.block_bytes()
    }

    /// Rows for which there is room.
    pub fn capacity(&self) -> usize {
        self.blocks.len() << BLOCK
    }

    /// Rows of a block.
    pub fn block_rows(&self) -> usize {
        1 << BLOCK
    }

    /// Bytes that one more row may take.
    pub fn block_bytes(&self) -> usize {
        (self.width << BLOCK) * size_of::<T>()
    }

    /// A row.
    #[inline]
    pub fn row(&self, index: u32) -> &[T] {
        let at = (index as usize & ((1 << BLOCK) - 1)) * self.width;
        &self.blocks[index as usize >> BLOCK][at..at + self.width]
    }

    /// A row, to be changed.
    #[inline]
    pub fn row_mut(&mut self, index: u32) -> &mut [T] {
        let at = (index as usize & ((1 << BLOCK) - 1)) * self.width;
        &mut self.blocks[index as usize >> BLOCK][at..at + self.width]
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[T]) {
        debug_assert_eq!(row.len(), self.width);
        if self.len & ((1 << BLOCK) - 1) == 0 {
            self.blocks.push(Vec::with_capacity(self.width << BLOCK));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.extend_from_slice(row);
        }
        self.len += 1;
    }
}
