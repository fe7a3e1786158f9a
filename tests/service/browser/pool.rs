//! Browsers that tests use one after the other, because to start one takes longer than most tests.
//! They live as long as at least one test is using one, so that none outlives the tests.

use super::webdriver::{Browser, Screen};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The browsers of this process, while a test has one.
static SHARED: Mutex<Weak<Pool>> = Mutex::new(Weak::new());

/// Browsers that wait for a test.
#[derive(Default)]
struct Pool {
    idle: Mutex<Vec<Browser>>,
}

/// A browser on loan to a test. It goes back to the pool when the test passes, and is closed when it fails.
pub struct Lease {
    /// The browser, until the lease is dropped.
    browser: Option<Browser>,
    pool: Arc<Pool>,
}

impl Lease {
    /// Takes a browser with one empty tab that knows nothing of earlier tests; `None` without Chromium.
    pub fn take(screen: Screen) -> Option<Lease> {
        let pool = shared();
        let idle = {
            let mut idle = locked(&pool.idle);
            let at = idle.iter().position(|browser| browser.screen() == screen);
            at.map(|at| idle.swap_remove(at))
        };
        let browser = idle.or_else(|| Browser::start(screen))?;
        Some(Lease { browser: Some(browser), pool })
    }
}

impl Deref for Lease {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        self.browser.as_ref().expect("it is there until the drop")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(browser) = self.browser.take()
            && !std::thread::panicking()
        {
            browser.forget();
            locked(&self.pool.idle).push(browser);
        }
    }
}

fn shared() -> Arc<Pool> {
    let mut shared = locked(&SHARED);
    shared.upgrade().unwrap_or_else(|| {
        let pool = Arc::new(Pool::default());
        *shared = Arc::downgrade(&pool);
        pool
    })
}

/// Locks the mutex. What it guards is valid even where a test has panicked while it held the lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
