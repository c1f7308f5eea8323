// A command as a person writes it, into a program and its arguments. Nothing but quotes and backslashes means anything.

/** Returns the words; null when a quote is not closed. */
export function wordsOf(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: "'" | '"' | null = null;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string;
    const next = line[at + 1];
    if (letter === "\\" && quote !== "'" && next !== undefined && (quote === null || next === '"' || next === "\\")) {
      word = (word ?? "") + next;
      at += 1;
    } else if (quote !== null) {
      if (letter === quote) quote = null;
      else word = (word ?? "") + letter;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      word ??= "";
    } else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + letter;
  }
  if (quote !== null) return null;
  return word === null ? words : [...words, word];
}
