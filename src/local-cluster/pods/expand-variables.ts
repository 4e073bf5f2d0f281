/**
 * Replaces `$(NAME)` by the variable's value. An unknown name stays unchanged; `$$` becomes one `$`, so `$$(NAME)`
 * becomes `$(NAME)`.
 *
 * Source: Kubernetes, "Define Dependent Environment Variables" and `third_party/forked/golang/expansion`.
 */
export function expandVariables(text: string, lookUp: (name: string) => string | undefined): string {
  // No name follows the last parenthesis. Searching there for each `$(` would take quadratic time.
  const end = text.lastIndexOf(")") + 1;
  const expanded = text
    .slice(0, end)
    .replace(/\$(?:(\$)|\(([^)]*)\))/g, (match, dollar: string | undefined, name: string | undefined) =>
      dollar === undefined && name !== undefined ? (lookUp(name) ?? match) : "$",
    );
  return expanded + text.slice(end).replaceAll("$$", "$");
}
