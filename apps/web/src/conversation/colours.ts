// The colours in what a command wrote: escape sequences become runs of text with a look of their own. Pure.
// Only colour and weight are taken (SGR, ECMA-48 8.3.117); every other sequence moves something that is not there, and is left out.

/** The eight colours of a terminal, in their order. */
const NAMES = ["dim", "red", "green", "yellow", "blue", "magenta", "cyan", "plain"] as const;

export type Colour = (typeof NAMES)[number];

export type Run = { text: string; colour: Colour | null; isBold: boolean };

/** A CSI sequence, or an OSC with its end, or any other escape of two characters. */
const SEQUENCE = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

/** Returns the text in runs; together they are all of it but its sequences. */
export function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  let look: Omit<Run, "text"> = { colour: null, isBold: false };
  const add = (piece: string) => {
    if (piece !== "") runs.push({ text: piece, ...look });
  };
  let from = 0;
  for (const found of text.matchAll(SEQUENCE)) {
    add(text.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[2] === "m") look = changed(look, found[1] ?? "");
  }
  add(text.slice(from));
  return runs;
}

/** Returns the text without its sequences. */
export function plainOf(text: string): string {
  return text.replace(SEQUENCE, "");
}

function changed(before: Omit<Run, "text">, parameters: string): Omit<Run, "text"> {
  let { colour, isBold } = before;
  const codes = parameters.split(";").map((code) => Number.parseInt(code || "0", 10));
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) [colour, isBold] = [null, false];
    else if (code === 1) isBold = true;
    else if (code === 2) colour = "dim";
    else if (code === 22) [colour, isBold] = [colour === "dim" ? null : colour, false];
    else if (code === 39) colour = null;
    else if (code >= 30 && code <= 37) colour = NAMES[code - 30] ?? null;
    else if (code >= 90 && code <= 97) colour = NAMES[code - 90] ?? null;
    // A colour of a larger palette has no place among ours; what names it must not be taken for codes.
    else if (code === 38 || code === 48 || code === 58) at += codes[at + 1] === 5 ? 2 : codes[at + 1] === 2 ? 4 : 1;
  }
  return { colour, isBold };
}
