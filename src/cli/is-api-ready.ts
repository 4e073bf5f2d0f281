import type { Clock } from "../host/host.ts";

/** A busy machine needs seconds. If nothing listens, the connection fails at once. */
const timeoutMs = 10_000;

/** Address and credentials of a Kubernetes API. */
interface ApiAccess {
  readonly url: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly token: string;
}

/** Returns whether the API, with this certificate authority, accepts the token and responds within 10 s. */
export async function isApiReady(clock: Clock, api: ApiAccess): Promise<boolean> {
  const timeout = new AbortController();
  const cancel = clock.after(timeoutMs, () => timeout.abort());
  try {
    return await fetchVersion(clock, api, timeout.signal);
  } catch {
    return false;
  } finally {
    cancel();
  }
}

async function fetchVersion(clock: Clock, api: ApiAccess, signal: AbortSignal): Promise<boolean> {
  const { httpTransport } = await import("../kube-client/http.ts");
  const tls = { authority: api.certificateAuthority, trustsAll: false, ignoresHostName: false };
  const server = new URL(api.url);
  const { transport, close } = await httpTransport({ server, tls, clock, connectionTimeoutMs: timeoutMs });
  try {
    const headers = { authorization: `Bearer ${api.token}` };
    return (await transport({ method: "GET", path: "/version", headers, signal })).status === 200;
  } finally {
    close();
  }
}
