import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import type { BundleEntry, Digest } from "../../src/staging-client/bundle.ts";

/** A web server of a test. */
export interface FileServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
}

export type RequestResponder = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a server that ends with the test. */
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

/** A port on which nobody listens. */
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

/** Content of a staged file, by what it is and is called. */
export type Contents = Readonly<Record<string, Uint8Array | string>>;

const kindsOf: Readonly<Record<string, BundleEntry["kind"]>> = {
  jars: "jar",
  files: "file",
  pyfiles: "pyfile",
  archives: "archive",
};

/** The entries of a bundle, from `jars/a.jar` and the like; what ends in `.sh` is executable. */
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

/** One bundle of API v1, read with the token `good-token`; understands ranges. */
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

/** Answers with a body, or with the rest of it from where the request wants it. */
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

/** A member of an archive as a test writes it, wrong ones too. */
export interface Member {
  readonly name: string | Uint8Array;
  readonly content?: Uint8Array | string;
  /** @default "0" */
  readonly type?: string;
  readonly linkName?: string;
  readonly mode?: number;
}

/** A ustar archive of just these members, whatever they are. */
export function tarOf(members: readonly Member[]): Uint8Array {
  const blocks = members.flatMap(({ content = "", ...member }) => {
    const bytes = Buffer.from(content);
    const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512);
    return [headerOf(member, bytes.length), bytes, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** As API v0 sends it. */
export function tarballOf(members: readonly Member[]): Uint8Array {
  return gzipSync(tarOf(members));
}

/** One header block; the name is cut at 100 bytes. */
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
