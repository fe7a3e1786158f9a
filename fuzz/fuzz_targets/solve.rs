#![no_main]
libfuzzer_sys::fuzz_target!(
    init: outwit_fuzz::seeds::write("solve"),
    |data: &[u8]| outwit_fuzz::solve::run(data)
);
