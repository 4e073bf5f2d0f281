import { createHmac, timingSafeEqual } from "node:crypto";
import type { Random } from "../../host/host.ts";
import type { Authenticate, Authenticated } from "../http/authenticate.ts";
import type { Rejection } from "../http/gateway-request.ts";
import type { Verify } from "./htpasswd.ts";
import { parseCredentials } from "./parse-credentials.ts";

interface BasicCall {
  readonly random: Pick<Random, "bytes">;
  /** Returns the users now; another map after each change of the password file. */
  readonly users: () => ReadonlyMap<string, Verify>;
}

const challenge: Rejection = {
  status: 401,
  message: "This server requires a user name and a password.",
  headers: { "www-authenticate": 'Basic realm="Firesteel gateway", charset="UTF-8"' },
};
const busy: Rejection = {
  status: 429,
  message: "Too many passwords are being verified.",
  headers: { "retry-after": "1" },
};

/** Passwords that wait for their verification: each takes up to a second of processor time. */
const maxWaiting = 64;

/**
 * Authenticates with user names and passwords. A password that was verified is known by its keyed digest until the file
 * changes, so that only its first request takes the time of the hash. Others are verified one at a time.
 */
export function basicAuthentication({ random, users }: BasicCall): Authenticate {
  const digestKey = random.bytes(32);
  let known = { users: users(), digests: new Map<string, Buffer>() };
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const verifyAlone = async (verify: Verify, password: string): Promise<boolean> => {
    waiting += 1;
    const result = last.then(() => verify(password));
    last = result.catch(() => {});
    try {
      return await result;
    } finally {
      waiting -= 1;
    }
  };
  return async (request) => {
    const credentials = parseCredentials(request.headers.authorization);
    if (credentials === undefined) return { kind: "rejected", rejection: challenge };
    const { user, password } = credentials;
    const current = users();
    if (known.users !== current) known = { users: current, digests: new Map() };
    const { digests } = known;
    const digest = createHmac("sha256", digestKey)
      .update(JSON.stringify([user, password]))
      .digest();
    const accepted: Authenticated = { kind: "accepted", principal: { user, groups: [] } };
    const before = digests.get(user);
    if (before !== undefined && timingSafeEqual(before, digest)) return accepted;
    if (waiting >= maxWaiting) return { kind: "rejected", rejection: busy };
    // An unknown user takes as long as a known one: the time must not show which users exist.
    const verify = current.get(user);
    const [substitute = async () => false] = current.values();
    const isValid = await verifyAlone(verify ?? substitute, password);
    if (verify === undefined || !isValid) return { kind: "rejected", rejection: challenge };
    digests.set(user, digest);
    return accepted;
  };
}
