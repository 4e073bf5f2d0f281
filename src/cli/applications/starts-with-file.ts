/** Whether the arguments are those of `apply`, which start with a file. */
export function startsWithFile([first = ""]: readonly string[]): boolean {
  return first === "-f" || first === "--file" || first.startsWith("--file=");
}
