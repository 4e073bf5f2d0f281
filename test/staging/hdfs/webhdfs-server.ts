import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** HDFS of a test: a NameNode and a DataNode in this process, with files in memory. */
export interface TestHdfs {
  /** `127.0.0.1:PORT` of WebHDFS. */
  readonly address: string;
  /** Content of files by path; a directory is `undefined`. */
  readonly nodes: ReadonlyMap<string, { readonly content: Buffer | undefined; readonly modifiedMs: number }>;
  /** Each operation as `OP PATH USER`. */
  readonly operations: readonly string[];
  /** Rejects operations for which it returns an exception, as the NameNode or DataNode would. */
  failWith: (operation: HdfsOperation) => HdfsFailure | undefined;
  /** Adds a file, or a directory without content, as another client would. */
  readonly add: (path: string, content?: Buffer) => void;
  readonly close: () => void;
}

export interface HdfsOperation {
  readonly op: string;
  readonly path: string;
  /** Number of the operation, from 0. */
  readonly index: number;
}

/** Exception of Hadoop, or a connection that breaks. */
export type HdfsFailure = { readonly status: number; readonly exception: string; readonly message: string } | "break";

interface TestNode {
  content: Buffer | undefined;
  modifiedMs: number;
}

/** Operations of one request. */
interface HdfsCall {
  readonly nodes: Map<string, TestNode>;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isAtDataNode: boolean;
  /** URL of the same request at the DataNode. */
  readonly dataNodeUrl: string;
  readonly body: Buffer;
}

type HdfsReply = {
  readonly status: number;
  readonly json?: unknown;
  readonly content?: Buffer;
  readonly location?: string;
};

/**
 * Starts an HDFS. Implements what Firesteel uses of WebHDFS as Hadoop 3 does: creation through a DataNode, renaming that never
 * replaces a file and moves into an existing directory, modification times of directories. Source: Hadoop, WebHDFS REST API.
 */
export async function startTestHdfs(): Promise<TestHdfs> {
  const nodes = new Map<string, TestNode>([["/", { content: undefined, modifiedMs: Date.now() }]]);
  const operations: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://h");
    const path = decodeURIComponent(url.pathname.replace("/webhdfs/v1", "")).replace(/(?<=.)\/$/, "");
    const op = url.searchParams.get("op") ?? "";
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return void response.destroy();
    const isAtDataNode = url.searchParams.has("datanode");
    if (!isAtDataNode) operations.push(`${op} ${path} ${url.searchParams.get("user.name") ?? ""}`);
    const failure = hdfs.failWith({ op, path, index: operations.length - 1 });
    if (failure === "break") return void response.destroy();
    if (failure !== undefined) return reply(response, exceptionReply(failure));
    url.searchParams.set("datanode", "");
    const dataNodeUrl = `http://${request.headers.host}${url.pathname}${url.search}`;
    reply(response, respond(op, { nodes, path, query: url.searchParams, isAtDataNode, dataNodeUrl, body }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  const hdfs: TestHdfs = {
    address: `127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    nodes,
    operations,
    failWith: () => undefined,
    add(path, content) {
      makeDirectories(nodes, parentOf(path));
      put(nodes, path, { content, modifiedMs: Date.now() });
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return hdfs;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function reply(response: ServerResponse, { status, json, content, location }: HdfsReply): void {
  const headers = location === undefined ? {} : { location };
  if (json === undefined) response.writeHead(status, headers).end(content);
  else response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(json));
}

function exceptionReply({ status, exception, message }: Exclude<HdfsFailure, "break">): HdfsReply {
  return { status, json: { RemoteException: { exception, message } } };
}

function notFound(path: string): HdfsReply {
  const message = `File does not exist: ${path}`;
  return exceptionReply({ status: 404, exception: "FileNotFoundException", message });
}

function respond(op: string, call: HdfsCall): HdfsReply {
  switch (op) {
    case "CREATE":
      return create(call);
    case "OPEN":
      return open(call);
    case "MKDIRS":
      makeDirectories(call.nodes, call.path);
      return { status: 200, json: { boolean: true } };
    case "RENAME":
      return { status: 200, json: { boolean: rename(call) } };
    case "DELETE":
      return { status: 200, json: { boolean: remove(call.nodes, call.path) } };
    case "SETTIMES":
      return setTimes(call);
    case "GETFILESTATUS":
      return call.nodes.has(call.path)
        ? { status: 200, json: { FileStatus: statusOf(call.nodes, call.path, "") } }
        : notFound(call.path);
    case "LISTSTATUS":
      return list(call);
    default:
      return exceptionReply({ status: 400, exception: "IllegalArgumentException", message: `Invalid value ${op}` });
  }
}

function create({ nodes, path, query, isAtDataNode, dataNodeUrl, body }: HdfsCall): HdfsReply {
  if (!isAtDataNode) return redirect(query, dataNodeUrl);
  if (nodes.has(path) && (query.get("overwrite") !== "true" || nodes.get(path)?.content === undefined))
    return exceptionReply({ status: 403, exception: "FileAlreadyExistsException", message: `${path} already exists` });
  makeDirectories(nodes, parentOf(path));
  put(nodes, path, { content: body, modifiedMs: Date.now() });
  return { status: 201 };
}

function open({ nodes, path, query, isAtDataNode, dataNodeUrl }: HdfsCall): HdfsReply {
  const content = nodes.get(path)?.content;
  if (content === undefined) return notFound(path);
  if (!isAtDataNode) return redirect(query, dataNodeUrl);
  const offset = Number(query.get("offset") ?? 0);
  const end = query.has("length") ? offset + Number(query.get("length")) : content.length;
  return { status: 200, content: content.subarray(offset, end) };
}

function redirect(query: URLSearchParams, location: string): HdfsReply {
  return query.get("noredirect") === "true" ? { status: 200, json: { Location: location } } : { status: 307, location };
}

/** Renames as Hadoop's `rename` does: into an existing directory, and never over a file. */
function rename({ nodes, path, query }: HdfsCall): boolean {
  const destination = query.get("destination") ?? "";
  const isDirectory = nodes.has(destination) && nodes.get(destination)?.content === undefined;
  const target = isDirectory ? `${destination}/${path.split("/").at(-1)}` : destination;
  if (!nodes.has(path) || nodes.has(target) || !nodes.has(parentOf(target))) return false;
  for (const [name, node] of below(nodes, path)) {
    nodes.delete(name);
    nodes.set(`${target}${name.slice(path.length)}`, node);
  }
  changed(nodes, parentOf(path));
  changed(nodes, parentOf(target));
  return true;
}

function remove(nodes: Map<string, TestNode>, path: string): boolean {
  const found = below(nodes, path);
  for (const [name] of found) nodes.delete(name);
  if (found.length > 0) changed(nodes, parentOf(path));
  return found.length > 0;
}

function setTimes({ nodes, path, query }: HdfsCall): HdfsReply {
  const node = nodes.get(path);
  if (node === undefined) return notFound(path);
  node.modifiedMs = Number(query.get("modificationtime"));
  return { status: 200 };
}

function list({ nodes, path }: HdfsCall): HdfsReply {
  const node = nodes.get(path);
  if (node === undefined) return notFound(path);
  const children = [...nodes.keys()].filter((name) => name !== "/" && parentOf(name) === path);
  const statuses =
    node.content === undefined
      ? children.map((name) => statusOf(nodes, name, name.slice(path === "/" ? 1 : path.length + 1)))
      : [statusOf(nodes, path, "")];
  return { status: 200, json: { FileStatuses: { FileStatus: statuses } } };
}

function statusOf(nodes: Map<string, TestNode>, path: string, pathSuffix: string) {
  const { content, modifiedMs = 0 } = nodes.get(path) ?? {};
  const type = content === undefined ? "DIRECTORY" : "FILE";
  const length = content?.length ?? 0;
  return { pathSuffix, type, length, modificationTime: modifiedMs, permission: "700", owner: "test" };
}

function makeDirectories(nodes: Map<string, TestNode>, path: string): void {
  if (nodes.has(path)) return;
  makeDirectories(nodes, parentOf(path));
  put(nodes, path, { content: undefined, modifiedMs: Date.now() });
}

function put(nodes: Map<string, TestNode>, path: string, node: TestNode): void {
  nodes.set(path, node);
  changed(nodes, parentOf(path));
}

function changed(nodes: Map<string, TestNode>, directory: string): void {
  const node = nodes.get(directory);
  if (node !== undefined) node.modifiedMs = Date.now();
}

function below(nodes: Map<string, TestNode>, path: string): readonly (readonly [string, TestNode])[] {
  return [...nodes].filter(([name]) => name === path || name.startsWith(`${path}/`));
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
