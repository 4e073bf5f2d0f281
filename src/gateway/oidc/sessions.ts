import type { IncomingHttpHeaders } from "node:http";
import { isFields } from "../../values/fields.ts";
import { cookieName, printCookie, readCookie } from "../http/cookies.ts";
import type { Principal } from "../http/gateway-request.ts";
import type { SealedValues } from "../secrets/sealed-values.ts";

/** Sessions of browsers, which the browsers keep: a gateway that starts again, or another one with the same key, continues them. */
export interface Sessions {
  /** Returns the user of a session; `undefined` without a valid one. */
  readonly read: (headers: IncomingHttpHeaders) => Principal | undefined;
  /** Returns the cookie of a new session; `undefined` if the user has more groups than a cookie can have. */
  readonly start: (principal: Principal) => string | undefined;
  /** Returns the cookie that ends a session. */
  readonly end: () => string;
}

interface SessionsCall {
  readonly sealed: SealedValues;
  /** Issuer and client, whose users alone the sessions contain. */
  readonly realm: string;
  readonly isSecure: boolean;
}

const lifetimeMs = 8 * 60 * 60 * 1000;
/** Browsers keep cookies of up to 4,096 bytes, with name and attributes. */
const maxValueLength = 3_900;

/** Opens the sessions of an issuer's users. */
export function openSessions({ sealed, realm, isSecure }: SessionsCall): Sessions {
  const name = cookieName("firesteel-session", isSecure);
  const purpose = `session ${realm}`;
  return {
    read({ cookie }) {
      const text = readCookie(cookie, name);
      return text === undefined ? undefined : parsePrincipal(sealed.open(purpose, text));
    },
    start({ user, groups }) {
      const value = sealed.seal(purpose, { user, groups }, lifetimeMs);
      if (value.length > maxValueLength) return undefined;
      return printCookie({ name, value, maxAgeSeconds: lifetimeMs / 1000, isSecure });
    },
    end: () => printCookie({ name, value: "", maxAgeSeconds: 0, isSecure }),
  };
}

function parsePrincipal(value: unknown): Principal | undefined {
  if (!isFields(value)) return undefined;
  const { user, groups } = value;
  return typeof user === "string" && Array.isArray(groups) ? { user, groups } : undefined;
}
