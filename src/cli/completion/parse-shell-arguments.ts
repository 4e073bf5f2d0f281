/** Splits a command line up to the cursor into arguments, as a shell does; the last one can be empty. Expands nothing. */
export function parseShellArguments(line: string): readonly string[] {
  const args: string[] = [];
  let current: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote === undefined && /\s/.test(character)) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else if (character === quote) quote = undefined;
    else if (quote === undefined && /['"]/.test(character)) {
      quote = character;
      current ??= "";
    } else if (character === "\\" && quote !== "'") {
      at += 1;
      current = (current ?? "") + line.charAt(at);
    } else current = (current ?? "") + character;
  }
  return [...args, current ?? ""];
}
