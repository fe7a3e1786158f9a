#![no_main]
libfuzzer_sys::fuzz_target!(
    init: outwit_fuzz::seeds::write("read"),
    |data: &[u8]| outwit_fuzz::read::run(data)
);
