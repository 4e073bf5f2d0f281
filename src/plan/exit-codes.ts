/** Exit codes of the programs when the exit code of a driver does not apply. */
export const exitCodes = {
  ok: 0,
  /** Rejected by a check or by the API, or interrupted by a failure. */
  failed: 1,
  /** A class was not found. */
  classNotFound: 101,
  /** The user's time limit expired, as with `timeout` of coreutils. */
  timedOut: 124,
  /** Called without arguments. */
  noArguments: 255,
  SIGINT: 130,
  SIGTERM: 143,
} as const;
