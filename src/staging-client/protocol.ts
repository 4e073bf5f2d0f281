import type { BundleEntry, Digest, StagedOwner } from "./bundle.ts";

/**
 * API v1 of the staging server. All bodies are JSON, except those of PATCH and of an entry.
 *
 * | request | body | response |
 * | --- | --- | --- |
 * | `GET /api/v1/info` | | `ServerInfo` |
 * | `POST /api/v1/blobs:missing` | `MissingRequest` | `MissingResponse` |
 * | `POST /api/v1/uploads` | `UploadRequest` | 201 `UploadResponse`; 200 with `exists` |
 * | `HEAD /api/v1/uploads/{id}` | | headers `upload-offset`, `upload-length` |
 * | `PATCH /api/v1/uploads/{id}` | bytes from `upload-offset` on | 204 and the new offset; 409 with the expected one |
 * | `POST /api/v1/uploads/{id}:commit` | | 201; 422 when size or digest differ |
 * | `DELETE /api/v1/uploads/{id}` | | 204 |
 * | `POST /api/v1/bundles` | `BundleRequest`; header `idempotency-key` | 201 `BundleReceipt` |
 * | `GET /api/v1/bundles/{id}` | | `BundleManifest`; header `authorization: Bearer TOKEN` with the receipt's token |
 * | `GET /api/v1/bundles/{id}/entries/{index}` | | bytes, or 307; the same token; ranges |
 * | `POST /api/v1/bundles/{id}:renew` | `RenewRequest` | `BundleLease` |
 * | `DELETE /api/v1/bundles/{id}` | | 204 |
 */
export const apiRoot = "/api/v1";

/** Version and limits of a server; sizes in bytes, `undefined`: no limit. */
export interface ServerInfo {
  readonly version: string;
  readonly features: readonly string[];
  /** Address for pods, if it differs from the client's. */
  readonly internalUrl?: string;
  readonly limits: {
    readonly maxBlobBytes?: number;
    readonly maxBundleBytes?: number;
    readonly maxNamespaceBytes?: number;
  };
}

export interface Blob {
  readonly digest: Digest;
  /** In bytes. */
  readonly size: number;
}

export interface MissingRequest {
  readonly namespace: string;
  readonly blobs: readonly Blob[];
}

export interface MissingResponse {
  readonly missing: readonly Digest[];
}

export interface UploadRequest extends Blob {
  readonly namespace: string;
}

export interface UploadResponse {
  readonly uploadId?: string;
  /** Whether the server already has the content, so that the client sends nothing. */
  readonly exists: boolean;
  /** RFC 3339. */
  readonly expiresAt?: string;
}

export interface BundleRequest {
  readonly owner: StagedOwner;
  readonly entries: readonly BundleEntry[];
  /** Retention time of a bundle whose owner is never seen. */
  readonly ttlSeconds?: number;
}

export interface BundleLease {
  /** RFC 3339. */
  readonly expiresAt: string;
}

export interface BundleReceipt extends BundleLease {
  readonly bundleId: string;
  /** Permits reading this bundle only. */
  readonly token: string;
}

export interface BundleManifest {
  readonly bundleId: string;
  readonly entries: readonly BundleEntry[];
}

export interface RenewRequest {
  readonly ttlSeconds: number;
}

/** Body of every error response. */
export interface StagingProblem {
  readonly error: {
    readonly code: ProblemCode;
    readonly message: string;
    readonly retryable: boolean;
    readonly requestId: string;
    /** Only for MISSING_BLOBS. */
    readonly missing?: readonly Digest[];
  };
}

/** Error codes of a staging server, and their HTTP status. */
export const problemStatuses = {
  BAD_REQUEST: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  QUOTA_EXCEEDED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  IDLE: 408,
  WRONG_OFFSET: 409,
  MISSING_BLOBS: 409,
  GONE: 410,
  LENGTH_REQUIRED: 411,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  DIGEST_MISMATCH: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  STORE_FULL: 507,
} as const;

export type ProblemCode = keyof typeof problemStatuses;
