//! Tells the linker what the manifest cannot.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" {
        // Threads of a search may still be ending when the host unloads the library, so it stays.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    if target("OS") == "windows" && target("ENV") == "gnu" && target("ARCH") == "x86" {
        // Hosts look for `SolveEx`; of a function that is `stdcall` the linker would export `SolveEx@28`.
        println!("cargo::rustc-cdylib-link-arg=-Wl,--kill-at");
    }
}
