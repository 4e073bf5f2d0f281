/** Reads for a search. Returns `undefined` for a path without read permission, as for a missing one. */
export function undefinedIfForbidden<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EACCES" || code === "EPERM") return undefined;
    throw error;
  }
}
