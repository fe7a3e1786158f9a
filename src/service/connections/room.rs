//! The connection limit, in all and for each client address.
//!
//! At the limit new connections are accepted all the same, as long as the server has nothing to do
//! for one of the others: the one that was idle for longest is closed. So connections that say
//! nothing shut nobody out. Where all are at work a few reserved places remain, at which only
//! `/healthz` is answered and everything else is told to come again.

use crate::service::client::network;
use crate::service::connections::connection::Life;
use crate::service::limits::{HEARING, RESERVED_CONNECTIONS};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The limit is reached, and no connection was idle for long enough to be closed: it takes a
/// moment.
#[derive(Debug)]
pub struct TooSoon;

/// The connections of a server, and their limit.
pub struct Room {
    most: usize,
    most_each: usize,
    inside: Mutex<Inside>,
    reserved: Arc<Semaphore>,
}

#[derive(Default)]
struct Inside {
    next: u64,
    guests: HashMap<u64, Guest>,
    of: HashMap<IpAddr, usize>,
}

struct Guest {
    /// The address that the connection counts for; none for a proxy, from which many may come.
    client: Option<IpAddr>,
    life: Arc<Life>,
}

impl Inside {
    fn remove(&mut self, number: u64) -> Option<Guest> {
        let guest = self.guests.remove(&number)?;
        if let Some(client) = guest.client
            && let Some(count) = self.of.get_mut(&client)
        {
            *count -= 1;
            if *count == 0 {
                self.of.remove(&client);
            }
        }
        Some(guest)
    }

    /// Closes the connection that was idle for longest, of one client or of all. One that was just
    /// accepted may have sent something that has not been read yet.
    fn make_room(&mut self, client: Option<IpAddr>) -> Result<bool, TooSoon> {
        let mine = |guest: &&Guest| client.is_none() || guest.client == client;
        let quiet = self.guests.iter().filter(|(_, guest)| mine(guest));
        let quiet = quiet.filter_map(|(&number, guest)| Some((guest.life.quiet_since()?, number)));
        let Some((since, number)) = quiet.min() else { return Ok(false) };
        if since.elapsed() < HEARING {
            return Err(TooSoon);
        }
        if let Some(guest) = self.remove(number) {
            guest.life.end();
        }
        Ok(true)
    }
}

/// A connection's place, taken until this is dropped.
pub enum Place {
    /// A place within the connection limit.
    Usual {
        /// The connections that it is one of.
        room: Arc<Room>,
        /// Its number among them.
        number: u64,
    },
    /// A place that is kept for whoever asks whether the server lives.
    Reserved {
        /// It is free again when this is dropped.
        _permit: OwnedSemaphorePermit,
    },
}

impl Place {
    /// Whether only `/healthz` is answered here.
    pub fn is_reserved(&self) -> bool {
        matches!(self, Place::Reserved { .. })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Place::Usual { room, number } = self {
            room.lock().remove(*number);
        }
    }
}

impl Room {
    /// A limit of `most` connections in all, and of `most_each` from each address.
    pub fn new(most: usize, most_each: usize) -> Arc<Self> {
        let reserved = Arc::new(Semaphore::new(RESERVED_CONNECTIONS));
        Arc::new(Room { most, most_each, inside: Mutex::default(), reserved })
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of connections, those at reserved places not counted.
    fn count(&self) -> usize {
        self.lock().guests.len()
    }

    /// Tells the metrics the number of connections.
    pub fn measure(&self) {
        metrics::gauge!("outwit_connections").set(self.count() as f64);
    }

    /// Takes a place for a connection; none where even the reserved places are taken. `client` is
    /// none for a proxy, which may have as many as there are.
    ///
    /// # Errors
    /// That it is to be tried again in a moment.
    pub fn enter(
        self: &Arc<Self>,
        client: Option<IpAddr>,
        life: &Arc<Life>,
    ) -> Result<Option<Place>, TooSoon> {
        let client = client.map(network);
        let mut inside = self.lock();
        let has_most = client.is_some_and(|client| inside.of.get(&client) >= Some(&self.most_each));
        let is_full = inside.guests.len() >= self.most;
        if has_most && !inside.make_room(client)?
            || !has_most && is_full && !inside.make_room(None)?
        {
            drop(inside);
            let permit = Arc::clone(&self.reserved).try_acquire_owned().ok();
            return Ok(permit.map(|_permit| Place::Reserved { _permit }));
        }
        let number = inside.next;
        inside.next += 1;
        inside.guests.insert(number, Guest { client, life: Arc::clone(life) });
        if let Some(client) = client {
            *inside.of.entry(client).or_default() += 1;
        }
        Ok(Some(Place::Usual { room: Arc::clone(self), number }))
    }

    /// Closes a connection because the process has no more handles.
    pub fn make_room(&self) {
        // Where that is too soon, it is done at the next failure.
        let _ = self.lock().make_room(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::connections::connection::InHand;
    use std::time::Duration;

    fn life() -> Arc<Life> {
        let life = Life::new(Duration::from_secs(1));
        life.listen();
        life
    }

    /// Enters as the server does, again and again where it is too soon.
    fn enter(room: &Arc<Room>, client: Option<IpAddr>, life: &Arc<Life>) -> Option<Place> {
        loop {
            match room.enter(client, life) {
                Ok(place) => return place,
                Err(TooSoon) => std::thread::sleep(HEARING / 4),
            }
        }
    }

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([10, 0, 0, last]))
    }

    #[test]
    fn who_is_quiet_gives_way_and_who_is_served_does_not() {
        let room = Room::new(2, 2);
        let (busy, quiet) = (life(), life());
        let in_hand = InHand::new(&busy);
        let _busy = enter(&room, address(1), &busy).expect("there is room");
        let gone = enter(&room, address(2), &quiet).expect("there is room");
        let newcomer = life();
        let third = enter(&room, address(3), &newcomer).expect("the quiet one goes");
        assert!(!third.is_reserved());
        assert_eq!(room.count(), 2);
        drop(gone);
        assert_eq!(room.count(), 2, "a place is given back once");
        let _also = InHand::new(&newcomer);
        let fourth = enter(&room, address(4), &life()).expect("some are reserved");
        assert!(fourth.is_reserved(), "all others are at work");
        let rest: Vec<_> =
            (0..RESERVED_CONNECTIONS).map_while(|_| enter(&room, address(5), &life())).collect();
        assert_eq!(rest.len(), RESERVED_CONNECTIONS - 1, "and those come to an end");
        drop(in_hand);
        assert!(!enter(&room, address(6), &life()).expect("one is quiet now").is_reserved());
    }

    #[test]
    fn an_address_has_its_share_and_takes_it_from_itself() {
        let room = Room::new(10, 2);
        let other = life();
        let _other = enter(&room, address(9), &other).expect("there is room");
        let places: Vec<_> = (0..5).map(|_| enter(&room, address(1), &life())).collect();
        assert!(places.iter().flatten().all(|place| !place.is_reserved()));
        assert_eq!(room.count(), 3, "two of one address, one of another");
        let proxied: Vec<_> = (0..5).map(|_| enter(&room, None, &life())).collect();
        assert_eq!(room.count(), 8, "a proxy has no share of its own");
        drop((places, proxied));
        assert_eq!(room.count(), 1);
        assert!(room.lock().of.len() == 1, "who is gone is forgotten");
    }
}
