import { isSubmitError, messageOf, submitError } from "../errors/submit-error.ts";
import { type FilePart, fileChunks } from "../host/file-chunks.ts";
import type { Host } from "../host/host.ts";
import { type HttpConnections, httpConnections } from "../net/http-connections.ts";
import { type DelegationToken, printTokenText } from "../values/delegation-token.ts";
import { type Fields, isFields } from "../values/fields.ts";
import {
  type CallHadoop,
  type HadoopCall,
  type HadoopResponse,
  type HadoopUser,
  hadoopCalls,
  isBusy,
  jsonOf,
  rejectionError,
  urlOf,
} from "./hadoop-call.ts";
import type { HdfsAddress } from "./name-nodes.ts";

/** Status of a path in HDFS. */
export interface HdfsStatus {
  readonly kind: "file" | "directory";
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** In octal, e.g. `644`. */
  readonly permission: string;
  readonly owner: string;
}

/** Entry of a directory. */
interface HdfsEntry extends HdfsStatus {
  readonly name: string;
}

/** Content that is generated while it is sent, again for each attempt. */
export interface StreamedContent {
  readonly sizeBytes: number;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** File to write, from a local file, from memory, or from a stream. */
export interface HdfsUpload {
  readonly path: string;
  readonly content: Uint8Array | FilePart | StreamedContent;
  /** In octal. @default "644" */
  readonly permission?: string;
  /** @default the cluster's */
  readonly replication?: number | undefined;
}

/**
 * HDFS client through WebHDFS. Paths are absolute and not escaped: `/user/ann/a b.jar`.
 *
 * All reject with SUBMIT_ERR_HADOOP_REJECTED, SUBMIT_ERR_HADOOP_UNREACHABLE and SUBMIT_ERR_HADOOP_SECURED; `create` also with
 * SUBMIT_ERR_STAGED_FILE_CHANGED.
 */
export interface WebHdfs {
  /** Prefix of its files' URIs, e.g. `hdfs://nameservice1`. */
  readonly uri: string;
  readonly homeDirectory: () => Promise<string>;
  /** `undefined` when the path does not exist. */
  readonly status: (path: string) => Promise<HdfsStatus | undefined>;
  /** Lists a directory, sorted by name. `undefined` when it does not exist. */
  readonly list: (path: string) => Promise<readonly HdfsEntry[] | undefined>;
  /** Creates a directory with its parents. Succeeds when it exists. */
  readonly makeDirectory: (path: string, permission: string) => Promise<void>;
  /** Writes a file and replaces an existing one. */
  readonly create: (upload: HdfsUpload) => Promise<void>;
  /**
   * Returns the URLs of a file's content, one for each NameNode, of which one is active. They contain the token, else the user's name.
   */
  readonly contentUrls: (path: string, token?: DelegationToken) => readonly string[];
  /**
   * Opens a file at an offset in bytes; `undefined` when it does not exist. Close it, unless its body was read to the end.
   *
   * The body rejects with Node's error when the connection fails.
   */
  readonly open: (path: string, part?: { readonly offset: number }) => Promise<OpenedFile | undefined>;
  /** Renames a path, into an existing directory of this name. Returns false when the target exists, or its directory does not. */
  readonly rename: (path: string, target: string) => Promise<boolean>;
  /** Sets the modification time, in ms since 1970. Returns false when the path does not exist. */
  readonly setModified: (path: string, modifiedMs: number) => Promise<boolean>;
  readonly setPermission: (path: string, permission: string) => Promise<void>;
  /** Removes a path with everything below it. Returns false when it did not exist. */
  readonly remove: (path: string) => Promise<boolean>;
  readonly close: () => void;
}

/** Content of a file that arrives from a DataNode. */
interface OpenedFile {
  readonly body: AsyncIterable<Uint8Array>;
  readonly close: () => void;
}

/** Address, user and limits of an HDFS client. */
interface WebHdfsChoice {
  readonly address: HdfsAddress;
  readonly user: HadoopUser;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** @default a pool of its own, which `close` closes */
  readonly connections?: HttpConnections;
}

/** Opens an HDFS. Sends no request yet. */
export function openWebHdfs(host: Host, choice: WebHdfsChoice): WebHdfs {
  const { address, user, signal, timeoutMs } = choice;
  const connections = choice.connections ?? httpConnections({ clock: host.clock });
  const { servers, uri } = address;
  const calling = { host, connections, servers, user, signal, timeoutMs, proxyParameter: "doas" } as const;
  const hdfs = { host, connections, signal, uri, call: hadoopCalls(calling), server: servers[0] ?? uri };
  return {
    uri,
    async homeDirectory() {
      const what = "return the home directory of the user below";
      const home = await fetchJson(hdfs, { method: "GET", op: "GETHOMEDIRECTORY", path: "/", what });
      return textIn(home, "Path") ?? `/user/${user.name}`;
    },
    status: (path) => fetchStatus(hdfs, path),
    list: (path) => fetchList(hdfs, path),
    async makeDirectory(path, permission) {
      await fetchJson(hdfs, { method: "PUT", op: "MKDIRS", path, query: { permission }, what: "make" });
    },
    create: (upload) => create(hdfs, upload),
    contentUrls(path, token) {
      const delegation = token === undefined ? {} : { delegation: printTokenText(token) };
      // A token belongs to its user, also to one that `user` acts for.
      const owner = token === undefined ? user : ({ name: user.name, authentication: "kerberos" } as const);
      const query = { op: "OPEN", ...delegation };
      return servers.map((server) => urlOf(server, { ...calling, user: owner }, { path: routeTo(path), query }).href);
    },
    open: (path, { offset } = { offset: 0 }) => openFile(hdfs, path, offset),
    async rename(path, target) {
      const query = { destination: target };
      const operation = { method: "PUT", op: "RENAME", path, query, what: "rename", accepted: [404] } as const;
      const response = await callOperation(hdfs, operation);
      if (response.status === 404) return false;
      const renamed = jsonOf(response, { server: hdfs.server, what: operation.what, of: hdfs.uri + path });
      return isFields(renamed) && renamed["boolean"] === true;
    },
    async setModified(path, modifiedMs) {
      const query = { modificationtime: modifiedMs };
      const what = "change the modification time of";
      const operation = { method: "PUT", op: "SETTIMES", path, query, what, accepted: [404] } as const;
      return (await callOperation(hdfs, operation)).status !== 404;
    },
    async setPermission(path, permission) {
      const what = "change the permission of";
      await callOperation(hdfs, { method: "PUT", op: "SETPERMISSION", path, query: { permission }, what });
    },
    async remove(path) {
      const operation = {
        method: "DELETE",
        op: "DELETE",
        path,
        query: { recursive: true },
        what: "remove",
      } as const;
      const removed = await fetchJson(hdfs, operation);
      return isFields(removed) && removed["boolean"] === true;
    },
    close: () => {
      if (choice.connections === undefined) connections.close();
    },
  };
}

interface Hdfs {
  readonly host: Host;
  readonly connections: HttpConnections;
  readonly signal: AbortSignal | undefined;
  readonly uri: string;
  readonly call: CallHadoop;
  /** For messages about responses. */
  readonly server: string;
}

/** Operation of WebHDFS. */
interface Operation {
  readonly method: HadoopCall["method"];
  readonly op: string;
  readonly path: string;
  /** For messages: `remove`. */
  readonly what: string;
  readonly query?: HadoopCall["query"];
  readonly accepted?: readonly number[];
}

function callOperation(
  { call, uri }: Hdfs,
  { method, op, path, what, query, accepted = [] }: Operation,
): Promise<HadoopResponse> {
  return call({ method, what, of: uri + path, path: routeTo(path), query: { op, ...query }, accepted });
}

async function fetchJson(hdfs: Hdfs, operation: Operation): Promise<unknown> {
  return jsonOf(await callOperation(hdfs, operation), {
    server: hdfs.server,
    what: operation.what,
    of: hdfs.uri + operation.path,
  });
}

function routeTo(path: string): string {
  return `/webhdfs/v1${path.split("/").map(encodeURIComponent).join("/")}`;
}

async function fetchStatus(hdfs: Hdfs, path: string): Promise<HdfsStatus | undefined> {
  const found = await fetchMember(hdfs, { op: "GETFILESTATUS", path, member: "FileStatus" });
  return found === undefined ? undefined : statusIn(found);
}

async function fetchList(hdfs: Hdfs, path: string): Promise<readonly HdfsEntry[] | undefined> {
  const found = await fetchMember(hdfs, { op: "LISTSTATUS", path, member: "FileStatuses" });
  const list = found?.["FileStatus"];
  if (!Array.isArray(list)) return undefined;
  const entries = list.filter(isFields).map((status) => ({
    ...statusIn(status),
    name: textIn(status, "pathSuffix") ?? "",
  }));
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Fetches a member of the response. `undefined` when the path does not exist. */
async function fetchMember(
  hdfs: Hdfs,
  { op, path, member }: { readonly op: string; readonly path: string; readonly member: string },
): Promise<Fields | undefined> {
  const operation = { method: "GET", op, path, what: "read the status of", accepted: [404] } as const;
  const response = await callOperation(hdfs, operation);
  if (response.status === 404) return undefined;
  const origin = { server: hdfs.server, what: operation.what, of: hdfs.uri + path };
  const value = jsonOf(response, origin);
  const found = isFields(value) ? value[member] : undefined;
  if (isFields(found)) return found;
  const message = `the response has no ${member}`;
  throw submitError("SUBMIT_ERR_HADOOP_REJECTED", { ...origin, exception: `no ${member}`, message });
}

function statusIn(status: Fields): HdfsStatus {
  return {
    kind: status["type"] === "DIRECTORY" ? "directory" : "file",
    sizeBytes: Number(status["length"]),
    modifiedMs: Number(status["modificationTime"]),
    permission: textIn(status, "permission") ?? "000",
    owner: textIn(status, "owner") ?? "",
  };
}

function textIn(value: unknown, name: string): string | undefined {
  const member = isFields(value) ? value[name] : undefined;
  return typeof member === "string" ? member : undefined;
}

const maxDataNodes = 4;

/** Writes a file to the DataNode that the NameNode names. A failed DataNode is excluded from the next attempt. */
async function create(hdfs: Hdfs, upload: HdfsUpload): Promise<void> {
  const { path, permission = "644", replication } = upload;
  const query = { overwrite: true, permission, ...(replication === undefined ? {} : { replication }) };
  const operation = { method: "PUT", op: "CREATE", path, what: "write", query } as const;
  await atDataNode(hdfs, operation, (location) => sendContent(hdfs, upload, location));
}

async function openFile(hdfs: Hdfs, path: string, offset: number): Promise<OpenedFile | undefined> {
  const operation = { method: "GET", op: "OPEN", path, what: "read", query: { offset } } as const;
  return atDataNode(hdfs, operation, async (url) => {
    const { connections, signal, uri } = hdfs;
    const response = await connections.send({ method: "GET", url, signal });
    if (response.status === 200) return response;
    if (isBusy(response.status)) {
      response.close();
      throw new Error(`${url.origin} responded with HTTP ${response.status}`);
    }
    const error = await rejectionError(response, { server: url.origin, what: "read", of: uri + path });
    // The file was removed after the NameNode had named the DataNode.
    if (response.status === 404) return undefined;
    throw error;
  });
}

/** Performs an operation at the DataNode that the NameNode names; `undefined` when the path does not exist. */
async function atDataNode<T>(
  hdfs: Hdfs,
  operation: Operation,
  work: (location: URL) => Promise<T>,
): Promise<T | undefined> {
  const excluded: string[] = [];
  while (true) {
    const location = await fetchDataNodeLocation(hdfs, operation, excluded);
    if (location === undefined) return undefined;
    try {
      return await work(location);
    } catch (error) {
      hdfs.signal?.throwIfAborted();
      if (isSubmitError(error)) throw error;
      excluded.push(location.host);
      if (excluded.length === maxDataNodes)
        throw submitError(
          "SUBMIT_ERR_HADOOP_UNREACHABLE",
          {
            servers: excluded.join(", "),
            what: operation.what,
            of: hdfs.uri + operation.path,
            reason: messageOf(error),
          },
          { cause: error },
        );
    }
  }
}

async function fetchDataNodeLocation(
  hdfs: Hdfs,
  operation: Operation,
  excluded: readonly string[],
): Promise<URL | undefined> {
  const query = {
    ...{ ...operation.query, noredirect: true },
    ...(excluded.length === 0 ? {} : { excludedatanodes: excluded.join(",") }),
  };
  const accepted = operation.method === "GET" ? [307, 404] : [307];
  const response = await callOperation(hdfs, { ...operation, query, accepted });
  if (response.status === 404) return undefined;
  const origin = { server: hdfs.server, what: operation.what, of: hdfs.uri + operation.path };
  // NameNodes before Hadoop 2.8 ignore `noredirect`.
  const redirect = response.headers.location;
  const location = redirect ?? textIn(jsonOf(response, origin), "Location");
  const target = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
  // The content may hold secrets. A cluster with encryption uses it everywhere.
  const isOpen = hdfs.server.startsWith("https:") && target?.protocol !== "https:";
  if (target !== undefined && !isOpen && /^https?:$/.test(target.protocol)) return target;
  const message =
    target !== undefined && isOpen
      ? `it named a DataNode without encryption: ${target.origin}`
      : `it named no DataNode to ${operation.what} it`;
  throw submitError("SUBMIT_ERR_HADOOP_REJECTED", { ...origin, exception: "no Location", message });
}

async function sendContent({ host, connections, signal, uri }: Hdfs, upload: HdfsUpload, url: URL): Promise<void> {
  const { path } = upload;
  const { sizeBytes, body } = bodyOf(host, upload.content);
  const response = await connections.send({
    method: "PUT",
    url,
    headers: {
      "content-type": "application/octet-stream",
      "content-length": sizeBytes,
      "x-xsrf-header": "firesteel",
    },
    body,
    signal,
  });
  if (isBusy(response.status)) {
    response.close();
    throw new Error(`${url.origin} responded with HTTP ${response.status}`);
  }
  if (response.status < 200 || response.status > 299)
    throw await rejectionError(response, { server: url.origin, what: "write", of: uri + path });
  response.close();
}

function bodyOf({ files }: Host, content: HdfsUpload["content"]) {
  if (content instanceof Uint8Array) return { sizeBytes: content.length, body: content };
  if ("chunks" in content) return { sizeBytes: content.sizeBytes, body: content.chunks() };
  return { sizeBytes: content.size, body: fileChunks(files, content) };
}
