import type { ErrorKind } from "../request-failure.ts";

/** Numbers that the service counts, for its metrics. */
export interface Counters {
  connections: number;
  openStreams: number;
  chunksInFlight: number;
  blocks: number;
  chunks: number;
  bytes: number;
  /** Number of applications whose files were all removed, by reason. */
  readonly removedApplications: Map<string, number>;
  removedBytes: number;
  readonly errors: Record<ErrorKind, number>;
}

/** Receives durations in seconds. */
export interface Durations {
  openStream: (seconds: number) => void;
  registerExecutor: (seconds: number) => void;
}

/** Creates counters at 0. */
export function counters(): Counters {
  return {
    ...{ connections: 0, openStreams: 0, chunksInFlight: 0, blocks: 0, chunks: 0, bytes: 0, removedBytes: 0 },
    removedApplications: new Map(),
    errors: {
      ...{ authentication: 0, authorization: 0, protocol: 0, not_registered: 0, file: 0, connection: 0 },
      ...{ overload: 0, state: 0, internal: 0 },
    },
  };
}
