#![no_main]
libfuzzer_sys::fuzz_target!(
    init: outwit_fuzz::seeds::write("replay"),
    |data: &[u8]| outwit_fuzz::replay::run(data)
);
