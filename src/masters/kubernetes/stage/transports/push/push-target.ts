import type { Duplex } from "node:stream";

/** Address of a waiting init container. */
export interface PushTarget {
  /** Description for the log. */
  readonly description: string;
  /** `http://HOST:PORT`, optionally with a path. With `connect`, the host is only a name. */
  readonly url: string;
  /** Opens a connection. @default a connection to the host of the URL */
  readonly connect?: () => Promise<Duplex>;
}
