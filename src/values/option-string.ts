/**
 * Splits options of a JVM into words, as a shell would: quotes, and a backslash before any character.
 *
 * Shape: `-Da="1 2" -Db=c\ d` has two words. `undefined` when a quote is open or a backslash is last.
 * Source: Spark CommandBuilderUtils.parseOptionString.
 */
export function parseOptionString(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  let isEscaped = false;
  for (const character of text) {
    if (isEscaped) {
      word = (word ?? "") + character;
      isEscaped = false;
    } else if (character === "\\" && quote !== "'") {
      isEscaped = true;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && /\s/u.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined || isEscaped) return undefined;
  return word === undefined ? words : [...words, word];
}
