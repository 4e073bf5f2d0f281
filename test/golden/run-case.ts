import { createHash } from "node:crypto";
import { runSparkSubmit } from "../../src/cli/commands/submit.ts";
import type { Host } from "../../src/host/host.ts";
import type { TestChild } from "../../src/host/test-children.ts";
import type { TestFile } from "../../src/host/test-files.ts";
import { testHost } from "../../src/host/test-host.ts";
import type { ApiRequest, ApiResponse } from "../../src/kube/transport.ts";
import { connect } from "../../src/kube-client/connect.ts";
import type { ConnectionOptions } from "../../src/kube-client/connection-options.ts";
import { type Scrub, scrubber } from "./normalize.ts";
import type { CaseFile, RecordedCase } from "./recorded-case.ts";
import { type RecordingApi, recordingApi } from "./recording-api.ts";
import { jar, zip } from "./zip.ts";

/** Working directory of a case, in memory. */
const dir = "/golden/case";
const port = "40404";
/** Placeholder texts for certificates, whose content does not matter. */
const certificates = { "ca.crt": "test-ca", "client.crt": "test-client", "client.key": "key of test-client" };

/** Observed behavior of Firesteel. */
export interface Observed {
  readonly exit: number;
  /** Standard error, then standard output; scrubbed. */
  readonly text: string;
  readonly api: RecordingApi;
  /** Files that were copied to the directory that pods share, sorted. */
  readonly uploads: readonly ObservedUpload[];
  /** Credentials of the requests: Authorization headers, else the certificate. */
  readonly auth: readonly string[];
  readonly scrub: Scrub;
}

/** Uploaded file. */
export interface ObservedUpload {
  /** Relative path, scrubbed. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** Runs a complete command line in memory, against an API that records the requests. */
export async function runCase({ case: kase }: RecordedCase<unknown>, version: string): Promise<Observed> {
  const fill = (text: string) =>
    text.replace(
      /\{\{([A-Z_]+)\}\}/g,
      (placeholder, name: string) => placeholders(kase.server?.tls === true)[name] ?? placeholder,
    );
  const host = testHost({
    argv: (kase.argv ?? []).map(fill),
    cwd: dir,
    env: environment(kase.env ?? {}, version, fill),
    files: files(kase.files ?? {}, fill),
    user: { name: "golden", home: `${dir}/home` },
    now: Date.now(),
    spawn: playPrograms(kase.files ?? {}),
  });
  const api = recordingApi(kase.server ?? {}, host.clock);
  const auth = new Set<string>();
  const transportOf =
    (options: ConnectionOptions) =>
    async (request: ApiRequest): Promise<ApiResponse> => {
      const problem = connectionProblem(options, kase.server?.tls === true);
      if (problem !== undefined) throw problem;
      const certificate = options.tls.certificate?.trim();
      auth.add(request.headers["authorization"] ?? (certificate === undefined ? "none" : `certificate ${certificate}`));
      const prefix = options.server.pathname.replace(/\/+$/, "");
      return api.transport({ ...request, path: `${prefix}${request.path}` });
    };
  const openClient = (clientHost: Host, options: Parameters<typeof connect>[1]) =>
    connect(clientHost, options, async (connection) => ({
      transport: transportOf(connection),
      close: () => {},
    }));
  const exit = await host.settle(runSparkSubmit(host, openClient));
  const names = [...api.objects(), ...api.requests.flatMap(({ text }) => (text === "" ? [] : [parseNamed(text)]))]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ metadata }) => metadata?.name ?? "");
  const scrub = scrubber({ dir, port, names });
  return {
    exit,
    text: scrub(`${host.errorText()}\n${host.outText()}`),
    uploads: uploadsIn(host.files, scrub),
    api,
    auth: [...auth].sort(),
    scrub,
  };
}

function uploadsIn({ list, readBytes }: Host["files"], scrub: Scrub): readonly ObservedUpload[] {
  const shared = `${dir}/shared`;
  const walk = (path: string): ObservedUpload[] =>
    (list(path) ?? []).flatMap((name) => {
      const below = `${path}/${name}`;
      if (list(below) !== undefined) return walk(below);
      const bytes = readBytes(below) ?? new Uint8Array();
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return [{ path: scrub(below.slice(shared.length + 1)), size: bytes.length, sha256 }];
    });
  return walk(shared).sort((a, b) => (a.path + a.sha256 < b.path + b.sha256 ? -1 : 1));
}

function placeholders(tls: boolean): Readonly<Record<string, string>> {
  const base64 = (name: keyof typeof certificates) => Buffer.from(certificates[name]).toString("base64");
  return {
    DIR: dir,
    PORT: port,
    API: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    CA_DATA: base64("ca.crt"),
    CLIENT_CERT_DATA: base64("client.crt"),
    CLIENT_KEY_DATA: base64("client.key"),
  };
}

function environment(
  variables: Readonly<Record<string, string | null>>,
  version: string,
  fill: (text: string) => string,
): Record<string, string> {
  const env: Record<string, string> = {
    PATH: "/usr/bin",
    HOME: `${dir}/home`,
    KUBECONFIG: `${dir}/no-kubeconfig`,
    SPARK_CONF_DIR: `${dir}/conf`,
    SPARK_USER: "golden",
    TZ: "UTC",
    LC_ALL: "C.UTF-8",
    FIRESTEEL_STRICT: "1",
    FIRESTEEL_SPARK_VERSION: version,
  };
  for (const [name, value] of Object.entries(variables)) {
    if (value === null) delete env[name];
    else env[name] = fill(value);
  }
  return env;
}

function files(contents: Readonly<Record<string, CaseFile>>, fill: (text: string) => string): Record<string, TestFile> {
  const directories = ["home", "conf", "shared", "tmp"].map((name): [string, TestFile] => [`${dir}/${name}`, null]);
  // A directory below a file cannot be created.
  const system: [string, TestFile][] = [["/proc", ""]];
  const own = Object.entries(contents).map(([name, content]): [string, TestFile] => {
    const path = fill(name);
    return [path.startsWith("/") ? path : `${dir}/${path}`, testFile(content, fill)];
  });
  return Object.fromEntries([...directories, ...system, ...own]);
}

function testFile(content: CaseFile, fill: (text: string) => string): TestFile {
  if (content === null) return null;
  if (typeof content === "string") return fill(content);
  if ("dir" in content) return null;
  if ("base64" in content) return Buffer.from(content.base64, "base64");
  if ("repeat" in content) return content.repeat[0].repeat(content.repeat[1]);
  if ("link" in content) return { link: fill(content.link) };
  if ("script" in content) return { content: fill(content.script), mode: 0o755 };
  if ("tls" in content) return Object.entries(certificates).find(([name]) => name === content.tls)?.[1] ?? "";
  if ("jar" in content) return jar(content.jar.mainClass, content.jar.entries);
  if ("zip" in content) return zip(content.zip);
  // The application of the recordings, whose jar has no main class.
  return "from" in content ? jar(undefined) : "";
}

/** Emulates the scripts of a case and bash. */
function playPrograms(files: Readonly<Record<string, CaseFile>>) {
  const bash = playBash(files);
  return (child: TestChild): "missing" | undefined => {
    const file = child.command.startsWith(`${dir}/`) ? files[child.command.slice(dir.length + 1)] : undefined;
    if (typeof file !== "object" || file === null || !("script" in file)) return bash(child);
    playScript(file.script, child);
    return undefined;
  };
}

/** Emulates `echo` and `exit` of a script. */
function playScript(script: string, child: TestChild): void {
  for (const [, quoted, plain = "", toError] of script.matchAll(/^echo (?:'([^']*)'|(\S+))( >&2)?$/gm)) {
    child.write(toError === undefined ? 1 : 2, `${quoted ?? plain}\n`);
  }
  child.exit(Number(/^exit (\d+)$/m.exec(script)?.[1] ?? 0));
}

/** Emulates a bash that reads `spark-env.sh`, which contains only assignments. */
function playBash({ "conf/spark-env.sh": script }: Readonly<Record<string, CaseFile>>) {
  const assigned = [...(typeof script === "string" ? script : "").matchAll(/^(?:export )?(\w+)=(.*)$/gm)];
  return (child: TestChild): "missing" | undefined => {
    if (child.command !== "bash") return "missing";
    const variables = {
      ...child.options.env,
      ...Object.fromEntries(assigned.map(([, name, value]) => [name, value])),
    };
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\0`);
    child.write(3, lines.join(""));
    child.exit(0);
    return undefined;
  };
}

/** Returns the error of a socket that cannot reach the server. */
function connectionProblem({ server, proxy, tls }: ConnectionOptions, isEncrypted: boolean): Error | undefined {
  const isReached = server.port === port || proxy?.port === port;
  if (!isReached) return fault("ECONNREFUSED", `connect ECONNREFUSED ${server.hostname}:${server.port}`);
  if ((server.protocol === "https:") !== isEncrypted) return fault("EPROTO", "write EPROTO: wrong version number");
  if (!isEncrypted || tls.trustsAll || tls.authority !== undefined) return undefined;
  return fault("SELF_SIGNED_CERT_IN_CHAIN", "self-signed certificate in certificate chain");
}

/** Builds an error of a socket. */
function fault(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Kubernetes object, as far as the scrubber reads it. */
interface Named {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
}

function parseNamed(text: string): Named {
  return JSON.parse(text);
}

/** Ranks objects by how reliably their name contains the resource prefix: the pod, then the service. */
function rank({ kind }: Named): number {
  return ["Pod", "Service"].indexOf(kind ?? "") >>> 0;
}
