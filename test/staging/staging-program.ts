import { createHash } from "node:crypto";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { request as secureRequest } from "node:https";
import { join } from "node:path";
import type { BundleEntry, Digest } from "../../src/staging-client/bundle.ts";
import { isDigest } from "../../src/staging-client/bundle.ts";
import { type RunningProgram, start, temporaryDirectory } from "../acceptance/programs.ts";

/** A staging server that runs as a separate process. */
export interface Staging {
  readonly port: number;
  readonly store: string;
  readonly program: RunningProgram;
  readonly sendRequest: (method: string, path: string, requestOptions?: RequestOptions) => Promise<StagingResponse>;
  /** Ends the server and starts another one on the same store, with additional options. */
  readonly restart: (signal: "SIGKILL" | "SIGTERM", ...more: string[]) => Promise<Staging>;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** CA certificates in PEM; enables TLS. */
  readonly authority?: string;
}

export interface StagingResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: () => unknown;
  /** Returns `error.code` of a rejection. */
  readonly code: () => string;
  readonly message: () => string;
  /** Returns a field of the JSON response as text. */
  readonly text: (field: string) => string;
}

/** Options of a server that needs no cluster. */
export const alone = ["--auth", "none", "--owners", "none"];

/** Starts a server on a free local port and waits until it listens. */
export async function startStaging(
  args: readonly string[] = alone,
  { store = join(temporaryDirectory(), "store"), env = {} }: { store?: string; env?: Record<string, string> } = {},
): Promise<Staging> {
  const serverArgs = ["staging-server", "--store", store, "--host", "127.0.0.1", "--port", "0", ...args];
  const program = start("firesteel", serverArgs, { env });
  const port = await portOf(program);
  return {
    ...{ port, store, program },
    sendRequest: (method, path, requestOptions) => sendRequest(port, method, path, requestOptions),
    async restart(signal, ...more) {
      program.child.kill(signal);
      await program.ended;
      return startStaging([...args, ...more], { store, env });
    },
  };
}

async function portOf({ child, ended }: RunningProgram): Promise<number> {
  let programOutput = "";
  const started = new Promise<number>((resolve) => {
    child.stderr.on("data", (chunk) => {
      programOutput += chunk;
      const port = /started on port (\d+)\./.exec(programOutput)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
  const failed = ended.then(({ exit, stderr }) => {
    throw new Error(`the server ended with ${exit}: ${stderr}`);
  });
  failed.catch(() => {});
  return Promise.race([started, failed]);
}

/** Sends a request. */
export function sendRequest(
  port: number,
  method: string,
  path: string,
  requestOptions: RequestOptions = {},
): Promise<StagingResponse> {
  const body = requestOptions.json === undefined ? requestOptions.body : JSON.stringify(requestOptions.json);
  const headers = {
    ...(requestOptions.json === undefined ? {} : { "content-type": "application/json" }),
    ...(body === undefined || requestOptions.headers?.["transfer-encoding"] !== undefined
      ? {}
      : { "content-length": Buffer.byteLength(body) }),
    ...requestOptions.headers,
  };
  const { authority } = requestOptions;
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, headers, agent: false };
    const onResponse = (response: IncomingMessage) => {
      readResponse(response).then(resolve, reject);
    };
    const call =
      authority === undefined ? request(options, onResponse) : secureRequest({ ...options, ca: authority }, onResponse);
    call.on("error", reject);
    call.end(body);
  });
}

/** Reads a response completely. */
export async function readResponse(response: IncomingMessage): Promise<StagingResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks);
  const json = (): unknown => JSON.parse(body.toString("utf8"));
  const error = () => memberOf(json(), "error");
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body,
    json,
    code: () => String(memberOf(error(), "code")),
    message: () => String(memberOf(error(), "message")),
    text: (field) => String(memberOf(json(), field)),
  };
}

/** Returns a member of a value, or `undefined` if the value is not an object. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** Returns a content with its digest and size. */
export function contentOf(bytes: Uint8Array): { bytes: Uint8Array; digest: Digest; size: number } {
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (!isDigest(digest)) throw new Error(digest);
  return { bytes, digest, size: bytes.length };
}

/** Generates pseudorandom bytes, equal for equal seeds. */
export function someBytes(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size);
  let state = seed >>> 0 || 1;
  for (let index = 0; index < size; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

const owner = {
  namespace: "team",
  labels: { "spark-role": "driver", "spark-app-selector": "app" },
  type: "Pod",
};

/** Uploads a content for a namespace. */
export async function stageBlob(
  staging: Pick<Staging, "sendRequest">,
  bytes: Uint8Array,
  { namespace = "team", headers = {} }: { namespace?: string; headers?: RequestOptions["headers"] } = {},
): Promise<{ digest: Digest; size: number }> {
  const { digest, size } = contentOf(bytes);
  const created = await staging.sendRequest("POST", "/api/v1/uploads", {
    json: { namespace, digest, size },
    headers,
  });
  if (created.status === 200) return { digest, size };
  const path = `/api/v1/uploads/${created.text("uploadId")}`;
  await staging.sendRequest("PATCH", path, { body: bytes, headers: { ...headers, "upload-offset": 0 } });
  const done = await staging.sendRequest("POST", `${path}:commit`, { headers });
  if (done.status !== 201) throw new Error(`commit: ${done.status} ${done.body}`);
  return { digest, size };
}

export interface StagedBundle {
  readonly id: string;
  readonly token: string;
  readonly path: string;
  /** Headers that authorize reading the bundle. */
  readonly reader: { readonly authorization: string };
}

/** Stages a bundle of one file. */
export async function stageBundle(
  staging: Pick<Staging, "sendRequest">,
  bytes: Uint8Array,
  options: { owner?: unknown; headers?: RequestOptions["headers"]; ttlSeconds?: number } = {},
): Promise<StagedBundle> {
  const { headers = {}, ttlSeconds } = options;
  const blob = await stageBlob(staging, bytes, { headers });
  const json = {
    owner: options.owner ?? owner,
    entries: [entryOf("app.jar", blob)],
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
  };
  return receiptOf(await staging.sendRequest("POST", "/api/v1/bundles", { json, headers }));
}

/** Parses the response to a created bundle. */
export function receiptOf(made: StagingResponse): StagedBundle {
  if (made.status !== 201) throw new Error(`bundle: ${made.status} ${made.body}`);
  const [id, token] = [made.text("bundleId"), made.text("token")];
  return { id, token, path: `/api/v1/bundles/${id}`, reader: { authorization: `Bearer ${token}` } };
}

/** Creates a bundle entry. */
export function entryOf(name: string, { digest, size }: { digest: Digest; size: number }): BundleEntry {
  return { kind: "jar", name, digest, size, executable: false };
}

/** Default owner of bundles. */
export const defaultOwner = owner;

/** Builds a form as the 2017 client sends it. */
export function uploadForm(
  parts: readonly { readonly name: string; readonly type?: string; readonly content: Uint8Array | string }[],
): { readonly body: Buffer; readonly headers: { readonly "content-type": string } } {
  const boundary = "b7f1c1d2-0000-4000-8000-1234567890ab";
  const pieces = parts.flatMap(({ name, type, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Transfer-Encoding: binary\r\n${
        type === undefined ? "" : `Content-Type: ${type}\r\n`
      }Content-Length: ${Buffer.byteLength(content)}\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { body, headers: { "content-type": `multipart/form-data; boundary=${boundary}` } };
}

/** Owner of resources in the format of API v0. */
export const v0Owner = JSON.stringify({
  ownerNamespace: "team",
  ownerLabels: { "spark-role": "driver", "spark-app-selector": "app" },
  ownerType: "Pod",
});

/** Builds a form with both parts. */
export function defaultForm(content: Uint8Array | string, owner = v0Owner) {
  return uploadForm([
    { name: "resources", type: "multipart/form-data", content },
    { name: "resourcesOwner", type: "application/json", content: owner },
  ]);
}

/** Polls until `check` returns a value. Rejects after `timeoutMs`. */
export async function until<T>(check: () => Promise<T | undefined> | T | undefined, timeoutMs = 60_000): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error("the condition was not met in time");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
