/** Compiled patterns. Definitions have few of them, so that they are never removed. */
const compiled = new Map<string, RegExp | undefined>();

/** Compiles a pattern of a schema; `undefined` if JavaScript cannot compile it. */
export function compilePattern(pattern: string): RegExp | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern);
  const expression = compile(translated(pattern));
  compiled.set(pattern, expression);
  return expression;
}

function compile(pattern: { readonly source: string; readonly flags: string }): RegExp | undefined {
  for (const flags of [`u${pattern.flags}`, pattern.flags]) {
    try {
      return new RegExp(pattern.source, flags);
    } catch {
      // Without the flag u, JavaScript accepts more escapes, as Go does.
    }
  }
  return undefined;
}

/** Translates the syntax of Go's regular expressions that JavaScript writes differently. */
function translated(pattern: string): { readonly source: string; readonly flags: string } {
  // Flags behind the start of the text apply to the entire rest, too.
  const [prefix = "", anchor = "", flags = ""] = /^(\^(?=\(\?[is]+\)))?\(\?([ims]+)\)/.exec(pattern) ?? [];
  const source = `${anchor}${pattern.slice(prefix.length)}`
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$")
    .replaceAll("[[:alpha:]]", "[A-Za-z]")
    .replaceAll("[[:digit:]]", "[0-9]")
    .replaceAll("[:alnum:]", "A-Za-z0-9")
    .replaceAll("[:alpha:]", "A-Za-z")
    .replaceAll("[:digit:]", "0-9")
    .replaceAll("[:lower:]", "a-z")
    .replaceAll("[:upper:]", "A-Z")
    .replaceAll("[:space:]", "\\s");
  return { source, flags };
}

/** Whether a text contains a match of a pattern. A pattern that cannot be compiled matches every text. */
export function isMatch(pattern: string, text: string): boolean {
  return compilePattern(pattern)?.test(text) ?? true;
}
