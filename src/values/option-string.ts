/**
 * Splits JVM options into arguments, as a shell does: with quotes, and with a backslash before any character.
 *
 * Shape: `-Da="1 2" -Db=c\ d` has two arguments. Returns `undefined` for an open quote or a trailing backslash.
 * Source: Spark CommandBuilderUtils.parseOptionString.
 */
export function parseOptionString(text: string): readonly string[] | undefined {
  // Most options are long texts without quotes.
  if (!/["'\\]/.test(text)) return text.split(/\s+/u).filter((arg) => arg !== "");
  const args: string[] = [];
  let arg: string | undefined;
  let quote: string | undefined;
  let isEscaped = false;
  for (const character of text) {
    if (isEscaped) {
      arg = (arg ?? "") + character;
      isEscaped = false;
    } else if (character === "\\" && quote !== "'") {
      isEscaped = true;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      arg ??= "";
    } else if (quote === undefined && /\s/u.test(character)) {
      if (arg !== undefined) args.push(arg);
      arg = undefined;
    } else {
      arg = (arg ?? "") + character;
    }
  }
  if (quote !== undefined || isEscaped) return undefined;
  return arg === undefined ? args : [...args, arg];
}
