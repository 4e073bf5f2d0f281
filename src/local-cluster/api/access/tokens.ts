import { createPublicKey, type KeyObject, sign, timingSafeEqual, verify } from "node:crypto";
import type { Clock, Random } from "../../../host/host.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Store } from "../store.ts";
import { administrator, serviceAccountUser, type User } from "./user.ts";

/** Issuer of service account tokens and their default audience. */
export const tokenIssuer = "https://kubernetes.default.svc.cluster.local";

const keyId = "firesteel";

/** Maximum lifetime of a token: one day, as in clusters that limit it. */
const maxExpirationSeconds = 24 * 3600;

/** A request for a service account token. */
export interface TokenRequest {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Object that the token is bound to: when it is deleted, the token becomes invalid. */
  readonly boundTo?: { readonly kind: "pod" | "secret"; readonly name: string; readonly uid: string } | undefined;
  /** Intended audiences. Empty: the API itself. */
  readonly audiences: readonly string[];
  /** Infinity: valid as long as the object that it is bound to exists. */
  readonly expirationSeconds: number;
}

interface IssuedToken {
  readonly token: string;
  /** Ms since 1970. */
  readonly expires: number;
}

/** Issues and verifies the bearer tokens of the cluster. */
export interface Tokens {
  /** Issues a token; `undefined` if the service account does not exist. */
  readonly issue: (request: TokenRequest) => IssuedToken | undefined;
  /** The key that verifies tokens, as a JSON Web Key Set (RFC 7517). */
  readonly keySet: () => JsonObject;
  /** Returns the user of a token; `undefined` if it is invalid, expired, or bound to a deleted object. */
  readonly userOf: (token: string, audiences?: readonly string[]) => User | undefined;
}

interface TokenOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly adminToken: string;
  /** An EC P-256 key. */
  readonly privateKey: KeyObject;
}

/**
 * Creates the tokens of a cluster. Service account tokens are JSON Web Tokens signed with ES256; the administrator's is a random
 * string.
 */
export function createTokens(options: TokenOptions): Tokens {
  const publicKey = createPublicKey(options.privateKey);
  return {
    issue: (request) => issueToken(options, request),
    keySet: () => ({ keys: [{ use: "sig", kid: keyId, alg: "ES256", ...publicKey.export({ format: "jwk" }) }] }),
    userOf(token, audiences = [tokenIssuer]) {
      if (isEqual(token, options.adminToken)) return administrator;
      const claims = readClaims(publicKey, token);
      return claims === undefined ? undefined : accountOf(options, claims, audiences);
    },
  };
}

function issueToken(
  { clock, random, store, privateKey }: TokenOptions,
  { namespace, serviceAccount, boundTo, audiences, expirationSeconds }: TokenRequest,
): IssuedToken | undefined {
  const account = store.get("serviceaccounts", namespace, serviceAccount);
  if (account === undefined) return undefined;
  const now = Math.floor(clock.now() / 1000);
  const isEndless = expirationSeconds === Number.POSITIVE_INFINITY;
  const exp = isEndless ? expirationSeconds : now + Math.min(expirationSeconds, maxExpirationSeconds);
  const claims = {
    aud: audiences.length === 0 ? [tokenIssuer] : audiences,
    ...(isEndless ? {} : { exp }),
    iat: now,
    iss: tokenIssuer,
    jti: random.uuid(),
    "kubernetes.io": {
      namespace,
      ...(boundTo === undefined ? {} : { [boundTo.kind]: { name: boundTo.name, uid: boundTo.uid } }),
      ...(boundTo?.kind === "pod" ? nodeClaim(store, namespace, boundTo.name) : {}),
      serviceaccount: { name: serviceAccount, uid: account.metadata.uid },
    },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${serviceAccount}`,
  };
  const content = `${encode({ alg: "ES256", kid: keyId })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(content), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return { token: `${content}.${signature.toString("base64url")}`, expires: exp * 1000 };
}

/** Returns the claim that names the node of a pod; none for a pod without a node. */
function nodeClaim(store: Store, namespace: string, pod: string): JsonObject {
  const spec = store.get("pods", namespace, pod)?.["spec"];
  const name = isObject(spec) && typeof spec["nodeName"] === "string" ? spec["nodeName"] : "";
  const uid = name === "" ? undefined : store.get("nodes", undefined, name)?.metadata.uid;
  return name === "" ? {} : { node: { name, ...(uid === undefined ? {} : { uid }) } };
}

/** Verifies a token's signature and parses its claims. */
function readClaims(publicKey: KeyObject, token: string): JsonObject | undefined {
  const [head, body, signature] = token.split(".");
  if (head === undefined || body === undefined || signature === undefined) return undefined;
  const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
  if (!verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"))) return undefined;
  const claims: unknown = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
  return isObject(claims) ? claims : undefined;
}

/** Returns the service account of verified claims; `undefined` if they are expired or refer to deleted objects. */
function accountOf(options: TokenOptions, claims: JsonObject, audiences: readonly string[]): User | undefined {
  const own = claims["kubernetes.io"];
  if (!isObject(own) || typeof own["namespace"] !== "string") return undefined;
  const { namespace, serviceaccount: account, pod, secret } = own;
  const { exp = Number.POSITIVE_INFINITY } = claims;
  if (!(Number(exp) * 1000 > options.clock.now()) || !hasAudience(claims["aud"], audiences)) return undefined;
  const objectAt = (collection: string) => ({ collection, namespace: String(namespace) });
  if (!isObject(account) || !isValidReference(options, objectAt("serviceaccounts"), account)) return undefined;
  if (pod !== undefined && !isValidReference(options, objectAt("pods"), pod)) return undefined;
  if (secret !== undefined && !isValidReference(options, objectAt("secrets"), secret)) return undefined;
  return serviceAccountUser(
    { namespace: String(namespace), name: String(account["name"]), uid: String(account["uid"]) },
    extraOf(String(claims["jti"]), { pod, node: own["node"] }),
  );
}

/** Whether the object of a claim still exists and its tokens are accepted. */
function isValidReference(
  { store, clock }: Pick<TokenOptions, "store" | "clock">,
  { collection, namespace }: { readonly collection: string; readonly namespace: string },
  reference: unknown,
): boolean {
  if (!isObject(reference) || typeof reference["name"] !== "string") return false;
  const object = store.get(collection, namespace, reference["name"]);
  return object !== undefined && object.metadata.uid === reference["uid"] && isUsable(object.metadata, clock);
}

/** Whether an object's tokens are accepted: until 60 s after its deletionTimestamp. */
function isUsable({ deletionTimestamp }: { deletionTimestamp?: string }, clock: Clock): boolean {
  return deletionTimestamp === undefined || Date.parse(deletionTimestamp) + 60_000 > clock.now();
}

function hasAudience(claimed: unknown, accepted: readonly string[]): boolean {
  const list: readonly unknown[] = Array.isArray(claimed) ? claimed : [claimed];
  return accepted.some((audience) => list.includes(audience));
}

function extraOf(id: string, { pod, node }: { readonly pod: unknown; readonly node: unknown }): User["extra"] {
  const credential = { "authentication.kubernetes.io/credential-id": [`JTI=${id}`] };
  if (!isObject(pod)) return credential;
  return {
    ...credential,
    ...(isObject(node)
      ? {
          "authentication.kubernetes.io/node-name": [String(node["name"])],
          "authentication.kubernetes.io/node-uid": [String(node["uid"])],
        }
      : {}),
    "authentication.kubernetes.io/pod-name": [String(pod["name"])],
    "authentication.kubernetes.io/pod-uid": [String(pod["uid"])],
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Compares in constant time. */
function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
