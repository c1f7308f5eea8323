// Words that an English sentence hardly does without, and a French one does not have.

const WORDS = /(?<![\p{L}_])(?:the|there|is|are|was|were|must|cannot|not|of|has|have|its|it|and|with|without|unknown|did|you|mean|missing|expected|does|exist|from|this|that|to|in|by)(?![\p{L}_])/iu;

/** Returns the first English word of a text, outside of what it quotes; null when there is none. */
export function englishWordOf(text: string): string | null {
  const own = text.replace(/«[^»]*»|`[^`]*`|"[^"]*"/g, " ");
  return WORDS.exec(own)?.[0] ?? null;
}
