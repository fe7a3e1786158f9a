//! New areas.

use crate::games::{Generated, Parameter, Wish};

/// What the generator can be told.
pub const PARAMETERS: &[Parameter] = &[];

/// Makes one area.
pub fn generate(_wish: &Wish) -> Result<Generated, String> {
    Err("not yet".into())
}
