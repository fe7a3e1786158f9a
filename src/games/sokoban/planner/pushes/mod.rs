//! Search over single pushes and pulls, and what its searches keep.

pub(super) mod best_first;
pub mod cyclic_open_list;
pub(super) mod position_table;
pub mod segmented_array;
