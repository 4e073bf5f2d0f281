/** For searches: what lies where we may not look is not there for us. `undefined` then, and for what does not exist. */
export function undefinedIfForbidden<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EACCES" || code === "EPERM") return undefined;
    throw error;
  }
}
