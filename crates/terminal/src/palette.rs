//! The colours a program is told of when it asks, since a pane has no window of its own to look at.

pub use vte::ansi::Rgb;

/// The colours of a pane's viewer: what OSC 4, 10, 11 and 12 queries are answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    pub foreground: Rgb,
    pub background: Rgb,
    pub cursor: Rgb,
    /// The sixteen named colours: eight normal ones, then eight bright ones.
    pub named: [Rgb; 16],
}

impl Palette {
    /// Returns colour `index` of the 256: named, then the 6 × 6 × 6 cube, then 24 greys (xterm's values).
    pub fn indexed(&self, index: u8) -> Rgb {
        match index {
            0..16 => self.named[usize::from(index)],
            16..232 => {
                let step = |level: u8| if level == 0 { 0 } else { 55 + 40 * level };
                let cube = index - 16;
                rgb(step(cube / 36), step(cube / 6 % 6), step(cube % 6))
            }
            232.. => {
                let grey = 8 + 10 * (index - 232);
                rgb(grey, grey, grey)
            }
        }
    }

    /// Returns whether text is lighter than what it stands on: what a program calls a dark theme.
    pub fn is_dark(&self) -> bool {
        let light =
            |color: Rgb| u32::from(color.r) * 299 + u32::from(color.g) * 587 + u32::from(color.b) * 114;
        light(self.background) < light(self.foreground)
    }
}

impl Default for Palette {
    fn default() -> Self {
        Self {
            foreground: rgb(0xd8, 0xd8, 0xd8),
            background: rgb(0x18, 0x18, 0x18),
            cursor: rgb(0xd8, 0xd8, 0xd8),
            named: [
                rgb(0, 0, 0),
                rgb(205, 0, 0),
                rgb(0, 205, 0),
                rgb(205, 205, 0),
                rgb(0, 0, 238),
                rgb(205, 0, 205),
                rgb(0, 205, 205),
                rgb(229, 229, 229),
                rgb(127, 127, 127),
                rgb(255, 0, 0),
                rgb(0, 255, 0),
                rgb(255, 255, 0),
                rgb(92, 92, 255),
                rgb(255, 0, 255),
                rgb(0, 255, 255),
                rgb(255, 255, 255),
            ],
        }
    }
}

const fn rgb(r: u8, g: u8, b: u8) -> Rgb {
    Rgb { r, g, b }
}
