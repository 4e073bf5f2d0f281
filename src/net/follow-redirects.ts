/** The part of a response that redirects. */
export interface RedirectResponse {
  readonly status: number;
  readonly headers: { readonly location?: string | undefined };
  readonly close?: () => void;
}

/** A redirect that is not followed. */
export interface RedirectProblem {
  readonly kind: "insecure" | "tooMany";
  readonly from: URL;
  readonly to: URL;
}

/** Limits of a protocol, and its errors. */
export interface RedirectPolicy<R extends RedirectResponse = RedirectResponse> {
  readonly maxRedirects: number;
  /** Whether the caller handles a response that redirects. @default none */
  readonly isAccepted?: ((response: R) => boolean) | undefined;
  /** Builds the error for a redirect that is not followed. */
  readonly reject: (problem: RedirectProblem) => Error;
}

const redirectStatuses = [301, 302, 303, 307, 308];

/**
 * Sends a request and follows redirects, except from `https:` to another scheme. A redirect without a valid `Location` is
 * returned as a response. Source: RFC 9110, 15.4.
 *
 * @param send sends the request to a URL; sends credentials only to the origin they are for
 * @throws what `reject` builds
 */
export async function followRedirects<R extends RedirectResponse>(
  first: URL,
  { maxRedirects, isAccepted, reject }: RedirectPolicy<R>,
  send: (url: URL) => Promise<R>,
): Promise<R> {
  let from = first;
  for (let followed = 0; ; followed += 1) {
    const response = await send(from);
    const to = redirectTarget(response, from);
    if (to === undefined || isAccepted?.(response) === true) return response;
    response.close?.();
    const isSecure = to.protocol === "https:" || (to.protocol === "http:" && from.protocol !== "https:");
    if (!isSecure) throw reject({ kind: "insecure", from, to });
    if (followed === maxRedirects) throw reject({ kind: "tooMany", from, to });
    from = to;
  }
}

/** Returns the URL that a response redirects to; `undefined` if it does not redirect. */
function redirectTarget({ status, headers }: RedirectResponse, from: URL): URL | undefined {
  const { location } = headers;
  if (!redirectStatuses.includes(status) || location === undefined || !URL.canParse(location, from.href))
    return undefined;
  return new URL(location, from);
}
