//! Output of programs, made up: the kinds that panes see most, each looped to a size.

use crate::stream::Random;

/// Returns every corpus with its name, `bytes` long each.
pub(crate) fn corpora(bytes: usize) -> Vec<(&'static str, Vec<u8>)> {
    [
        ("80 columns of ASCII", line80 as fn(&mut Random, usize) -> String),
        ("short lines", |_, line| format!("{line}\r\n")),
        ("CJK and others", cjk),
        ("colour", colour),
        ("redraw", redraw),
        ("truecolor", truecolor),
    ]
    .into_iter()
    .map(|(name, piece)| {
        let mut random = Random::new(1);
        let (mut text, mut index) = (String::new(), 0);
        while text.len() < bytes {
            text.push_str(&piece(&mut random, index));
            index += 1;
        }
        let mut text = text.into_bytes();
        text.truncate(bytes);
        (name, text)
    })
    .collect()
}

pub(crate) fn line80(_: &mut Random, line: usize) -> String {
    let text = "the quick brown fox jumps over the lazy dog; pack my box with five dozen liquor jugs";
    format!("{:.80}\r\n", format!("{line:06} {text}"))
}

pub(crate) fn cjk(random: &mut Random, _: usize) -> String {
    match random.below(10) {
        0..7 => {
            let ideograph =
                |random: &mut Random| char::from_u32(0x4e00 + random.below(0x51a5) as u32).unwrap_or('字');
            let line: String = (0..10 + random.below(50)).map(|_| ideograph(random)).collect();
            line + "。\r\n"
        }
        7 | 8 => "Größe naïve café — “ünïcödé” Привет мир καλημέρα ".repeat(2) + "\r\n",
        _ => "emoji 😀🚀👩\u{200d}💻🇺🇸 ✓ é かな 한국어 テスト\r\n".to_owned(),
    }
}

pub(crate) fn colour(random: &mut Random, line: usize) -> String {
    match random.below(3) {
        0 => {
            let (size, day) = (random.below(99_999), 1 + random.below(28));
            format!(
                "-rw-r--r--  1 root root {size:>8} Jan {day:>2}  2026 \x1b[0m\x1b[01;34mfolder-{line}\x1b[0m\r\n"
            )
        }
        1 => format!(
            "\x1b[35m\x1b[Ksrc/part{line}.rs\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K{line} in \x1b[01;31m\x1b[Kthe\x1b[m\x1b[K end\r\n"
        ),
        _ => format!(
            "\x1b[1m\x1b[32m   Compiling\x1b[0m part-{line} v1.{}.0\r\n\x1b[0m\x1b[1m\x1b[33mwarning\x1b[0m\x1b[1m: unused `x{line}`\x1b[0m\r\n",
            line % 9
        ),
    }
}

fn redraw(random: &mut Random, frame: usize) -> String {
    const WORDS: [&str; 14] = [
        "the",
        "model",
        "edits",
        "src/main.rs",
        "and",
        "runs",
        "cargo",
        "test",
        "then",
        "reports",
        "results",
        "to",
        "a",
        "user",
    ];
    let mut text = "\x1b[?2026h\x1b[2K".to_owned() + &"\x1b[1A\x1b[2K".repeat(23) + "\x1b[G";
    text += &format!(
        "\x1b[38;5;208m⠋\x1b[39m \x1b[1mThinking…\x1b[22m \x1b[2m({frame}s · esc to interrupt)\x1b[22m\r\n"
    );
    text += &format!("\x1b[38;2;136;136;136m╭{}╮\x1b[39m\r\n", "─".repeat(120));
    for row in 0..20 {
        let words: Vec<_> = (0..14).map(|_| random.pick(&WORDS)).collect();
        let words: String = words.join(" ").chars().take(110).collect();
        text += &format!(
            "\x1b[38;2;136;136;136m│\x1b[39m \x1b[32m+ {row:3}\x1b[39m {words:<112}\x1b[38;2;136;136;136m│\x1b[39m\r\n"
        );
    }
    text += &format!(
        "\x1b[38;2;136;136;136m╰{}╯\x1b[39m\r\n\x1b[7m>\x1b[27m \x1b[?2026l",
        "─".repeat(120)
    );
    if frame.is_multiple_of(40) {
        text += "\x1b[G\x1b[2K";
        (0..30).for_each(|line| text += &format!("static log line {line} of turn {frame}\r\n"));
        text += &"\r\n".repeat(24);
    }
    text
}

fn truecolor(_: &mut Random, frame: usize) -> String {
    let mut text = "\x1b[H".to_owned();
    for row in 0..50 {
        for column in 0..199 {
            let (red, green, blue) = (
                (column * 3 + frame) & 255,
                (row * 5 + frame * 2) & 255,
                (column ^ row ^ frame) & 255,
            );
            text += &format!("\x1b[38;2;{red};{green};{blue}m\x1b[48;2;{blue};{red};{green}m▀");
        }
        text += if row < 49 { "\x1b[0m\r\n" } else { "\x1b[0m" };
    }
    text
}
