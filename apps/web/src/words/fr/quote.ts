// Les mots des autres, entre guillemets français.

export function quoted(words: string): string {
  return `«\u00a0${words}\u00a0»`;
}
