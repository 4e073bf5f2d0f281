/** True when `path` is `directory` or lies below it. Both are clean absolute paths. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || directory === "/" || path.startsWith(`${directory}/`);
}

/** The folder of a clean absolute path. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** An absolute path without `.`, `..`, doubled or closing slashes. */
export function cleanPath(path: string): string {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}
