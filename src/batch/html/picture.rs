//! Small pictures of areas within HTML.

use crate::batch::Task;
use crate::games::Fingerprint;
use crate::render::Picture;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;

/// The longest side of a picture, in pixels, however large its area is.
const SIDE: usize = 160;

/// Pictures of areas by their content.
pub struct Pictures<'a> {
    areas: BTreeMap<Fingerprint, &'a Task>,
}

impl<'a> Pictures<'a> {
    /// The pictures of these areas.
    pub fn new(areas: &'a [Task]) -> Self {
        let by_content = |task: &'a Task| (Fingerprint::of_area(&*task.area), task);
        Pictures { areas: areas.iter().map(by_content).collect() }
    }

    /// The picture of an area as an element of HTML; none where the area is not there or too large to be drawn.
    pub fn of(&self, area: Option<Fingerprint>) -> Option<String> {
        let task = self.areas.get(&area?)?;
        let png = Picture::new(&*task.area, &[]).ok()?.thumbnail(SIDE).ok()?;
        Some(format!(
            "<img alt=\"\" loading=\"lazy\" src=\"data:image/png;base64,{}\">",
            STANDARD.encode(png)
        ))
    }
}
