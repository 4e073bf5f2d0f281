import type { Host } from "../host/host.ts";
import type { ApiResponse } from "../kube/transport.ts";

/** What a server gave, perhaps only its beginning. */
export interface Fetched {
  readonly bytes: Buffer;
  /** False where more would have come. */
  readonly isWhole: boolean;
}

const mostRedirects = 20;
const redirects = [301, 302, 303, 307, 308];
const connectionTimeoutMs = 10_000;
/** Until all is there. */
const timeoutMs = 60_000;

/** True for what can be fetched: `http:` and `https:`. */
export function isFetched(scheme: string): boolean {
  return ["http", "https"].includes(scheme.toLowerCase());
}

/**
 * Fetches what an `http:` or `https:` URL names, at most `limitBytes` of it; through the proxy of the environment, where
 * redirected, from there. A user in the URL is sent as Basic authorization, to that server only.
 *
 * @throws Error with the reason, without the URL
 */
export async function fetchRemote(host: Host, url: string, limitBytes: number): Promise<Fetched> {
  const controller = new AbortController();
  const cancel = host.clock.after(timeoutMs, () => controller.abort());
  try {
    return await follow(host, new URL(url), { limitBytes, signal: controller.signal });
  } catch (error) {
    throw controller.signal.aborted ? new Error(`no answer within ${timeoutMs / 1000} s`) : error;
  } finally {
    cancel();
  }
}

interface Wish {
  readonly limitBytes: number;
  readonly signal: AbortSignal;
}

async function follow(host: Host, first: URL, wish: Wish): Promise<Fetched> {
  let url = first;
  for (let followed = 0; followed <= mostRedirects; followed += 1) {
    const answer = await askOnce(host, url, wish);
    if (!(answer instanceof URL)) return answer;
    if (url.protocol === "https:" && answer.protocol !== "https:") {
      throw new Error("the server redirects to an address without encryption");
    }
    url = answer;
  }
  throw new Error(`the server redirects more than ${mostRedirects} times`);
}

/** The answer, or where to ask instead. */
async function askOnce(host: Host, url: URL, { limitBytes, signal }: Wish): Promise<Fetched | URL> {
  const [{ httpTransport }, { proxyFor }] = await Promise.all([
    import("../kube-client/http.ts"),
    import("../host/proxy/proxy-for.ts"),
  ]);
  const { transport, close } = await httpTransport({
    server: new URL(url.origin),
    tls: { trustsAll: false, ignoresHostName: false },
    proxy: await proxyFor(url, host.env),
    connectionTimeoutMs,
    clock: host.clock,
  });
  try {
    const path = `${url.pathname}${url.search}`;
    const headers = { accept: "*/*", "user-agent": "firesteel", ...authorization(url) };
    const response = await transport({ method: "GET", path, headers, signal });
    const location = response.headers["location"];
    if (redirects.includes(response.status) && location !== undefined) return new URL(location, url);
    if (response.status !== 200) throw new Error(`the server answered ${response.status}`);
    return await readBeginning(response.body, limitBytes);
  } finally {
    close();
  }
}

function authorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

async function readBeginning(body: ApiResponse["body"], limitBytes: number): Promise<Fetched> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limitBytes) return { bytes: Buffer.concat(chunks).subarray(0, limitBytes), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
