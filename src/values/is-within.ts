/** Returns true when `path` is `directory` or below it. Both must be clean absolute paths. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || directory === "/" || path.startsWith(`${directory}/`);
}
