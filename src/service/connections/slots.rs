//! The connection limit, in all and for each client address.
//!
//! At the limit new connections are accepted all the same, as long as the server has nothing to do
//! for one of the others: the one that was idle for longest is closed. So connections that say
//! nothing shut nobody out. Where all are at work a few reserved slots remain, at which only
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
pub struct Slots {
    most: usize,
    most_each: usize,
    taken: Mutex<Taken>,
    reserved: Arc<Semaphore>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    connections: HashMap<u64, Counted>,
    of: HashMap<IpAddr, usize>,
}

struct Counted {
    /// The address that the connection counts for; none for a proxy, from which many may come.
    client: Option<IpAddr>,
    life: Arc<Life>,
}

impl Taken {
    fn remove(&mut self, number: u64) -> Option<Counted> {
        let connection = self.connections.remove(&number)?;
        if let Some(client) = connection.client
            && let Some(count) = self.of.get_mut(&client)
        {
            *count -= 1;
            if *count == 0 {
                self.of.remove(&client);
            }
        }
        Some(connection)
    }

    /// Closes the connection that was idle for longest, of one client or of all. One that was just
    /// accepted may have sent something that has not been read yet.
    fn make_room(&mut self, client: Option<IpAddr>) -> Result<bool, TooSoon> {
        let mine = |connection: &&Counted| client.is_none() || connection.client == client;
        let quiet = self.connections.iter().filter(|(_, connection)| mine(connection));
        let quiet = quiet
            .filter_map(|(&number, connection)| Some((connection.life.quiet_since()?, number)));
        let Some((since, number)) = quiet.min() else { return Ok(false) };
        if since.elapsed() < HEARING {
            return Err(TooSoon);
        }
        if let Some(connection) = self.remove(number) {
            connection.life.end();
        }
        Ok(true)
    }
}

/// A connection's slot, taken until this is dropped.
pub enum Slot {
    /// A slot within the connection limit.
    Usual {
        /// The connections that it is one of.
        slots: Arc<Slots>,
        /// Its number among them.
        number: u64,
    },
    /// A slot that is kept for whoever asks whether the server lives.
    Reserved {
        /// It is free again when this is dropped.
        _permit: OwnedSemaphorePermit,
    },
}

impl Slot {
    /// Whether only `/healthz` is answered here.
    pub fn is_reserved(&self) -> bool {
        matches!(self, Slot::Reserved { .. })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Slot::Usual { slots, number } = self {
            slots.lock().remove(*number);
        }
    }
}

impl Slots {
    /// A limit of `most` connections in all, and of `most_each` from each address.
    pub fn new(most: usize, most_each: usize) -> Arc<Self> {
        let reserved = Arc::new(Semaphore::new(RESERVED_CONNECTIONS));
        Arc::new(Slots { most, most_each, taken: Mutex::default(), reserved })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of connections, those at reserved slots not counted.
    fn count(&self) -> usize {
        self.lock().connections.len()
    }

    /// Tells the metrics the number of connections.
    pub fn measure(&self) {
        metrics::gauge!("outwit_connections").set(self.count() as f64);
    }

    /// Takes a slot for a connection; none where even the reserved slots are taken. `client` is
    /// none for a proxy, which may have as many as there are.
    ///
    /// # Errors
    /// That it is to be tried again in a moment.
    pub fn take(
        self: &Arc<Self>,
        client: Option<IpAddr>,
        life: &Arc<Life>,
    ) -> Result<Option<Slot>, TooSoon> {
        let client = client.map(network);
        let mut taken = self.lock();
        let has_most = client.is_some_and(|client| taken.of.get(&client) >= Some(&self.most_each));
        let is_full = taken.connections.len() >= self.most;
        if has_most && !taken.make_room(client)?
            || !has_most && is_full && !taken.make_room(None)?
        {
            drop(taken);
            let permit = Arc::clone(&self.reserved).try_acquire_owned().ok();
            return Ok(permit.map(|_permit| Slot::Reserved { _permit }));
        }
        let number = taken.next;
        taken.next += 1;
        taken.connections.insert(number, Counted { client, life: Arc::clone(life) });
        if let Some(client) = client {
            *taken.of.entry(client).or_default() += 1;
        }
        Ok(Some(Slot::Usual { slots: Arc::clone(self), number }))
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

    /// Takes a slot as the server does, again and again where it is too soon.
    fn take(slots: &Arc<Slots>, client: Option<IpAddr>, life: &Arc<Life>) -> Option<Slot> {
        loop {
            match slots.take(client, life) {
                Ok(slot) => return slot,
                Err(TooSoon) => std::thread::sleep(HEARING / 4),
            }
        }
    }

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([10, 0, 0, last]))
    }

    #[test]
    fn who_is_quiet_gives_way_and_who_is_served_does_not() {
        let slots = Slots::new(2, 2);
        let (busy, quiet) = (life(), life());
        let in_hand = InHand::new(&busy);
        let _busy = take(&slots, address(1), &busy).expect("there is room");
        let gone = take(&slots, address(2), &quiet).expect("there is room");
        let newcomer = life();
        let third = take(&slots, address(3), &newcomer).expect("the quiet one goes");
        assert!(!third.is_reserved());
        assert_eq!(slots.count(), 2);
        drop(gone);
        assert_eq!(slots.count(), 2, "a slot is given back once");
        let _also = InHand::new(&newcomer);
        let fourth = take(&slots, address(4), &life()).expect("some are reserved");
        assert!(fourth.is_reserved(), "all others are at work");
        let rest: Vec<_> =
            (0..RESERVED_CONNECTIONS).map_while(|_| take(&slots, address(5), &life())).collect();
        assert_eq!(rest.len(), RESERVED_CONNECTIONS - 1, "and those come to an end");
        drop(in_hand);
        assert!(!take(&slots, address(6), &life()).expect("one is quiet now").is_reserved());
    }

    #[test]
    fn an_address_has_its_share_and_takes_it_from_itself() {
        let slots = Slots::new(10, 2);
        let other = life();
        let _other = take(&slots, address(9), &other).expect("there is room");
        let mine: Vec<_> = (0..5).map(|_| take(&slots, address(1), &life())).collect();
        assert!(mine.iter().flatten().all(|slot| !slot.is_reserved()));
        assert_eq!(slots.count(), 3, "two of one address, one of another");
        let proxied: Vec<_> = (0..5).map(|_| take(&slots, None, &life())).collect();
        assert_eq!(slots.count(), 8, "a proxy has no share of its own");
        drop((mine, proxied));
        assert_eq!(slots.count(), 1);
        assert!(slots.lock().of.len() == 1, "who is gone is forgotten");
    }
}
