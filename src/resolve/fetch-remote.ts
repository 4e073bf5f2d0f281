import type { Host } from "../host/host.ts";
import { basicAuthorization } from "../net/basic-authorization.ts";
import { followRedirects, type RedirectPolicy, type RedirectResponse } from "../net/follow-redirects.ts";
import { withResponseTimeout } from "../net/with-response-timeout.ts";
import { percentDecoded } from "../values/percent-decoding.ts";

/** Content of a URL, or its beginning. */
interface Fetched {
  readonly bytes: Buffer;
  /** False if the content is longer than the limit. */
  readonly isComplete: boolean;
}

const maxRedirects = 20;
const connectionTimeoutMs = 10_000;
/** Limit for the complete content. */
const timeoutMs = 60_000;

/** Returns whether URLs of this scheme can be fetched. */
export function isFetched(scheme: string): boolean {
  return ["http", "https"].includes(scheme.toLowerCase());
}

/**
 * Fetches at most `maxBytes` of an `http:` or `https:` URL. Uses the proxy of the environment and follows redirects. A
 * user in the URL is sent as Basic authorization, to that server only.
 *
 * @throws Error with the reason, without the URL
 */
export async function fetchRemote(host: Host, url: string, maxBytes: number): Promise<Fetched> {
  return withResponseTimeout(host.clock, timeoutMs, (signal) =>
    fetchFollowing(host, new URL(url), { maxBytes, signal }),
  );
}

interface FetchLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const redirects: RedirectPolicy = {
  maxRedirects,
  reject: ({ kind }) =>
    new Error(
      kind === "tooMany"
        ? `the server redirects more than ${maxRedirects} times`
        : "the server redirects to an address without encryption",
    ),
};

async function fetchFollowing(host: Host, first: URL, limits: FetchLimits): Promise<Fetched> {
  const response = await followRedirects(first, redirects, (url) => fetchOnce(host, url, limits));
  if (response.content === undefined) throw new Error(`the server responded with status ${response.status}`);
  return response.content;
}

interface FetchResponse extends RedirectResponse {
  /** Only for status 200. */
  readonly content: Fetched | undefined;
}

async function fetchOnce(host: Host, url: URL, { maxBytes, signal }: FetchLimits): Promise<FetchResponse> {
  const [{ httpTransport }, { proxyFor }, { readBeginning }] = await Promise.all([
    import("../kube-client/http.ts"),
    import("../net/proxy/proxy-for.ts"),
    import("../kube-client/lines.ts"),
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
    const { status, headers: received, body } = await transport({ method: "GET", path, headers, signal });
    const content = status === 200 ? await readBeginning(body, maxBytes) : undefined;
    return { status, headers: { location: received["location"] }, content };
  } finally {
    close();
  }
}

function authorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  return { authorization: basicAuthorization(percentDecoded(username), percentDecoded(password)) };
}
