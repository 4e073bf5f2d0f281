import type { Duplex } from "node:stream";

/** How a waiting init container is reached. */
export interface PushTarget {
  /** For whoever reads the log. */
  readonly shown: string;
  /** `http://HOST:PORT`, perhaps with a path; over `connect` the host says nothing. */
  readonly url: string;
  readonly connect?: () => Promise<Duplex>;
}
