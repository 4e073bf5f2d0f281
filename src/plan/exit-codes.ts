/** What a program ends with when no driver's exit code decides. */
export const exitCodes = {
  ok: 0,
  /** Refused by us, by the API, or by chance. */
  failed: 1,
  /** A class was not found. */
  classNotFound: 101,
  /** A time limit of the user is over; as `timeout` of coreutils. */
  timedOut: 124,
  /** Nothing was asked for at all. */
  noArguments: 255,
  SIGINT: 130,
  SIGTERM: 143,
} as const;
