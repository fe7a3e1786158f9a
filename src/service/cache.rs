//! Things that are kept while they are used and there is room, by name.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bounded by number, by weight and by age. Where there is too much, the owner that has the most
/// loses what it has not touched for longest: no owner pushes out what is others' while it has more
/// than they.
pub struct Cache<T> {
    held: Mutex<HashMap<String, Held<T>>>,
    bounds: Bounds,
}

/// How much a [`Cache`] holds.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Upper limit of the things that are held at once.
    pub count: usize,
    /// The sum of their weights; a single one may weigh more.
    pub weight: u64,
    /// Idle time after which a thing is removed.
    pub expiry: Duration,
}

struct Held<T> {
    thing: T,
    owner: Option<IpAddr>,
    touched: Instant,
    weight: u64,
}

impl<T: Clone> Cache<T> {
    /// An empty cache.
    pub fn new(bounds: Bounds) -> Self {
        Cache { held: Mutex::default(), bounds }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Held<T>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of things that are held.
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

    /// Holds a thing without an owner, in the place of another of that name, and gives up what is
    /// too much.
    pub fn put(&self, name: &str, thing: T, weight: u64) {
        self.put_for(None, name, thing, weight);
    }

    /// Holds a thing of an owner as [`Cache::put`] does.
    pub fn put_for(&self, owner: Option<IpAddr>, name: &str, thing: T, weight: u64) {
        let mut held = self.lock();
        held.insert(name.into(), Held { thing, owner, touched: Instant::now(), weight });
        held.retain(|_, one| one.touched.elapsed() < self.bounds.expiry);
        let mut sum: u64 = held.values().map(|one| one.weight).sum();
        loop {
            let too_heavy = sum > self.bounds.weight;
            if held.len() <= self.bounds.count && !(too_heavy && held.len() > 1) {
                return;
            }
            let part = |one: &Held<T>| if too_heavy { one.weight } else { 1 };
            let mut parts: HashMap<Option<IpAddr>, u64> = HashMap::new();
            for one in held.values() {
                *parts.entry(one.owner).or_default() += part(one);
            }
            let others = held.iter().filter(|(other, _)| *other != name);
            let first = others.min_by_key(|(_, one)| {
                let is_the_putters = one.owner == owner;
                (Reverse((parts.get(&one.owner), is_the_putters)), one.touched)
            });
            let first = first.map(|(name, _)| name.clone());
            let Some(one) = first.and_then(|name| held.remove(&name)) else { return };
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

    #[test]
    fn who_has_the_most_loses_its_oldest() {
        let bounds = Bounds { count: 6, weight: 100, expiry: Duration::from_secs(60) };
        let cache = Cache::new(bounds);
        let [quiet, loud, third] = [1, 2, 3].map(|end| Some(IpAddr::from([192, 0, 2, end])));
        cache.put_for(quiet, "quiet", 0, 1);
        for number in 0..100 {
            cache.put_for(loud, &format!("loud-{number}"), number, 1);
        }
        assert_eq!((cache.get("quiet"), cache.count()), (Some(0), 6));
        assert_eq!((cache.get("loud-94"), cache.get("loud-95")), (None, Some(95)));
        for name in ["third-1", "third-2", "third-3"] {
            cache.put_for(third, name, 0, 1);
        }
        // Two of the loud one's five had to go; then both have as many, and who puts gives way.
        assert!(["loud-99", "loud-95", "quiet"].iter().all(|name| cache.get(name).is_some()));
        assert_eq!((cache.get("third-1"), cache.get("third-3")), (None, Some(0)));
        cache.put_for(third, "third-4", 0, 96);
        assert!(cache.get("third-4").is_some() && cache.get("third-3").is_none());
        assert!(cache.get("quiet").is_some(), "others have room beside what is heavy");
    }
}
