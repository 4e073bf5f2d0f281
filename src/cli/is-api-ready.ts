import type { Clock } from "../host/host.ts";

const limitMs = 2000;

/** An API, and what it takes to be let in. */
export interface ApiAccess {
  readonly url: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly token: string;
}

/** Whether a Kubernetes API answers at that address, with that authority's certificate, to that token, within 2 s. */
export async function isApiReady(clock: Clock, api: ApiAccess): Promise<boolean> {
  const limit = new AbortController();
  const cancel = clock.after(limitMs, () => limit.abort());
  try {
    return await askVersion(clock, api, limit.signal);
  } catch {
    return false;
  } finally {
    cancel();
  }
}

async function askVersion(clock: Clock, api: ApiAccess, signal: AbortSignal): Promise<boolean> {
  const { httpTransport } = await import("../kube-client/http.ts");
  const tls = { authority: api.certificateAuthority, trustsAll: false, ignoresHostName: false };
  const server = new URL(api.url);
  const { transport, close } = await httpTransport({ server, tls, clock, connectionTimeoutMs: limitMs });
  try {
    const headers = { authorization: `Bearer ${api.token}` };
    return (await transport({ method: "GET", path: "/version", headers, signal })).status === 200;
  } finally {
    close();
  }
}
