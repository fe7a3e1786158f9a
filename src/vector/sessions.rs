//! Any game as a learning program plays it: by sessions, under the reference rules.

use crate::games::Area;
use crate::games::session::{Session, Status, Window};
use crate::games::stepper::{Opening, Stepped, Stepper, actions};
use std::sync::Arc;

/// The start of games on an area: over the fast simulator if the game has one for it, else over the
/// reference rules.
pub fn opening(area: &Arc<dyn Area>) -> Box<dyn Opening> {
    area.fast_opening().unwrap_or_else(|| Box::new(SessionOpening::new(Arc::clone(area))))
}

/// The opening of any game: its steppers play sessions.
#[derive(Debug)]
pub struct SessionOpening {
    area: Arc<dyn Area>,
    actions: Arc<[String]>,
}

impl SessionOpening {
    /// The opening of an area.
    pub fn new(area: Arc<dyn Area>) -> Self {
        let actions = actions(&*area.session()).into();
        SessionOpening { area, actions }
    }
}

impl Opening for SessionOpening {
    fn begin(&self) -> Box<dyn Stepper> {
        Box::new(Sessions {
            area: Arc::clone(&self.area),
            session: self.area.session(),
            actions: self.actions.clone(),
            done: Vec::new(),
        })
    }
}

/// A session as a stepper.
struct Sessions {
    area: Arc<dyn Area>,
    session: Box<dyn Session>,
    actions: Arc<[String]>,
    /// The actions that were done.
    done: Vec<usize>,
}

impl Stepper for Sessions {
    fn step(&mut self, action: usize) -> Stepped {
        let Some(step) = self.actions.get(action) else { return Stepped::Refused };
        if self.session.status() != Status::Playing || self.session.act(step).is_err() {
            return Stepped::Refused;
        }
        self.done.push(action);
        match self.session.status() {
            Status::Playing => Stepped::Playing,
            Status::Won => Stepped::Won,
            Status::Lost(_) => Stepped::Lost,
        }
    }

    fn allowed(&mut self, mask: &mut [u8]) {
        self.session.allowed(&self.actions, mask);
    }

    fn extent(&self) -> Window {
        self.session.extent().0
    }

    fn player(&self) -> Option<(i64, i64)> {
        self.session.extent().1
    }

    fn observe(&self, window: Window, codes: &mut [u8]) {
        self.session.observe(window, codes);
    }

    fn fork(&self) -> Box<dyn Stepper> {
        let Sessions { area, actions, done, .. } = self;
        let mut session = area.session();
        // The rules have accepted each of them.
        done.iter().for_each(|&action| drop(session.act(&actions[action])));
        Box::new(Sessions {
            area: Arc::clone(area),
            session,
            actions: actions.clone(),
            done: done.clone(),
        })
    }
}
