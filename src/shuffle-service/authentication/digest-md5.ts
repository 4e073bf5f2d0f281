import { createHash, timingSafeEqual } from "node:crypto";

/** Quality of protection: authentication only, or encryption too. */
export type Protection = "auth" | "auth-conf";

/** Result of a client's digest response. */
export type DigestResult =
  | { readonly ok: false; readonly reason: string }
  | {
      readonly ok: true;
      /** Last token of the exchange, by which the server proves that it knows the secret. */
      readonly proof: Buffer;
      readonly protection: Protection;
      /** H(A1) as bytes, from which the keys of the encryption follow. */
      readonly sessionHash: Buffer;
    };

/** User of all SASL logins of Spark. */
const saslUser = "sparkSaslUser";
const realm = "default";
const digestUri = "null/default";
/** The client's first and only use of the nonce. */
const nonceCount = "00000001";
const maxTokenBytes = 4096;

/**
 * Builds the challenge of SASL DIGEST-MD5.
 *
 * OpenSSL 3 has no RC4 and no single DES, so only 3des is offered. Source: RFC 2831 2.1.1; Spark SparkSaslServer.
 */
export function digestChallenge(nonce: string, protections: readonly Protection[]): Buffer {
  const cipher = protections.includes("auth-conf") ? 'cipher="3des",' : "";
  const qop = protections.join(",");
  return Buffer.from(`realm="${realm}",nonce="${nonce}",qop="${qop}",charset=utf-8,${cipher}algorithm=md5-sess`);
}

/** Checks the client's answer to a challenge. Source: RFC 2831 2.1.2 and 2.1.3. */
export function checkDigestResponse(
  token: Buffer,
  expected: { readonly nonce: string; readonly secret: string; readonly protections: readonly Protection[] },
): DigestResult {
  const fields = token.length > maxTokenBytes ? undefined : parseDirectives(token.toString("utf8"));
  if (fields === undefined) return { ok: false, reason: "The digest response is malformed." };
  const protection = expected.protections.find((name) => name === (fields.get("qop") ?? "auth"));
  const cnonce = fields.get("cnonce");
  if (protection === undefined) return { ok: false, reason: "The quality of protection is not allowed." };
  if (protection === "auth-conf" && fields.get("cipher") !== "3des") {
    return { ok: false, reason: "The cipher is not allowed." };
  }
  const user = base64(saslUser);
  const fixed = { username: user, realm, nonce: expected.nonce, nc: nonceCount, "digest-uri": digestUri };
  const wrong = Object.entries(fixed).find(([name, value]) => fields.get(name) !== value);
  if (wrong !== undefined || cnonce === undefined || cnonce === "") {
    return { ok: false, reason: `The digest response has an unexpected ${wrong?.[0] ?? "cnonce"}.` };
  }
  const userHash = md5(`${user}:${realm}:${saslPassword(expected.secret)}`);
  const sessionHash = md5(userHash, `:${expected.nonce}:${cnonce}`);
  const digest = (prefix: string) => {
    const uri = `${prefix}:${digestUri}${protection === "auth" ? "" : `:${"0".repeat(32)}`}`;
    const exchange = [expected.nonce, nonceCount, cnonce, protection].join(":");
    return md5(`${hex(sessionHash)}:${exchange}:${hex(md5(uri))}`).toString("hex");
  };
  if (!isEqual(fields.get("response") ?? "", digest("AUTHENTICATE"))) {
    return { ok: false, reason: "The digest response does not match." };
  }
  return { ok: true, proof: Buffer.from(`rspauth=${digest("")}`), protection, sessionHash };
}

/** Keys of one direction of an encrypted connection. */
export interface SaslKeys {
  readonly integrity: Buffer;
  readonly encryption: Buffer;
}

/** Derives the keys of an encrypted connection. Source: RFC 2831 2.3 and 2.4. */
export function saslKeys(sessionHash: Buffer): { readonly fromClient: SaslKeys; readonly toClient: SaslKeys } {
  const keysOf = (direction: string): SaslKeys => ({
    integrity: md5(sessionHash, `Digest session key to ${direction} signing key magic constant`),
    encryption: md5(sessionHash, `Digest H(A1) to ${direction} sealing key magic constant`),
  });
  return { fromClient: keysOf("client-to-server"), toClient: keysOf("server-to-client") };
}

/** Parses `name=value,name="value"`. Returns `undefined` if it is malformed or has a name twice. */
function parseDirectives(text: string): ReadonlyMap<string, string> | undefined {
  const directive = /\s*([a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^",\s]*))\s*(?:,|$)/giy;
  const found = new Map<string, string>();
  while (directive.lastIndex < text.length) {
    const [, name, quoted, plain] = directive.exec(text) ?? [];
    if (name === undefined || found.has(name.toLowerCase())) return undefined;
    found.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "");
  }
  return found;
}

function isEqual(text: string, expected: string): boolean {
  const [one, other] = [Buffer.from(text), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function md5(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash("md5");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function hex(bytes: Buffer): string {
  return bytes.toString("hex");
}

/** Returns the password of a secret: Base64 in lines of 76 characters, as Netty encodes it. Source: Spark SparkSaslServer, 3.5.9 and 4.3.0. */
export function saslPassword(secret: string): string {
  return base64(secret).replace(/.{76}(?=.)/g, "$&\n");
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
