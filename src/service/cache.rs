//! Things that are kept while they are used and there is room, by name.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bounded by number, by weight and by age; what was not touched for longest goes first.
pub struct Cache<T> {
    held: Mutex<HashMap<String, Held<T>>>,
    bounds: Bounds,
}

/// How much a [`Cache`] holds.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Things at once.
    pub count: usize,
    /// The sum of their weights; a single one may weigh more.
    pub weight: u64,
    /// What was not touched for so long is gone.
    pub expiry: Duration,
}

struct Held<T> {
    thing: T,
    touched: Instant,
    weight: u64,
}

impl<T: Clone> Cache<T> {
    /// An empty one.
    pub fn new(bounds: Bounds) -> Self {
        Cache { held: Mutex::default(), bounds }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Held<T>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are held.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    /// Finds a thing and touches it.
    pub fn get(&self, name: &str) -> Option<T> {
        let mut held = self.lock();
        let one = held.get_mut(name).filter(|one| one.touched.elapsed() < self.bounds.expiry)?;
        one.touched = Instant::now();
        Some(one.thing.clone())
    }

    /// Holds a thing, in the place of another of that name, and gives up what is too much.
    pub fn put(&self, name: &str, thing: T, weight: u64) {
        let mut held = self.lock();
        held.insert(name.into(), Held { thing, touched: Instant::now(), weight });
        held.retain(|_, one| one.touched.elapsed() < self.bounds.expiry);
        let mut sum: u64 = held.values().map(|one| one.weight).sum();
        while held.len() > self.bounds.count || (sum > self.bounds.weight && held.len() > 1) {
            let others = held.iter().filter(|(other, _)| *other != name);
            let oldest = others.min_by_key(|(_, one)| one.touched).map(|(name, _)| name.clone());
            let Some(one) = oldest.and_then(|name| held.remove(&name)) else { break };
            sum -= one.weight;
        }
    }

    /// Gives a thing up.
    pub fn forget(&self, name: &str) {
        self.lock().remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_keeps_to_its_bounds() {
        let bounds = Bounds { count: 3, weight: 10, expiry: Duration::from_secs(60) };
        let cache = Cache::new(bounds);
        for name in ["a", "b", "c"] {
            cache.put(name, name, 1);
        }
        assert_eq!(cache.get("a"), Some("a"));
        cache.put("d", "d", 1);
        assert_eq!((cache.get("b"), cache.count()), (None, 3), "b was not touched for longest");
        cache.put("e", "e", 9);
        assert_eq!(cache.count(), 2, "the weights of e and one other are all there is room for");
        cache.put("f", "f", 99);
        assert_eq!((cache.get("f"), cache.count()), (Some("f"), 1));
        cache.forget("f");
        assert_eq!(cache.count(), 0);
    }
}
