//! The interface to WebAssembly's linear memory: three functions of a C ABI, three of the host's.
//!
//! A request lies in memory that [`outwit_allocate`] gave; [`outwit_call`] takes it back and answers
//! with the place of a block: four bytes of length (little endian), then that many bytes of JSON.
//! [`outwit_release`] takes the block back.

use crate::Desk;
use std::cell::RefCell;

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk::default());
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use outwit::search::Event;
    use std::sync::Arc;
    use std::time::Duration;

    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Milliseconds since some fixed moment.
        fn now() -> f64;
        /// Takes progress: a place and a length of JSON, valid during the call.
        fn progress(at: *const u8, length: usize);
        /// Takes a plan: a place and a length of text, valid during the call.
        fn plan(at: *const u8, length: usize);
    }

    fn clock() -> Duration {
        // SAFETY: it takes nothing and gives a number.
        Duration::from_secs_f64((unsafe { now() } / 1000.0).max(0.0))
    }

    /// Gives the library the host's clock and ear.
    pub fn connect(desk: &mut crate::Desk) {
        outwit::search::clock::use_host_clock(clock);
        desk.listener.get_or_insert_with(|| {
            Arc::new(|event| match event {
                Event::Progress(news) => {
                    let text = serde_json::json!({
                        "phase": news.phase, "nodes": news.nodes, "best": news.best,
                        "bound": news.bound, "fraction": news.fraction,
                    })
                    .to_string();
                    // SAFETY: place and length are those of a string that outlives the call.
                    unsafe { progress(text.as_ptr(), text.len()) }
                }
                // SAFETY: place and length are those of a string that outlives the call.
                Event::PlanFound { plan: text, .. } => unsafe { plan(text.as_ptr(), text.len()) },
                _ => {}
            })
        });
    }
}

/// Allocates memory for a request of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn outwit_allocate(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Answers the request at this place, and frees it.
///
/// # Safety
/// The place comes from [`outwit_allocate`] with the same length, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn outwit_call(at: *mut u8, length: usize) -> *mut u8 {
    // SAFETY: what the caller promises; the slice is the box that was given away.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, length)) };
    let answer = DESK.with_borrow_mut(|desk| {
        #[cfg(all(target_family = "wasm", target_os = "unknown"))]
        host::connect(desk);
        desk.answer(&request)
    });
    let mut block = Vec::with_capacity(answer.len() + 4);
    // An answer that is longer than memory is wide does not exist.
    block.extend_from_slice(&(answer.len() as u32).to_le_bytes());
    block.extend_from_slice(answer.as_bytes());
    Box::into_raw(block.into_boxed_slice()).cast()
}

/// Takes a block of an answer back.
///
/// # Safety
/// The place comes from [`outwit_call`] and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn outwit_release(at: *mut u8) {
    // SAFETY: what the caller promises: a block begins with its length.
    unsafe {
        let length = u32::from_le_bytes(at.cast::<[u8; 4]>().read_unaligned()) as usize + 4;
        drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, length)));
    }
}
