import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import type { BundleEntry, Digest } from "../../src/staging-client/bundle.ts";

/** HTTP server of a test. */
export interface FileServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
}

export type RequestResponder = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server that stops after the test. */
export async function serve(respond: RequestResponder, port = 0): Promise<FileServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = portOf(server.address());
  return { url: `http://127.0.0.1:${bound}`, port: bound, requests };
}

/** Returns a port on which no process listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}

/** Content of a staged file, by its kind and name. */
export type Contents = Readonly<Record<string, Uint8Array | string>>;

const kindsOf: Readonly<Record<string, BundleEntry["kind"]>> = {
  jars: "jar",
  files: "file",
  pyfiles: "pyfile",
  archives: "archive",
};

/** Entries of a bundle, from paths such as `jars/a.jar`; names that end in `.sh` are executable. */
export function entriesOf(contents: Contents): readonly BundleEntry[] {
  return Object.entries(contents).map(([path, content]) => {
    const [directory = "", name = ""] = path.split("/");
    const kind = kindsOf[directory] ?? "file";
    const size = Buffer.byteLength(content);
    return { kind, name, digest: digestOf(content), size, executable: name.endsWith(".sh") };
  });
}

export function digestOf(content: Uint8Array | string): Digest {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/** Serves one bundle of API v1 for the token `good-token`, with range requests. */
export function bundleServer(contents: Contents): RequestResponder {
  const entries = entriesOf(contents);
  const bodies = Object.values(contents).map((content) => Buffer.from(content));
  return (request, response) => {
    if (request.headers.authorization !== "Bearer good-token") return problem(response, 401);
    if (request.url === "/api/v1/bundles/b1") {
      response.setHeader("content-type", "application/json");
      return void response.end(JSON.stringify({ bundleId: "b1", entries }));
    }
    const index = /^\/api\/v1\/bundles\/b1\/entries\/(\d+)$/.exec(request.url ?? "")?.[1];
    const body = bodies[Number(index)];
    if (index === undefined || body === undefined) return problem(response, 404);
    sendRange(request, response, body);
  };
}

/** Responds with a body, or with the range that the request selects. */
export function sendRange(request: IncomingMessage, response: ServerResponse, body: Uint8Array): void {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  if (start > 0) {
    response.statusCode = 206;
    response.setHeader("content-range", `bytes ${start}-${body.length - 1}/${body.length}`);
  }
  response.setHeader("content-length", body.length - start);
  response.end(body.subarray(start));
}

function problem(response: ServerResponse, status: number): void {
  response.statusCode = status;
  const error = { code: "REFUSED", message: "no", retryable: false, requestId: "r" };
  response.end(JSON.stringify({ error }));
}

/** Member of an archive, including invalid ones. */
export interface Member {
  readonly name: string | Uint8Array;
  readonly content?: Uint8Array | string;
  /** @default "0" */
  readonly type?: string;
  readonly linkName?: string;
  readonly mode?: number;
}

/** Builds a ustar archive of exactly these members. */
export function tarOf(members: readonly Member[]): Uint8Array {
  const blocks = members.flatMap(({ content = "", ...member }) => {
    const bytes = Buffer.from(content);
    const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512);
    return [headerOf(member, bytes.length), bytes, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** Compresses as API v0 does. */
export function tarballOf(members: readonly Member[]): Uint8Array {
  return gzipSync(tarOf(members));
}

/** Builds one header block; the name is truncated to 100 bytes. */
export function headerOf(member: Omit<Member, "content">, size: number): Buffer {
  const { name, type = "0", linkName = "", mode = 0o644 } = member;
  const block = Buffer.alloc(512);
  Buffer.from(name).copy(block, 0, 0, 100);
  block.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write(" ".repeat(8), 148);
  block.write(type, 156);
  block.write(linkName, 157);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
