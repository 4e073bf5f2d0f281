import { messageOf } from "../../errors/message-of.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { Authenticate, Authenticated } from "../http/authenticate.ts";
import type { Principal, Rejection } from "../http/gateway-request.ts";
import { parseCredentials } from "./parse-credentials.ts";

interface TokenCall {
  /** Returns the user of a token; `undefined` if it is not valid. Throws if this cannot be decided now. */
  readonly verify: (token: string) => Promise<Principal | undefined>;
  /** Schemes that a rejection names. With `Basic`, browsers ask for a password. */
  readonly schemes: readonly ("Bearer" | "Basic")[];
  readonly log: ServerLog;
}

const realm = "Firesteel gateway";
const parameters = { Bearer: `realm="${realm}"`, Basic: `realm="${realm}", charset="UTF-8"` };
const busy: Rejection = {
  status: 429,
  message: "Too many tokens are being verified.",
  headers: { "retry-after": "1" },
};
const unavailable: Rejection = {
  status: 503,
  message: "The token cannot be verified now.",
  headers: { "retry-after": "5" },
};

/** Tokens that are verified at the same time. */
const maxVerifying = 64;

/**
 * Authenticates with tokens: in the header `Authorization: Bearer`, or as a password, because Livy's clients and browsers send
 * nothing else.
 */
export function tokenAuthentication({ verify, schemes, log }: TokenCall): Authenticate {
  const challenge: Rejection = {
    status: 401,
    message: "This server requires a valid bearer token, or the token as the password of any user name.",
    headers: { "www-authenticate": schemes.map((scheme) => `${scheme} ${parameters[scheme]}`).join(", ") },
  };
  let verifying = 0;
  return async (request): Promise<Authenticated> => {
    const token = tokenOf(request.headers.authorization);
    if (token === undefined) return { kind: "rejected", rejection: challenge };
    if (verifying >= maxVerifying) return { kind: "rejected", rejection: busy };
    verifying += 1;
    try {
      const principal = await verify(token);
      return principal === undefined ? { kind: "rejected", rejection: challenge } : { kind: "accepted", principal };
    } catch (error) {
      log("WARN", "A token cannot be verified.", { reason: messageOf(error) });
      return { kind: "rejected", rejection: unavailable };
    } finally {
      verifying -= 1;
    }
  };
}

function tokenOf(header: string | undefined): string | undefined {
  const [, token] = /^\s*bearer\s+([A-Za-z0-9._~+/=-]+)\s*$/i.exec(header ?? "") ?? [];
  return token ?? (parseCredentials(header)?.password || undefined);
}
