import { type TestRequest, type TestResponse, type TestWeb, testWeb } from "../../hadoop/test-web.ts";
import { isFields } from "../../values/fields.ts";

/** In-memory cluster with its HDFS and applications. */
interface TestYarn extends TestWeb {
  /** Content by path. Directories are entries with a trailing slash. */
  readonly files: Map<string, Uint8Array>;
  /** Submitted request bodies. */
  readonly submitted: unknown[];
  readonly killed: string[];
}

/** Options of the test cluster. */
export interface TestYarnOptions {
  /** Reports of the ResourceManager about an application, in order. The last one is repeated. */
  readonly reports?: readonly Readonly<Record<string, unknown>>[];
  readonly files?: Readonly<Record<string, string>>;
  /** In MiB. @default 4096 */
  readonly maximumMiB?: number;
  /** Overrides the cluster's response if it returns one. */
  readonly instead?: (request: TestRequest) => TestResponse | undefined;
}

/** Hadoop configuration of the test cluster. */
export const testYarnSite = {
  "fs.defaultFS": "hdfs://nn:8020",
  "yarn.resourcemanager.hostname": "rm",
} as const;

const appId = "application_1_0001";
const succeeded = { state: "FINISHED", finalStatus: "SUCCEEDED" };

/** Starts an empty cluster. */
export function testYarn({
  reports = [{ state: "ACCEPTED" }, succeeded],
  files: initialFiles = {},
  maximumMiB = 4096,
  instead = () => undefined,
}: TestYarnOptions = {}): TestYarn {
  const files = new Map(Object.entries(initialFiles).map(([path, text]) => [path, Buffer.from(text)]));
  const submitted: unknown[] = [];
  const killed: string[] = [];
  let reported = 0;
  const resourceManager = ({ method, url, body }: TestRequest): TestResponse => {
    const path = url.pathname.replace("/ws/v1/cluster/apps", "");
    if (path === "/new-application")
      return { json: { "application-id": appId, "maximum-resource-capability": { memory: maximumMiB } } };
    const value: unknown = body.length > 0 ? JSON.parse(Buffer.from(body).toString()) : undefined;
    if (path === "" && method === "POST") {
      submitted.push(value);
      return { status: 202 };
    }
    if (path.endsWith("/state")) {
      killed.push(path.split("/")[1] ?? "");
      return { json: { state: "KILLED" } };
    }
    if (path !== `/${appId}`)
      return { status: 404, json: { RemoteException: { exception: "NotFoundException", message: "none" } } };
    const report = reports[Math.min(reported, reports.length - 1)];
    reported += 1;
    return { json: { app: { id: appId, user: "ann", queue: "root.default", startedTime: 5, ...report } } };
  };
  const web = testWeb((request) => {
    const override = instead(request);
    if (override !== undefined) return override;
    return request.url.hostname === "rm" ? resourceManager(request) : respondAsHdfs(request, files);
  });
  return { ...web, files, submitted, killed };
}

function respondAsHdfs({ method, url, body }: TestRequest, files: Map<string, Uint8Array>): TestResponse {
  const path = decodeURIComponent(url.pathname.replace("/webhdfs/v1", ""));
  if (url.hostname === "dn") {
    files.set(path, body);
    return { status: 201 };
  }
  const op = `${method} ${url.searchParams.get("op")}`;
  switch (op) {
    case "GET GETHOMEDIRECTORY":
      return { json: { Path: `/user/${url.searchParams.get("doas") ?? url.searchParams.get("user.name")}` } };
    case "PUT MKDIRS":
      return { json: { boolean: true } };
    case "PUT CREATE":
      return { json: { Location: `http://dn:9864/webhdfs/v1${url.pathname.replace("/webhdfs/v1", "")}` } };
    case "GET GETFILESTATUS":
      return statusOf(path, files);
    case "GET LISTSTATUS":
      return listOf(path, files);
    case "DELETE DELETE": {
      const below = [...files.keys()].filter((name) => name === path || name.startsWith(`${path}/`));
      for (const name of below) files.delete(name);
      return { json: { boolean: below.length > 0 } };
    }
    default:
      return { status: 400, json: { RemoteException: { exception: "Unknown", message: op } } };
  }
}

function statusOf(path: string, files: ReadonlyMap<string, Uint8Array>): TestResponse {
  const isDirectory = path === "/" || [...files.keys()].some((name) => name.startsWith(`${path}/`));
  const bytes = files.get(path);
  if (bytes === undefined && !isDirectory) return { status: 404 };
  const isOpen = path === "/" || path.startsWith("/shared");
  const kind =
    bytes === undefined
      ? { type: "DIRECTORY", length: 0, permission: isOpen ? "755" : "700" }
      : { type: "FILE", length: bytes.length, permission: "644" };
  return { json: { FileStatus: { ...kind, modificationTime: 7, owner: "ann" } } };
}

function listOf(path: string, files: ReadonlyMap<string, Uint8Array>): TestResponse {
  const base = path.replace(/\/$/, "");
  const names = [...files.keys()].flatMap((name) => (name.startsWith(`${base}/`) ? [name.slice(base.length + 1)] : []));
  const entries = new Map(names.map((name) => [name.split("/")[0] ?? "", name.includes("/")]));
  const list = [...entries].map(([pathSuffix, isDirectory]) => ({
    ...{ pathSuffix, type: isDirectory ? "DIRECTORY" : "FILE", length: 1, modificationTime: 7 },
  }));
  return list.length === 0 ? { status: 404 } : { json: { FileStatuses: { FileStatus: list } } };
}

/** Returns a member of a submitted body by its path. Pairs of a map count as members. */
export function memberOf(value: unknown, ...names: readonly string[]): unknown {
  let member = value;
  for (const name of names) {
    if (!isFields(member)) return undefined;
    const pairs = member["entry"];
    const found = Array.isArray(pairs) ? pairs.find((pair) => isFields(pair) && pair["key"] === name) : undefined;
    member = Array.isArray(pairs) ? (isFields(found) ? found["value"] : undefined) : member[name];
  }
  return member;
}
