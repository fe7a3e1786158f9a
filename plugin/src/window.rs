//! Texts for the user in a window of their own, on Windows; elsewhere the interface has no windows.

use std::ffi::c_void;

/// The host's window, as the interface has it.
pub type Window = *mut c_void;

/// The text about settings that users read.
pub const SETTINGS: &str = "\
Set environment variables before you start this program:

OUTWIT_PLUGIN_SECONDS: time of a search (600 to solve, 60 to optimize)
OUTWIT_PLUGIN_MEBIBYTES: memory of a search
OUTWIT_PLUGIN_THREADS: threads of a search
OUTWIT_PLUGIN_EFFORT: quick (the first solution), good or best (a shorter one)";

/// The text about the plug-in that users read.
pub const ABOUT: &str = concat!(
    "outwit ",
    env!("CARGO_PKG_VERSION"),
    "\n\nSolves levels and shortens solutions. Each solution is replayed before you get it."
);

/// Shows a text until the user closes it.
#[cfg(windows)]
pub fn show(parent: Window, text: &str) {
    #[link(name = "user32")]
    unsafe extern "system" {
        fn MessageBoxW(parent: Window, text: *const u16, title: *const u16, kind: u32) -> i32;
    }
    let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (text, title) = (wide(text), wide("outwit"));
    // SAFETY: both texts end with a zero and outlive the call; the window is the host's or null.
    unsafe { MessageBoxW(parent, text.as_ptr(), title.as_ptr(), 0) };
}

/// Shows nothing.
#[cfg(not(windows))]
pub fn show(_parent: Window, _text: &str) {}

/// Keeps the library in the process: threads of a search may still be ending when the host unloads it. On Linux
/// the linker gets it from `build.rs`.
pub fn stay() {
    #[cfg(windows)]
    {
        /// The address is one inside the module, which stays until the process ends.
        const FROM_ADDRESS_PINNED: u32 = 4 | 1;
        #[link(name = "kernel32")]
        unsafe extern "system" {
            fn GetModuleHandleExW(flags: u32, address: *const u16, module: *mut Window) -> i32;
        }
        let mut module = std::ptr::null_mut();
        // SAFETY: with these flags the address is taken as such; nothing is read there.
        unsafe { GetModuleHandleExW(FROM_ADDRESS_PINNED, stay as *const u16, &mut module) };
    }
}
