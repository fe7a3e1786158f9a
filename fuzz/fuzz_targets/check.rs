#![no_main]
libfuzzer_sys::fuzz_target!(
    init: outwit_fuzz::seeds::write("check"),
    |data: &[u8]| outwit_fuzz::check::run(data)
);
