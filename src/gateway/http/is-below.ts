/** Returns whether a path is a root or below it. The empty root has all paths. */
export function isBelow(path: string, root: string): boolean {
  return root === "" || path === root || path.startsWith(`${root}/`);
}
