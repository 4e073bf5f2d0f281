import { isSubmitError, messageOf, submitError } from "../errors/submit-error.ts";
import { type FilePart, fileChunks } from "../host/file-chunks.ts";
import type { Host } from "../host/host.ts";
import { type HttpConnections, httpConnections } from "../host/http-exchange.ts";
import { type Fields, isFields } from "../values/fields.ts";
import {
  type CallHadoop,
  type HadoopAnswer,
  type HadoopCall,
  type HadoopUser,
  hadoopCalls,
  isBusy,
  jsonOf,
  refusalOf,
} from "./hadoop-call.ts";
import type { HdfsAddress } from "./name-nodes.ts";

/** What HDFS tells of a path. */
export interface HdfsStatus {
  readonly kind: "file" | "directory";
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** In octal, e.g. `644`. */
  readonly permission: string;
  readonly owner: string;
}

/** One name of a directory. */
export interface HdfsEntry extends HdfsStatus {
  readonly name: string;
}

/** Content that is made while it is sent, as often as it must be. */
export interface StreamedContent {
  readonly sizeBytes: number;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** A file to be written, from this machine, from memory, or as it is made. */
export interface HdfsUpload {
  readonly path: string;
  readonly content: Uint8Array | FilePart | StreamedContent;
  /** In octal. @default "644" */
  readonly permission?: string;
  /** @default the cluster's */
  readonly replication?: number | undefined;
}

/**
 * An HDFS by its WebHDFS. Paths are absolute and not escaped: `/user/ann/a b.jar`.
 *
 * All reject with SUBMIT_ERR_HADOOP_REFUSED, SUBMIT_ERR_HADOOP_UNREACHABLE and SUBMIT_ERR_HADOOP_SECURED; `create` also with
 * SUBMIT_ERR_STAGED_FILE_CHANGED.
 */
export interface WebHdfs {
  /** What URIs of its files begin with, e.g. `hdfs://nameservice1`. */
  readonly uri: string;
  readonly homeDirectory: () => Promise<string>;
  /** `undefined` where nothing is. */
  readonly status: (path: string) => Promise<HdfsStatus | undefined>;
  /** Names in a directory, sorted, and what they are; `undefined` where none is. */
  readonly list: (path: string) => Promise<readonly HdfsEntry[] | undefined>;
  /** With parents; fine when it exists. */
  readonly makeDirectory: (path: string, permission: string) => Promise<void>;
  /** Writes a file, over one that is there. */
  readonly create: (upload: HdfsUpload) => Promise<void>;
  readonly setPermission: (path: string, permission: string) => Promise<void>;
  /** With everything below. False where nothing was. */
  readonly remove: (path: string) => Promise<boolean>;
  readonly close: () => void;
}

/** How an HDFS is reached, and as whom. */
export interface WebHdfsChoice {
  readonly address: HdfsAddress;
  readonly user: HadoopUser;
  readonly signal?: AbortSignal | undefined;
  readonly patienceMs?: number | undefined;
  /** @default connections of its own, which `close` closes */
  readonly connections?: HttpConnections;
}

/** Opens an HDFS; nothing is asked yet. */
export function openWebHdfs(host: Host, choice: WebHdfsChoice): WebHdfs {
  const { address, user, signal, patienceMs } = choice;
  const connections = choice.connections ?? httpConnections({ clock: host.clock });
  const { servers, uri } = address;
  const calling = { host, connections, servers, user, signal, patienceMs, proxyParameter: "doas" } as const;
  const hdfs = { host, connections, signal, uri, call: hadoopCalls(calling), server: servers[0] ?? uri };
  return {
    uri,
    async homeDirectory() {
      const what = "tell the home directory of its user below";
      const home = await askForJson(hdfs, { method: "GET", op: "GETHOMEDIRECTORY", path: "/", what });
      return textIn(home, "Path") ?? `/user/${user.name}`;
    },
    status: (path) => fetchStatus(hdfs, path),
    list: (path) => fetchList(hdfs, path),
    async makeDirectory(path, permission) {
      await askForJson(hdfs, { method: "PUT", op: "MKDIRS", path, query: { permission }, what: "make" });
    },
    create: (upload) => create(hdfs, upload),
    async setPermission(path, permission) {
      const what = "change the permission of";
      await ask(hdfs, { method: "PUT", op: "SETPERMISSION", path, query: { permission }, what });
    },
    async remove(path) {
      const wanted = {
        method: "DELETE",
        op: "DELETE",
        path,
        query: { recursive: true },
        what: "remove",
      } as const;
      const removed = await askForJson(hdfs, wanted);
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
  /** For messages about answers. */
  readonly server: string;
}

/** One operation of WebHDFS. */
interface Asked {
  readonly method: HadoopCall["method"];
  readonly op: string;
  readonly path: string;
  /** For messages: `remove`. */
  readonly what: string;
  readonly query?: HadoopCall["query"];
  readonly accepted?: readonly number[];
}

function ask(
  { call, uri }: Hdfs,
  { method, op, path, what, query, accepted = [] }: Asked,
): Promise<HadoopAnswer> {
  return call({ method, what, of: uri + path, path: routeTo(path), query: { op, ...query }, accepted });
}

async function askForJson(hdfs: Hdfs, asked: Asked): Promise<unknown> {
  return jsonOf(await ask(hdfs, asked), { server: hdfs.server, what: asked.what, of: hdfs.uri + asked.path });
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

/** A member of the answer; `undefined` where nothing is at the path. */
async function fetchMember(
  hdfs: Hdfs,
  { op, path, member }: { readonly op: string; readonly path: string; readonly member: string },
): Promise<Fields | undefined> {
  const asked = { method: "GET", op, path, what: "look at", accepted: [404] } as const;
  const answer = await ask(hdfs, asked);
  if (answer.status === 404) return undefined;
  const origin = { server: hdfs.server, what: asked.what, of: hdfs.uri + path };
  const value = jsonOf(answer, origin);
  const found = isFields(value) ? value[member] : undefined;
  if (isFields(found)) return found;
  const message = `it answered no ${member}`;
  throw submitError("SUBMIT_ERR_HADOOP_REFUSED", { ...origin, exception: `no ${member}`, message });
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

const mostDataNodes = 4;

/** The NameNode tells a DataNode, which takes the content. One that fails is left out the next time. */
async function create(hdfs: Hdfs, upload: HdfsUpload): Promise<void> {
  const excluded: string[] = [];
  while (true) {
    const location = await placeFor(hdfs, upload, excluded);
    try {
      return await sendContent(hdfs, upload, location);
    } catch (error) {
      hdfs.signal?.throwIfAborted();
      if (isSubmitError(error)) throw error;
      excluded.push(location.host);
      if (excluded.length === mostDataNodes)
        throw submitError(
          "SUBMIT_ERR_HADOOP_UNREACHABLE",
          {
            servers: excluded.join(", "),
            what: "write",
            of: hdfs.uri + upload.path,
            reason: messageOf(error),
          },
          { cause: error },
        );
    }
  }
}

async function placeFor(
  hdfs: Hdfs,
  { path, permission = "644", replication }: HdfsUpload,
  excluded: readonly string[],
): Promise<URL> {
  const query = {
    ...{ overwrite: true, permission, noredirect: true },
    ...(replication === undefined ? {} : { replication }),
    ...(excluded.length === 0 ? {} : { excludedatanodes: excluded.join(",") }),
  };
  const asked = { method: "PUT", op: "CREATE", path, what: "write", query, accepted: [307] } as const;
  const answer = await ask(hdfs, asked);
  const origin = { server: hdfs.server, what: "write", of: hdfs.uri + path };
  // NameNodes before Hadoop 2.8 know no `noredirect`.
  const redirect = answer.headers.location;
  const location = redirect ?? textIn(jsonOf(answer, origin), "Location");
  const place = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
  // What goes there may hold secrets; a cluster that encrypts does so everywhere.
  const isOpen = hdfs.server.startsWith("https:") && place?.protocol !== "https:";
  if (place !== undefined && !isOpen && /^https?:$/.test(place.protocol)) return place;
  const message =
    place !== undefined && isOpen
      ? `it named a DataNode without encryption: ${place.origin}`
      : "it named no DataNode to write to";
  throw submitError("SUBMIT_ERR_HADOOP_REFUSED", { ...origin, exception: "no Location", message });
}

async function sendContent(
  { host, connections, signal, uri }: Hdfs,
  upload: HdfsUpload,
  url: URL,
): Promise<void> {
  const { path } = upload;
  const { sizeBytes, body } = bodyOf(host, upload.content);
  const answer = await connections.send({
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
  if (isBusy(answer.status)) {
    answer.close();
    throw new Error(`${url.origin} answered HTTP ${answer.status}`);
  }
  if (answer.status < 200 || answer.status > 299)
    throw await refusalOf(answer, { server: url.origin, what: "write", of: uri + path });
  answer.close();
}

function bodyOf({ files }: Host, content: HdfsUpload["content"]) {
  if (content instanceof Uint8Array) return { sizeBytes: content.length, body: content };
  if ("chunks" in content) return { sizeBytes: content.sizeBytes, body: content.chunks() };
  return { sizeBytes: content.size, body: fileChunks(files, content) };
}
