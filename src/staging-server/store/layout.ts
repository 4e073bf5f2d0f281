import { createHash } from "node:crypto";
import type { Digest } from "../../staging-client/bundle.ts";
import type { Blob } from "../../staging-client/protocol.ts";

/**
 * Paths below the root of a store. Client input never becomes part of a path: namespaces are hashed, the server generates the IDs,
 * and digests are hexadecimal.
 */
export interface StoreLayout {
  readonly root: string;
  /** `blobs/sha256/<2 hex>/<62 hex>`: the contents. */
  readonly blobs: string;
  readonly blob: (digest: Digest) => string;
  /** `owned/<namespace>/<64 hex>-<size>`: marks of the contents that a namespace has uploaded and may use. */
  readonly owned: string;
  readonly ownedBy: (namespace: string) => string;
  readonly mark: (namespace: string, blob: Blob) => string;
  /** `bundles/<namespace>/<id>.json`. */
  readonly bundles: string;
  readonly bundlesOf: (namespace: string) => string;
  /** `uploads/<id>.{json,data}`, and in a bucket `uploads/<id>/…`. */
  readonly uploads: string;
  readonly upload: (id: string) => string;
  /** `contents/<id>`: contents in a bucket, which keep their key because S3 cannot move objects. Blobs point to them. */
  readonly contents: string;
  readonly content: (id: string) => string;
  /** `tombstones/<id>.json`: tombstones of removed bundles. */
  readonly tombstones: string;
  readonly tombstone: (bundleId: string) => string;
  /** `requests/<hash>.json`: results of requests with idempotency keys. */
  readonly requests: string;
  readonly request: (idempotencyKey: string) => string;
  /** `probes/<id>`: temporary files of write probes. */
  readonly probes: string;
  /** `keys/<kid>`: the store's own signing keys. */
  readonly keys: string;
}

/** Returns the paths of a store. */
export function storeLayout(root: string): StoreLayout {
  const at = (path: string) => (root === "" ? path : `${root}/${path}`);
  const [blobs, owned, bundles] = [at("blobs/sha256"), at("owned"), at("bundles")];
  const [uploads, tombstones, contents] = [at("uploads"), at("tombstones"), at("contents")];
  const requests = at("requests");
  const ownedBy = (namespace: string) => `${owned}/${hashOf(namespace)}`;
  return {
    ...{ root, blobs, owned, bundles, uploads, tombstones, contents },
    requests,
    probes: at("probes"),
    keys: at("keys"),
    blob: (digest) => `${blobs}/${hexOf(digest).slice(0, 2)}/${hexOf(digest).slice(2)}`,
    ownedBy,
    mark: (namespace, { digest, size }) => `${ownedBy(namespace)}/${hexOf(digest)}-${size}`,
    tombstone: (bundleId) => `${tombstones}/${bundleId}.json`,
    request: (idempotencyKey) => `${requests}/${hashOf(idempotencyKey)}.json`,
    bundlesOf: (namespace) => `${bundles}/${hashOf(namespace)}`,
    upload: (id) => `${uploads}/${id}`,
    content: (id) => `${contents}/${id}`,
  };
}

/** Returns the 64 hex digits of a digest. */
export function hexOf(digest: Digest): string {
  return digest.slice("sha256:".length);
}

/** Returns the SHA-256 of a text in hex. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const id = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns whether a text has the form of a generated ID, and is therefore safe in a path. */
export function isId(text: string): boolean {
  return id.test(text);
}
