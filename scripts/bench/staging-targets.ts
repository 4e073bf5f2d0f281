import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

const program = resolve("dist/bin/firesteel.cjs");

/** A file server in a process of its own. */
export interface FileServer {
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** A file to send. */
export interface SentFile {
  readonly path: string;
  /** SHA-256 in hex. */
  readonly hex: string;
  readonly size: number;
}

/** A kind of server. */
export interface Target {
  readonly name: string;
  readonly start: (directory: string) => Promise<FileServer>;
  /** Sends a file with curl and waits until it is stored. @returns curl's arguments to read it */
  readonly put: (port: number, file: SentFile) => Promise<readonly string[]>;
}

/** Starts a Node program that prints `started on port N.` on stderr. */
export async function startFileServer(args: readonly string[], directory: string): Promise<FileServer> {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: directory, KUBECONFIG: join(directory, "no-kubeconfig") };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const port = await new Promise<number>((resolvePort, reject) => {
    let output = "";
    child.stderr.on("data", (chunk) => {
      output += chunk;
      const found = /started on port (\d+)\./.exec(output)?.[1];
      if (found !== undefined) resolvePort(Number(found));
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`The server ended: ${output}`)));
  });
  return served(child, port);
}

/** Builds the arguments of node for a staging server with its store in a directory. */
export function stagingServerArgs(store: string, ...more: readonly string[]): readonly string[] {
  const options = ["--store", store, "--host", "127.0.0.1", "--port", "0"];
  return ["--use-openssl-ca", program, "staging-server", ...options, "--auth", "none", ...more];
}

/** Firesteel's staging server. */
export const stagingServer: Target = {
  name: "staging server",
  start: (directory) => startFileServer(stagingServerArgs(join(directory, "store"), "--owners", "none"), directory),
  async put(port, { path, hex, size }) {
    const root = `http://127.0.0.1:${port}/api/v1`;
    const upload = { namespace: "team", digest: `sha256:${hex}`, size };
    const { uploadId } = await requestJson(port, "POST", "/api/v1/uploads", upload);
    const uploadUrl = `${root}/uploads/${uploadId}`;
    await curl("-X", "PATCH", "-H", "upload-offset: 0", "-T", path, uploadUrl);
    await curl("-X", "POST", `${uploadUrl}:commit`);
    const entry = { kind: "jar", name: "app.jar", digest: upload.digest, size, executable: false };
    const owner = { namespace: "team", labels: { "spark-role": "driver" }, type: "Pod" };
    const bundle = await requestJson(port, "POST", "/api/v1/bundles", { owner, entries: [entry] });
    return ["-H", `authorization: Bearer ${bundle["token"]}`, `${root}/bundles/${bundle["bundleId"]}/entries/0`];
  },
};

/** Bare node:http, which stores a file as durably as the staging server. */
export const bareServer: Target = {
  name: "node:http",
  start: (directory) => startFileServer([resolve("scripts/bench/bare-server.mjs"), directory], directory),
  put: putFile,
};

/** Finds nginx with WebDAV, which neither hashes nor syncs; `undefined` if it is not installed. */
export function nginx(): Target | undefined {
  const paths = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin"].map((directory) => join(directory, "nginx"));
  const file = paths.find((path) => existsSync(path));
  if (file === undefined) return undefined;
  return { name: "nginx (WebDAV)", start: (directory) => startNginx(file, directory), put: putFile };
}

async function putFile(port: number, { path }: SentFile): Promise<readonly string[]> {
  const url = `http://127.0.0.1:${port}/file`;
  await curl("-T", path, url);
  return [url];
}

async function startNginx(file: string, directory: string): Promise<FileServer> {
  const port = await freePort();
  mkdirSync(join(directory, "files"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${directory}/${kind};`)
    .join("\n");
  const conf = join(directory, "nginx.conf");
  writeFileSync(
    conf,
    `daemon off; master_process off; pid ${directory}/nginx.pid; error_log stderr;
events {}
http {
  access_log off; client_max_body_size 0; sendfile on;
  ${temporary}
  server { listen 127.0.0.1:${port}; location / { root ${directory}/files; dav_methods PUT; } }
}
`,
  );
  const child = spawn(file, ["-p", directory, "-c", conf, "-e", "stderr"], { stdio: "ignore" });
  const server = served(child, port);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (child.exitCode !== null) throw new Error("nginx ended.");
    if (await curl(`http://127.0.0.1:${port}/`, "-o", "/dev/null").then(isTrue, isHttpError)) return server;
    await setTimeout(50);
  }
  await server.stop();
  throw new Error("nginx did not respond.");
}

const isTrue = () => true;

/** curl exits with 22 for an HTTP error: the server responds. Source: curl(1). */
const isHttpError = (error: unknown) => error instanceof Error && "code" in error && error.code === 22;

function served(child: ChildProcess, port: number): FileServer {
  const ended = new Promise<void>((resolveEnd) => child.once("exit", () => resolveEnd()));
  const stop = () => {
    child.kill();
    return ended;
  };
  return { port, pid: child.pid ?? 0, stop };
}

function freePort(): Promise<number> {
  return new Promise((resolvePort) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolvePort(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}

/** Runs curl; discards the body. @throws Error for a status of 400 or more */
export async function curl(...args: readonly string[]): Promise<void> {
  const commonArgs = ["--silent", "--show-error", "--fail", "--noproxy", "*", "-H", "Expect:"];
  await promisify(execFile)("curl", [...commonArgs, "--output", "/dev/null", ...args]);
}

/** Sends JSON. @returns the JSON of the response */
export function requestJson(
  port: number,
  method: string,
  path: string,
  body: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  return send(port, { method, path, headers: { "content-type": "application/json" } }, [
    Buffer.from(JSON.stringify(body)),
  ]).then((text) => JSON.parse(text));
}

/** Sends a request whose body is in pieces. @returns the response's text @throws Error for a status of 400 or more */
export function send(
  port: number,
  { method, path, headers = {} }: { method: string; path: string; headers?: Record<string, string | number> },
  pieces: readonly Uint8Array[] = [],
): Promise<string> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return new Promise((resolveText, reject) => {
    const all = { ...headers, "content-length": length };
    const call = request({ host: "127.0.0.1", port, method, path, headers: all }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () => {
        if ((response.statusCode ?? 500) < 400) resolveText(text);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
      });
    });
    call.on("error", reject);
    for (const piece of pieces) call.write(piece);
    call.end();
  });
}
