import type { Duplex } from "node:stream";
import * as v from "valibot";
import type { Host } from "../host/host.ts";
import { allOrAbort } from "../net/all-or-abort.ts";
import { httpConnections } from "../net/http-connections.ts";
import { limiter } from "../net/limiter.ts";
import { proxyFor } from "../net/proxy/proxy-for.ts";
import type { BundleEntry, Digest, StagedOwner } from "./bundle.ts";
import { openPendingUploads } from "./pending-uploads.ts";
import type { BundleReceipt, BundleRequest, MissingRequest, ServerInfo } from "./protocol.ts";
import { callFor, callOnce, type StagingCalls } from "./staging-call.ts";
import { finishUpload, type LocalBlob, openUpload, type Uploading } from "./upload-blob.ts";
import { integerRange, listOf, textShape } from "./validate.ts";

/** Address of a staging server and access to it. */
export interface StagingServer {
  /** A path is allowed: `https://host/staging`. */
  readonly url: string;
  /** PEM of its certificate authorities. @default the system's */
  readonly authority?: string | undefined;
  /** Opens a connection, e.g. through port forwarding. @default TCP to the URL, or its proxy */
  readonly connect?: (() => Duplex) | undefined;
  /** Kubernetes token that authenticates the client. */
  readonly token?: string | undefined;
  /** Directory of data for later submissions. */
  readonly cachePath: string;
  readonly signal?: AbortSignal | undefined;
  /** Timeout without progress, in ms. @default 60 000 */
  readonly timeoutMs?: number;
}

/** A local file that becomes an entry of the bundle. */
export interface StagedFile extends BundleEntry {
  readonly path: string;
}

/** Progress of the contents that the server lacks. */
export interface StagingProgress {
  /** Bytes sent so far. Can decrease after a lost connection. */
  readonly bytes: number;
  /** Bytes to send. Excludes bytes that an earlier submission sent, as does `bytes`. */
  readonly totalBytes: number;
}

interface StagingRequest {
  readonly files: readonly StagedFile[];
  readonly owner: StagedOwner;
  readonly ttlSeconds?: number;
  readonly onProgress?: (progress: StagingProgress) => void;
}

interface StagingProbe {
  readonly files: readonly StagedFile[];
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Calls of the staging server's API v1. All reject with SUBMIT_ERR_STAGING_REJECTED and SUBMIT_ERR_STAGING_UNREACHABLE. */
export interface StagingClient {
  readonly info: () => Promise<ServerInfo>;
  /** Sends the missing contents, then creates the bundle. Also rejects with SUBMIT_ERR_STAGED_FILE_CHANGED. */
  readonly stage: (request: StagingRequest) => Promise<BundleReceipt>;
  /** Fetches the limits, and asks which contents are missing, as a stage would. Tries once, and sends no content. */
  readonly probe: (request: StagingProbe) => Promise<ServerInfo>;
  /** Deletes the bundle of a failed submission. Tries once. Returns whether the bundle is deleted. */
  readonly deleteBundle: (bundleId: string) => Promise<boolean>;
  readonly close: () => void;
}

/** Creates a client that keeps its connections until it is closed. */
export function stagingClient(host: Host, server: StagingServer): StagingClient {
  const { url, token, signal, timeoutMs, authority, connect } = server;
  const findProxy = (to: URL) => proxyFor(to, host.env);
  const connections = httpConnections({ clock: host.clock, authority, connect, findProxy });
  const calls: StagingCalls = { host, url, token, signal, timeoutMs, connections };
  return {
    info: () => fetchInfo(calls),
    stage: (request) => stage(calls, server, request),
    async probe({ files, namespace, signal: probeSignal }) {
      const once = { ...calls, signal: probeSignal, timeoutMs: 0 };
      const [found] = await Promise.all([fetchInfo(once), fetchMissing({ calls: once, namespace }, blobsOf(files))]);
      return found;
    },
    async deleteBundle(bundleId) {
      const route = `/bundles/${encodeURIComponent(bundleId)}`;
      try {
        // Ignores the signal: an aborted submission must still delete its bundle.
        const deletion = { method: "DELETE", route, what: "the deletion of a bundle", accepted: [404, 410] };
        (await callOnce({ ...calls, signal: undefined }, deletion)).close();
        return true;
      } catch {
        return false;
      }
    },
    close: connections.close,
  };
}

async function fetchInfo(calls: StagingCalls): Promise<ServerInfo> {
  const what = "its version and limits";
  return callFor(calls, infoShape, { method: "GET", route: "/info", what });
}

const limit = v.exactOptional(integerRange(0));
const infoShape: v.GenericSchema<unknown, ServerInfo> = v.object({
  version: textShape,
  features: listOf(v.string("a text")),
  internalUrl: v.exactOptional(textShape),
  limits: v.object({ maxBlobBytes: limit, maxBundleBytes: limit, maxNamespaceBytes: limit }, "an object"),
});

/** Maximum number of times to send the contents, because the server may delete them before the bundle is created. */
const maxRounds = 3;

async function stage(
  calls: StagingCalls,
  { cachePath }: StagingServer,
  request: StagingRequest,
): Promise<BundleReceipt> {
  const { namespace } = request.owner;
  const directory = `${cachePath}/uploads`;
  const pending = openPendingUploads(calls.host.files, { directory, server: calls.url, namespace });
  const uploading: Uploading = { calls, pending, namespace };
  const key = calls.host.random.uuid();
  for (let round = 1; ; round += 1) {
    await sendMissing(uploading, request);
    const receipt = await createBundle(calls, request, { key, isLast: round === maxRounds });
    if (receipt !== undefined) return receipt;
  }
}

/** Lists the contents of files, each once. */
function blobsOf(files: readonly StagedFile[]): readonly LocalBlob[] {
  const blobs = new Map<Digest, LocalBlob>();
  for (const { path, digest, size } of files) blobs.set(digest, { path, digest, size });
  return [...blobs.values()];
}

async function sendMissing(uploading: Uploading, { files, onProgress }: StagingRequest): Promise<void> {
  const missing = await fetchMissing(uploading, blobsOf(files));
  const opened = (await runConcurrent(uploading, missing, openUpload)).filter((upload) => upload !== undefined);
  const totalBytes = opened.reduce((sum, { blob, offset }) => sum + blob.size - offset, 0);
  const sent = opened.map(() => 0);
  const report = () => onProgress?.({ bytes: sent.reduce((sum, bytes) => sum + bytes, 0), totalBytes });
  report();
  await runConcurrent(uploading, opened, (inner, upload, index) =>
    finishUpload(inner, upload, (offset) => {
      sent[index] = offset - upload.offset;
      report();
    }),
  );
}

const maxConcurrentUploads = 4;

/** Runs an action for a few items at a time. The first failure aborts the others. */
function runConcurrent<T, R>(
  uploading: Uploading,
  items: readonly T[],
  action: (uploading: Uploading, item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const limited = limiter(maxConcurrentUploads);
  const actions = items.map(
    (item, index) => (signal: AbortSignal) =>
      limited(async () => {
        signal.throwIfAborted();
        return action({ ...uploading, calls: { ...uploading.calls, signal } }, item, index);
      }),
  );
  return allOrAbort(uploading.calls.signal, actions);
}

const maxBlobsPerRequest = 1000;

async function fetchMissing(
  { calls, namespace }: Pick<Uploading, "calls" | "namespace">,
  blobs: readonly LocalBlob[],
): Promise<readonly LocalBlob[]> {
  const missing = new Set<string>();
  const what = "the list of contents";
  for (let start = 0; start < blobs.length; start += maxBlobsPerRequest) {
    const some = blobs.slice(start, start + maxBlobsPerRequest).map(({ digest, size }) => ({ digest, size }));
    const json: MissingRequest = { namespace, blobs: some };
    const request = { method: "POST", route: "/blobs:missing", what, json };
    for (const digest of (await callFor(calls, missingShape, request)).missing) missing.add(digest);
  }
  return blobs.filter(({ digest }) => missing.has(digest));
}

const missingShape = v.object({ missing: listOf(v.string("a text")) }, "an object");

const receiptShape: v.GenericSchema<unknown, BundleReceipt> = v.object(
  { bundleId: textShape, token: textShape, expiresAt: textShape },
  "an object",
);

/** Returns `undefined` if contents are missing, unless this is the last attempt. */
async function createBundle(
  calls: StagingCalls,
  { files, owner, ttlSeconds }: StagingRequest,
  { key, isLast }: { readonly key: string; readonly isLast: boolean },
): Promise<BundleReceipt | undefined> {
  const entries = files.map(
    ({ kind, name, digest, size, executable }): BundleEntry => ({ kind, name, digest, size, executable }),
  );
  const json: BundleRequest = { owner, entries, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
  const headers = { "idempotency-key": key };
  const creation = { method: "POST", route: "/bundles", what: "the bundle", json, headers };
  const response = await callFor(calls, creationShape, {
    ...creation,
    accepted: isLast ? [] : [409],
  });
  return "error" in response ? undefined : response;
}

const problemShape = v.object({ error: v.unknown() });
const creationShape: v.GenericSchema<unknown, BundleReceipt | v.InferOutput<typeof problemShape>> = v.lazy(
  (response) => (v.is(problemShape, response) ? problemShape : receiptShape),
);
