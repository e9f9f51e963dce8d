/** The texts, each once: of those that differ in letter case alone, the first one. */
export function distinctTexts(texts: readonly string[]): string[] {
  const folded = texts.map((text) => text.toLowerCase())
  return texts.filter((text, index) => folded.indexOf(text.toLowerCase()) === index)
}
