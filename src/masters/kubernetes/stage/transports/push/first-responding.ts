import type { Duplex } from "node:stream";
import { pushAuthority } from "../../../../../conf/entries/pushing.ts";
import { httpConnections } from "../../../../../net/http-connections.ts";
import { pushPaths } from "../../../../../staging-client/push.ts";
import { retryUntilDeadline, TransientError } from "../../../../../staging-client/retry.ts";
import { routeOf } from "../../../../../staging-client/server-url.ts";
import type { TransferCall } from "../../transfer/transfer-files.ts";
import { readNamedFile } from "../read-named-file.ts";

/** Address of a waiting init container. */
export interface PushTarget {
  /** Description for the log. */
  readonly description: string;
  /** `http://HOST:PORT`, optionally with a path. With `connect`, the host is only a name. */
  readonly url: string;
  /** Opens a connection. @default a connection to the host of the URL */
  readonly connect?: () => Promise<Duplex>;
  /** PEM of its certificate authority, for https. @default the system's */
  readonly authority?: string | undefined;
}

const maxDelayMs = 1000;
const responseTimeoutMs = 5000;

/** Returns the first URL that responds to a ping. @throws SUBMIT_ERR_STAGING_UNREACHABLE */
export async function firstResponding(
  { host, driver, signal }: TransferCall,
  urls: readonly string[],
): Promise<PushTarget> {
  const authority = readNamedFile(host, driver.conf, pushAuthority);
  const connections = httpConnections({ clock: host.clock, authority });
  let next = 0;
  try {
    const server = `the init container at ${urls.join(" or ")}`;
    return await retryUntilDeadline(host, { server, isKept: false, signal, maxDelayMs }, async () => {
      const url = urls[next % urls.length] ?? "";
      next += 1;
      const late = new AbortController();
      const cancel = host.clock.after(responseTimeoutMs, () => late.abort());
      try {
        const either = AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]);
        const response = await connections.send({ method: "GET", url: routeOf(url, pushPaths.ping), signal: either });
        response.close();
        if (response.status === 200) return { description: url, url, authority };
        throw new TransientError(`${url} responded with status ${response.status}`);
      } finally {
        cancel();
      }
    });
  } finally {
    connections.close();
  }
}
