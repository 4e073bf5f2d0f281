import { createHash } from "node:crypto";
import type { Digest } from "../../staging-client/bundle.ts";

/**
 * Paths below the root of a store. No client input is part of a path: namespaces are hashed, ids
 * are ours, and digests are hexadecimal.
 */
export interface StoreLayout {
  readonly root: string;
  /** `blobs/sha256/<2 hex>/<62 hex>`: the contents. */
  readonly blobs: string;
  readonly blob: (digest: Digest) => string;
  /** `owned/<namespace>/<64 hex>-<size>`: which contents a namespace has brought itself, and may use. */
  readonly owned: string;
  readonly ownedBy: (namespace: string) => string;
  /** `bundles/<namespace>/<id>.json`. */
  readonly bundles: string;
  readonly bundlesOf: (namespace: string) => string;
  /** `uploads/<id>.{json,data}`, and in a bucket `uploads/<id>/…`. */
  readonly uploads: string;
  readonly upload: (id: string) => string;
  /** `contents/<id>`: where a content cannot be moved, it stays where it came, and its blob tells where that is. */
  readonly contents: string;
  readonly content: (id: string) => string;
  /** `tombstones/<id>.json`: bundles that were there. */
  readonly tombstones: string;
  /** `requests/<hash>.json`: what idempotency keys have made. */
  readonly requests: string;
  /** `probes/<id>`: written to see whether that can be done. */
  readonly probes: string;
  /** `keys/<kid>`: where no others are given. */
  readonly keys: string;
}

/** The places of a store. */
export function storeLayout(root: string): StoreLayout {
  const at = (path: string) => (root === "" ? path : `${root}/${path}`);
  const [blobs, owned, bundles] = [at("blobs/sha256"), at("owned"), at("bundles")];
  const [uploads, tombstones, contents] = [at("uploads"), at("tombstones"), at("contents")];
  return {
    ...{ root, blobs, owned, bundles, uploads, tombstones, contents },
    requests: at("requests"),
    probes: at("probes"),
    keys: at("keys"),
    blob: (digest) => `${blobs}/${hexOf(digest).slice(0, 2)}/${hexOf(digest).slice(2)}`,
    ownedBy: (namespace) => `${owned}/${hashOf(namespace)}`,
    bundlesOf: (namespace) => `${bundles}/${hashOf(namespace)}`,
    upload: (id) => `${uploads}/${id}`,
    content: (id) => `${contents}/${id}`,
  };
}

/** The 64 hex digits of a digest. */
export function hexOf(digest: Digest): string {
  return digest.slice("sha256:".length);
}

/** SHA-256 in hex. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const id = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text can be an id of ours, and so part of a path. */
export function isId(text: string): boolean {
  return id.test(text);
}
