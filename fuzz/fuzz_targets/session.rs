#![no_main]
libfuzzer_sys::fuzz_target!(
    init: outwit_fuzz::seeds::write("session"),
    |data: &[u8]| outwit_fuzz::session::run(data)
);
