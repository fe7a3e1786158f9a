#![no_main]
libfuzzer_sys::fuzz_target!(
    init: outwit_fuzz::seeds::write("simulators"),
    |data: &[u8]| outwit_fuzz::simulators::run(data)
);
