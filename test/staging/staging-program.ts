import { createHash } from "node:crypto";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { request as secureRequest } from "node:https";
import { join } from "node:path";
import type { BundleEntry, Digest } from "../../src/staging-client/bundle.ts";
import { isDigest } from "../../src/staging-client/bundle.ts";
import { type RunningProgram, start, temporaryDirectory } from "../acceptance/programs.ts";

/** A staging server that runs as a program of its own. */
export interface Staging {
  readonly port: number;
  readonly store: string;
  readonly program: RunningProgram;
  readonly ask: (method: string, path: string, given?: Given) => Promise<Answer>;
  /** Another one on the same store, with the same options and further ones. */
  readonly restart: (signal: "SIGKILL" | "SIGTERM", ...more: string[]) => Promise<Staging>;
}

export interface Given {
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** PEM: then over TLS. */
  readonly authority?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: () => unknown;
  /** `error.code` of a refusal. */
  readonly code: () => string;
  readonly message: () => string;
  /** A text that an object in JSON has. */
  readonly text: (field: string) => string;
}

/** Options of a server that asks nobody. */
export const alone = ["--auth", "none", "--owners", "none"];

/** Starts a server on a free port of this machine, and waits until it answers. */
export async function startStaging(
  args: readonly string[] = alone,
  {
    store = join(temporaryDirectory(), "store"),
    env = {},
  }: { store?: string; env?: Record<string, string> } = {},
): Promise<Staging> {
  const serverArgs = ["staging-server", "--store", store, "--host", "127.0.0.1", "--port", "0", ...args];
  const program = start("firesteel", serverArgs, { env });
  const port = await portOf(program);
  return {
    ...{ port, store, program },
    ask: (method, path, given) => ask(port, method, path, given),
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

/** One request. */
export function ask(port: number, method: string, path: string, given: Given = {}): Promise<Answer> {
  const body = given.json === undefined ? given.body : JSON.stringify(given.json);
  const headers = {
    ...(given.json === undefined ? {} : { "content-type": "application/json" }),
    ...(body === undefined || given.headers?.["transfer-encoding"] !== undefined
      ? {}
      : { "content-length": Buffer.byteLength(body) }),
    ...given.headers,
  };
  const { authority } = given;
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, headers, agent: false };
    const take = (response: IncomingMessage) => {
      readAnswer(response).then(resolve, reject);
    };
    const call =
      authority === undefined ? request(options, take) : secureRequest({ ...options, ca: authority }, take);
    call.on("error", reject);
    call.end(body);
  });
}

/** The whole answer. */
export async function readAnswer(response: IncomingMessage): Promise<Answer> {
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

/** A member of what may be an object. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** A content, and what the API calls it. */
export function contentOf(bytes: Uint8Array): { bytes: Uint8Array; digest: Digest; size: number } {
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (!isDigest(digest)) throw new Error(digest);
  return { bytes, digest, size: bytes.length };
}

/** Bytes that look like chance, always the same ones for a seed. */
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
  staging: Pick<Staging, "ask">,
  bytes: Uint8Array,
  { namespace = "team", headers = {} }: { namespace?: string; headers?: Given["headers"] } = {},
): Promise<{ digest: Digest; size: number }> {
  const { digest, size } = contentOf(bytes);
  const begun = await staging.ask("POST", "/api/v1/uploads", { json: { namespace, digest, size }, headers });
  if (begun.status === 200) return { digest, size };
  const path = `/api/v1/uploads/${begun.text("uploadId")}`;
  await staging.ask("PATCH", path, { body: bytes, headers: { ...headers, "upload-offset": 0 } });
  const done = await staging.ask("POST", `${path}:commit`, { headers });
  if (done.status !== 201) throw new Error(`commit: ${done.status} ${done.body}`);
  return { digest, size };
}

export interface StagedBundle {
  readonly id: string;
  readonly token: string;
  readonly path: string;
  /** Headers of who may read it. */
  readonly reader: { readonly authorization: string };
}

/** A bundle of one file. */
export async function stageBundle(
  staging: Pick<Staging, "ask">,
  bytes: Uint8Array,
  given: { owner?: unknown; headers?: Given["headers"]; ttlSeconds?: number } = {},
): Promise<StagedBundle> {
  const { headers = {}, ttlSeconds } = given;
  const blob = await stageBlob(staging, bytes, { headers });
  const json = {
    owner: given.owner ?? owner,
    entries: [entryOf("app.jar", blob)],
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
  };
  return receiptOf(await staging.ask("POST", "/api/v1/bundles", { json, headers }));
}

/** What a created bundle is read with. */
export function receiptOf(made: Answer): StagedBundle {
  if (made.status !== 201) throw new Error(`bundle: ${made.status} ${made.body}`);
  const [id, token] = [made.text("bundleId"), made.text("token")];
  return { id, token, path: `/api/v1/bundles/${id}`, reader: { authorization: `Bearer ${token}` } };
}

/** An entry of a bundle. */
export function entryOf(name: string, { digest, size }: { digest: Digest; size: number }): BundleEntry {
  return { kind: "jar", name, digest, size, executable: false };
}

/** The owner that bundles have unless told otherwise. */
export const usualOwner = owner;

/** A form as the client of 2017 sends it. */
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

/** The owner of resources, as API v0 writes it. */
export const v0Owner = JSON.stringify({
  ownerNamespace: "team",
  ownerLabels: { "spark-role": "driver", "spark-app-selector": "app" },
  ownerType: "Pod",
});

/** Both parts. */
export function usualForm(content: Uint8Array | string, owner = v0Owner) {
  return uploadForm([
    { name: "resources", type: "multipart/form-data", content },
    { name: "resourcesOwner", type: "application/json", content: owner },
  ]);
}

/** Asks until it is so. */
export async function until<T>(
  look: () => Promise<T | undefined> | T | undefined,
  limitMs = 60_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error("it did not become so in time");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
