/// The text of an area as it is compared: no line ends in blanks, no blank lines end it.
pub fn normalised(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(|line| line.trim_end()).collect();
    lines.join("\n").trim_end().to_string()
}

/// FNV-1a of 64 bits, in hexadecimal.
pub fn fingerprint(text: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in text.bytes() {
        hash = (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{:016x}", hash)
}

/// The plan of an area among entries, each of three lines and a plan: the area's name, its
/// fingerprint, the plan's length in bytes. An area of the same text counts before one of the same
/// name, which is the first line.
pub fn find<'a>(entries: &'a [u8], area: &str) -> Option<&'a [u8]> {
    let area = normalised(area);
    let print = fingerprint(&area);
    let name = area.lines().next().unwrap_or("").trim();
    let mut same_name = None;
    let mut rest = entries;
    loop {
        let mut lines = rest.splitn(4, |&byte| byte == b'\n');
        let (known_name, known_print) = (lines.next()?, lines.next());
        let length = match lines.next().map(|line| String::from_utf8_lossy(line).parse::<usize>()) {
            Some(Ok(length)) => length,
            _ => return same_name,
        };
        let text = match lines.next() {
            Some(text) if text.len() >= length => text,
            _ => return same_name,
        };
        if known_print == Some(print.as_bytes()) {
            return Some(&text[..length]);
        }
        if known_name == name.as_bytes() {
            same_name = Some(&text[..length]);
        }
        rest = &text[length..];
    }
}

/// Characters of the code, 85 of them: none needs an escape in Rust or in C++.
pub const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&*+-;<=>@^_`{|}~[],";

/// How many of the last bytes each context is made of.
const ORDERS: [usize; 6] = [1, 2, 4, 6, 9, 13];
/// Slots of each context's table: a power of two.
const SLOTS: usize = 1 << 16;
/// A slot has learned enough after so many bits, and forgets from then on.
const LEARNED: u32 = 60;
/// The logistic function at -8, -7.5, … 8, of 4096.
const LOGISTIC: [i32; 33] = [
    1, 2, 4, 6, 10, 17, 27, 45, 74, 120, 194, 311, 488, 747, 1102, 1546, 2048, 2550, 2994, 3349,
    3608, 3785, 3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095,
];

/// Guesses the next bit from the last bytes: several contexts, logistically mixed.
pub struct Model {
    /// For each context and slot: the chance of a one, of 65536; how many bits it has seen.
    slots: Vec<(u16, u16)>,
    /// Inverse of the logistic function.
    stretch: Vec<i32>,
    weights: Vec<[i32; 6]>,
    inputs: [i32; 6],
    places: [usize; 6],
    history: Vec<u8>,
    /// The bits of the present byte, after a leading one.
    partial: usize,
    /// The chance of a one, of 4096.
    pub chance: u32,
}

impl Model {
    pub fn new() -> Model {
        let mut stretch = vec![0; 4096];
        let mut from = 0;
        for x in -2047..2048 {
            let upto = squash(x) as usize;
            while from <= upto {
                stretch[from] = x;
                from += 1;
            }
        }
        while from < 4096 {
            stretch[from] = 2047;
            from += 1;
        }
        let mut model = Model {
            slots: vec![(32768, 0); 6 * SLOTS],
            stretch,
            weights: vec![[20000; 6]; 256],
            inputs: [0; 6],
            places: [0; 6],
            history: vec![0; 16],
            partial: 1,
            chance: 2048,
        };
        model.guess();
        model
    }

    /// Learns the bit that came.
    pub fn learn(&mut self, bit: u32) {
        let error = ((bit << 12) as i32 - self.chance as i32) * 10;
        for i in 0..6 {
            let weight = &mut self.weights[self.partial][i];
            *weight += (self.inputs[i] * error + 2048) >> 12;
            let slot = &mut self.slots[self.places[i]];
            let goal = if bit == 1 { 65535 } else { 0 };
            let seen = slot.1 as i32;
            slot.0 = (slot.0 as i32 + (goal - slot.0 as i32) * 2 / (2 * seen + 3)) as u16;
            slot.1 = if slot.1 < LEARNED as u16 { slot.1 + 1 } else { slot.1 };
        }
        self.partial = self.partial * 2 + bit as usize;
        if self.partial >= 256 {
            self.history.push((self.partial - 256) as u8);
            self.partial = 1;
        }
        self.guess();
    }

    fn guess(&mut self) {
        let mut sum = 0i64;
        let length = self.history.len();
        for i in 0..6 {
            let mut hash = (self.partial as u32).wrapping_mul(0x9E37_79B1);
            for &byte in &self.history[length - ORDERS[i]..] {
                hash = (hash ^ byte as u32).wrapping_mul(0x0100_0193);
                hash ^= hash >> 15;
            }
            let place = i * SLOTS + (hash.wrapping_mul(0x85EB_CA6B) >> 16) as usize % SLOTS;
            self.places[i] = place;
            self.inputs[i] = self.stretch[(self.slots[place].0 >> 4) as usize];
            sum += self.inputs[i] as i64 * self.weights[self.partial][i] as i64;
        }
        self.chance = squash((sum >> 16).clamp(-2047, 2047) as i32).clamp(1, 4095) as u32;
    }
}

/// The logistic function of x / 256, of 4096; x from -2047 to 2047.
fn squash(x: i32) -> i32 {
    let place = ((x + 2048) >> 7) as usize;
    let rest = (x + 2048) & 127;
    (LOGISTIC[place] * (128 - rest) + LOGISTIC[place + 1] * rest + 64) >> 7
}

/// The bytes that a code stands for.
pub fn decode(code: &str, length: usize) -> Vec<u8> {
    let mut packed: Vec<u8> = Vec::new();
    let mut group = (0u32, 0);
    for byte in code.bytes() {
        if let Some(digit) = DIGITS.iter().position(|&one| one == byte) {
            group = (group.0.wrapping_mul(85).wrapping_add(digit as u32), group.1 + 1);
            if group.1 == 5 {
                packed.extend(&[(group.0 >> 24) as u8, (group.0 >> 16) as u8]);
                packed.extend(&[(group.0 >> 8) as u8, group.0 as u8]);
                group = (0, 0);
            }
        }
    }
    let mut bytes = packed.into_iter();
    let mut next = move || bytes.next().unwrap_or(0) as u32;
    let mut model = Model::new();
    let (mut low, mut high) = (0u32, 0xFFFF_FFFFu32);
    let mut value = 0;
    for _ in 0..4 {
        value = value << 8 | next();
    }
    while model.history.len() < length + 16 {
        let middle = split(low, high, model.chance);
        let bit = if value <= middle { 1 } else { 0 };
        if bit == 1 {
            high = middle;
        } else {
            low = middle + 1;
        }
        model.learn(bit);
        while (low ^ high) >> 24 == 0 {
            low <<= 8;
            high = high << 8 | 255;
            value = value << 8 | next();
        }
    }
    model.history.split_off(16)
}

/// Where an arithmetic coder's range divides: ones up to it, zeros above.
pub fn split(low: u32, high: u32, chance: u32) -> u32 {
    low + ((high - low) as u64 * chance as u64 >> 12) as u32
}
