#![no_main]
libfuzzer_sys::fuzz_target!(
    init: outwit_fuzz::seeds::write("service_bodies"),
    |data: &[u8]| outwit_fuzz::service_bodies::run(data)
);
