import type { Duplex } from "node:stream";
import { submitError } from "../errors/submit-error.ts";
import { fileChunks } from "../host/file-chunks.ts";
import type { Host } from "../host/host.ts";
import { type HttpConnections, type HttpResponse, httpConnections, readText } from "../net/http-connections.ts";
import { isFields } from "../values/fields.ts";
import { pushHeaders, pushMessages, pushPaths } from "./push.ts";
import { retryUntilDeadline, TransientError } from "./retry.ts";
import { routeOf } from "./server-url.ts";

/** Entries to send to a waiting init container, and its address. */
interface Push {
  /** `http://HOST:PORT`; `connect` ignores the host. */
  readonly url: string;
  /** Opens a duplex stream to the init container, e.g. through port forwarding. @default TCP */
  readonly connect?: (() => Duplex | Promise<Duplex>) | undefined;
  /** PEM of its certificate authority, for https. */
  readonly authority?: string | undefined;
  readonly secret: string;
  /** Whether other clients may send the same files; the init container accepts one at a time. @default false */
  readonly isShared?: boolean;
  /** The files of the init container's configuration, in the same order. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** Receives the progress of all files together; `bytes` can decrease after a lost connection. */
  readonly onProgress?: (progress: { readonly bytes: number; readonly totalBytes: number }) => void;
  readonly signal?: AbortSignal | undefined;
  /** Timeout without progress, in ms. @default 60 000 */
  readonly timeoutMs?: number;
}

const maxDelayMs = 1000;

/**
 * Sends files to a waiting init container. Resumes after a lost connection.
 *
 * @throws SUBMIT_ERR_STAGING_REJECTED, SUBMIT_ERR_STAGING_UNREACHABLE, SUBMIT_ERR_STAGED_FILE_CHANGED; the reason of `signal`
 */
export async function pushEntries(host: Host, push: Push): Promise<void> {
  const { authority, connect, signal, timeoutMs } = push;
  const connections = httpConnections({ clock: host.clock, authority, connect });
  const sender = newSender(host, push, connections);
  const retries = { server: "the init container", isKept: false, signal, timeoutMs, maxDelayMs };
  try {
    await retryUntilDeadline(host, { ...retries, progress: sender.offset }, sender.attempt);
  } finally {
    connections.close();
  }
}

interface Sender {
  /** Returns the number of bytes that the init container has. */
  readonly offset: () => number;
  readonly attempt: () => Promise<void>;
}

function newSender(host: Host, push: Push, connections: HttpConnections): Sender {
  const { signal, onProgress = () => {} } = push;
  const url = routeOf(push.url, pushPaths.create);
  const identity = {
    [pushHeaders.secret]: push.secret,
    [pushHeaders.client]: host.random.uuid(),
    ...(push.isShared === true && { [pushHeaders.shared]: "true" }),
  };
  const totalBytes = push.files.reduce((sum, { size }) => sum + size, 0);
  let offset = 0;
  const applyOffset = (response: HttpResponse) => {
    const known = Number(response.headers[pushHeaders.offset] ?? Number.NaN);
    if (Number.isNaN(known)) return false;
    offset = known;
    onProgress({ bytes: offset, totalBytes });
    return true;
  };
  const fetchOffset = async () => {
    const response = await connections.send({ method: "HEAD", url, headers: identity, signal });
    response.close();
    const isKnown = applyOffset(response);
    if (response.status === 200 && isKnown) return;
    throw isKnown ? new TransientError("another client is sending the files") : await rejection(response);
  };
  const send = async () => {
    const headers = { ...identity, [pushHeaders.offset]: offset, "content-length": totalBytes - offset };
    const body = contents(host, push, { offset, totalBytes, onProgress });
    const response = await connections.send({ method: "POST", url, headers, body, signal });
    if (response.status === 200) return response.close();
    if (applyOffset(response)) throw new TransientError(`the init container has ${offset} bytes`);
    throw await rejection(response);
  };
  return {
    offset: () => offset,
    async attempt() {
      await fetchOffset();
      await send();
    },
  };
}

async function* contents(
  { files }: Host,
  push: Push,
  { offset, totalBytes, onProgress }: { offset: number; totalBytes: number; onProgress: Push["onProgress"] },
): AsyncGenerator<Uint8Array> {
  let start = 0;
  let bytes = offset;
  for (const { path, size } of push.files) {
    const skipped = Math.min(Math.max(offset - start, 0), size);
    for await (const chunk of fileChunks(files, { path, offset: skipped, size: size - skipped })) {
      yield chunk;
      bytes += chunk.length;
      onProgress?.({ bytes, totalBytes });
    }
    start += size;
  }
}

/** Treats 5xx as transient and other statuses as final. */
async function rejection(response: HttpResponse): Promise<Error> {
  const { status } = response;
  const message = await messageIn(response);
  if (status >= 500) return new TransientError(`it responded with ${status}: ${message}`);
  const server = "The init container";
  return submitError("SUBMIT_ERR_STAGING_REJECTED", {
    server,
    by: "initContainer",
    what: "the files",
    status,
    message,
  });
}

async function messageIn(response: HttpResponse): Promise<string> {
  try {
    const value: unknown = JSON.parse(await readText(response));
    if (isFields(value) && typeof value["message"] === "string") return value["message"];
  } catch {
    // The response to HEAD has no body.
  }
  if (response.status === 401) return pushMessages.unauthorized;
  return response.status === 409 ? pushMessages.taken : "no reason given";
}
