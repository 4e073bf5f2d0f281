import type { Duplex } from "node:stream";
import type { Host } from "../host/host.ts";
import { allOrAbort } from "../net/all-or-abort.ts";
import { httpConnections } from "../net/http-connections.ts";
import { limiter } from "../net/limiter.ts";
import { proxyFor } from "../net/proxy/proxy-for.ts";
import type { BundleEntry, Digest, StagedOwner } from "./bundle.ts";
import { jsonObject } from "./json-object.ts";
import { uploadNotes } from "./pending-uploads.ts";
import type { BundleReceipt, BundleRequest, MissingRequest, ServerInfo } from "./protocol.ts";
import { callForJson, callOnce, type StagingCalls } from "./staging-call.ts";
import { finishUpload, type LocalBlob, malformedResponse, openUpload, type Uploading } from "./upload-blob.ts";

/** A staging server, and how it is reached. */
export interface StagingServer {
  /** A path is allowed: `https://host/staging`. */
  readonly url: string;
  /** PEM of its authorities. @default the system's */
  readonly authority?: string | undefined;
  /** Opens connections some other way, e.g. through a port forwarding. */
  readonly connect?: (() => Duplex) | undefined;
  /** Kubernetes token that authenticates the client. */
  readonly token?: string | undefined;
  /** Directory of data for later submissions. */
  readonly cacheFolder: string;
  readonly signal?: AbortSignal | undefined;
  /** Timeout without progress, in ms. @default 60 000 */
  readonly timeoutMs?: number;
}

/** A local file that becomes an entry of the bundle. */
export interface StagedFile extends BundleEntry {
  readonly path: string;
}

/** Bytes of contents that the server did not have. */
export interface StagingProgress {
  /** Sent so far; what a cut connection lost is counted back. */
  readonly bytes: number;
  /** To be sent in all. What an earlier submission had sent is in neither. */
  readonly totalBytes: number;
}

export interface StagingRequest {
  readonly files: readonly StagedFile[];
  readonly owner: StagedOwner;
  readonly ttlSeconds?: number;
  readonly onProgress?: (progress: StagingProgress) => void;
}

/** Calls of the staging server's API v1. All reject with SUBMIT_ERR_STAGING_REJECTED and SUBMIT_ERR_STAGING_UNREACHABLE. */
export interface StagingClient {
  readonly info: () => Promise<ServerInfo>;
  /** Sends what is missing, then makes the bundle. Rejects with SUBMIT_ERR_STAGED_FILE_CHANGED, too. */
  readonly stage: (request: StagingRequest) => Promise<BundleReceipt>;
  /** Deletes the bundle of a failed submission. Tries once. Returns whether the bundle is deleted. */
  readonly deleteBundle: (bundleId: string) => Promise<boolean>;
  readonly close: () => void;
}

/** A client that keeps its connections until it is closed. */
export function stagingClient(host: Host, server: StagingServer): StagingClient {
  const { url, token, signal, timeoutMs, authority, connect } = server;
  const findProxy = (to: URL) => proxyFor(to, host.env);
  const connections = httpConnections({ clock: host.clock, authority, connect, findProxy });
  const calls: StagingCalls = { host, url, token, signal, timeoutMs, connections };
  return {
    info: () => fetchInfo(calls),
    stage: (request) => stage(calls, server, request),
    async deleteBundle(bundleId) {
      const route = `/bundles/${encodeURIComponent(bundleId)}`;
      try {
        // Ignores the signal: an aborted submission must still delete its bundle.
        const deletion = { method: "DELETE", route, what: "the end of a bundle", accepted: [404, 410] };
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
  const what = "what it is";
  const problems: string[] = [];
  const root = jsonObject(await callForJson(calls, { method: "GET", route: "/info", what }), "", problems);
  const limits = root.object("limits");
  const info: ServerInfo = {
    version: root.text("version"),
    features: root.texts("features"),
    ...root.optionalText("internalUrl"),
    limits: {
      ...limits.optionalNumber("maxBlobBytes", 0),
      ...limits.optionalNumber("maxBundleBytes", 0),
      ...limits.optionalNumber("maxNamespaceBytes", 0),
    },
  };
  if (problems.length > 0) throw malformedResponse(calls, what, problems);
  return info;
}

/** The server may delete contents before the bundle is created. Maximum number of times to send them. */
const maxRounds = 3;

async function stage(
  calls: StagingCalls,
  { cacheFolder }: StagingServer,
  request: StagingRequest,
): Promise<BundleReceipt> {
  const { namespace } = request.owner;
  const directory = `${cacheFolder}/uploads`;
  const notes = uploadNotes(calls.host.files, { directory, server: calls.url, namespace });
  const uploading: Uploading = { calls, notes, namespace };
  const key = calls.host.random.uuid();
  for (let round = 1; ; round += 1) {
    await sendMissing(uploading, request);
    const receipt = await createBundle(calls, request, { key, isLast: round === maxRounds });
    if (receipt !== undefined) return receipt;
  }
}

async function sendMissing(uploading: Uploading, { files, onProgress }: StagingRequest): Promise<void> {
  const blobs = new Map<Digest, LocalBlob>();
  for (const { path, digest, size } of files) blobs.set(digest, { path, digest, size });
  const missing = await fetchMissing(uploading, [...blobs.values()]);
  const opened = (await atOnce(uploading, missing, openUpload)).filter((upload) => upload !== undefined);
  const totalBytes = opened.reduce((sum, { blob, offset }) => sum + blob.size - offset, 0);
  const sent = opened.map(() => 0);
  const report = () => onProgress?.({ bytes: sent.reduce((sum, bytes) => sum + bytes, 0), totalBytes });
  report();
  await atOnce(uploading, opened, (inner, upload, index) =>
    finishUpload(inner, upload, (offset) => {
      sent[index] = offset - upload.offset;
      report();
    }),
  );
}

const maxConcurrentUploads = 4;

/** Does something for some at once; the first failure stops the others. */
function atOnce<T, R>(
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
  { calls, namespace }: Uploading,
  blobs: readonly LocalBlob[],
): Promise<readonly LocalBlob[]> {
  const missing = new Set<string>();
  const what = "the list of contents";
  for (let start = 0; start < blobs.length; start += maxBlobsPerRequest) {
    const some = blobs.slice(start, start + maxBlobsPerRequest).map(({ digest, size }) => ({ digest, size }));
    const json: MissingRequest = { namespace, blobs: some };
    const response = await callForJson(calls, { method: "POST", route: "/blobs:missing", what, json });
    const problems: string[] = [];
    for (const digest of jsonObject(response, "", problems).texts("missing")) missing.add(digest);
    if (problems.length > 0) throw malformedResponse(calls, what, problems);
  }
  return blobs.filter(({ digest }) => missing.has(digest));
}

/** `undefined` when contents are missing, unless this is the last attempt. */
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
  const deletion = { method: "POST", route: "/bundles", what: "the bundle", json, headers };
  const response = await callForJson(calls, { ...deletion, accepted: isLast ? [] : [409] });
  const problems: string[] = [];
  const fields = jsonObject(response, "", problems);
  const receipt = {
    bundleId: fields.text("bundleId"),
    token: fields.text("token"),
    expiresAt: fields.text("expiresAt"),
  };
  if (problems.length === 0) return receipt;
  if (fields.has("error")) return undefined;
  throw malformedResponse(calls, deletion.what, problems);
}
