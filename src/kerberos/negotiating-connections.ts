import type { HttpConnections, HttpRequest, HttpResponse } from "../net/http-connections.ts";
import { negotiateTokenIn, offersNegotiate } from "../net/negotiate-challenge.ts";
import type { KerberosSession } from "./kerberos-session.ts";

/**
 * Adds authentication by SPNEGO to connections: a request that a server rejects with a challenge is sent again with a token. The
 * cookie of that response authenticates later requests to the same origin. A streamed body is sent only once, so such a
 * request needs a cookie.
 *
 * `send` also rejects with SUBMIT_ERR_KERBEROS_LOGIN. Source: RFC 4559; Hadoop AuthenticationFilter.
 */
export function negotiatingConnections(connections: HttpConnections, session: KerberosSession): HttpConnections {
  const cookies = new Map<string, string>();
  const sendWith = async (request: HttpRequest, headers: Readonly<Record<string, string>>) => {
    const response = await connections.send({ ...request, headers: { ...request.headers, ...headers } });
    const cookie = cookieIn(response);
    if (cookie !== undefined) cookies.set(request.url.origin, cookie);
    return response;
  };
  return {
    async send(request) {
      const { origin, hostname } = request.url;
      const cookie = cookies.get(origin);
      const response = await sendWith(request, cookie === undefined ? {} : { cookie });
      const { body } = request;
      if (!isChallenge(response) || !(body === undefined || body instanceof Uint8Array)) return response;
      response.close();
      cookies.delete(origin);
      const { token, verify } = await session.negotiate(hostname.replace(/^\[|\]$/g, ""));
      const authorized = await sendWith(request, { authorization: `Negotiate ${token}` });
      const proof = negotiateTokenIn(authorized.headers["www-authenticate"]);
      if (proof !== undefined && authorized.status !== 401) await verify(proof);
      return authorized;
    },
    close: () => connections.close(),
  };
}

function isChallenge({ status, headers }: HttpResponse): boolean {
  return status === 401 && offersNegotiate(headers["www-authenticate"]);
}

/** Returns `hadoop.auth=VALUE`; `undefined` if the response sets none, or an empty one. */
function cookieIn({ headers }: HttpResponse): string | undefined {
  for (const header of headers["set-cookie"] ?? []) {
    const [cookie = ""] = header.split(";", 1);
    if (/^hadoop\.auth=(?!"?"?$)/.test(cookie)) return cookie;
  }
  return undefined;
}
