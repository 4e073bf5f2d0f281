import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

const program = resolve("dist/bin/firesteel.cjs");

/** A server that runs as a process of its own, and takes and gives files. */
export interface FileServer {
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** A file that is to go there. */
export interface Sent {
  readonly path: string;
  /** SHA-256 in hex. */
  readonly hex: string;
  readonly size: number;
}

/** A kind of server. */
export interface Target {
  readonly name: string;
  readonly start: (directory: string) => Promise<FileServer>;
  /** Sends a file by curl, and waits until it is there. @returns where it is read: curl's words */
  readonly put: (port: number, file: Sent) => Promise<readonly string[]>;
}

/** Starts a program that tells its port on stderr. */
export async function startFileServer(args: readonly string[], directory: string): Promise<FileServer> {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: directory, KUBECONFIG: join(directory, "no-kubeconfig") };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const port = await new Promise<number>((resolvePort, reject) => {
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const found = /started on port (\d+)\./.exec(said)?.[1];
      if (found !== undefined) resolvePort(Number(found));
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`the server ended: ${said}`)));
  });
  return served(child, port);
}

/** Our words for a staging server on a folder's store. */
export function stagingWords(store: string, ...more: readonly string[]): readonly string[] {
  const where = ["--store", store, "--host", "127.0.0.1", "--port", "0"];
  return ["--use-openssl-ca", program, "staging-server", ...where, "--auth", "none", ...more];
}

/** Our staging server. */
export const ours: Target = {
  name: "staging server",
  start: (directory) => startFileServer(stagingWords(join(directory, "store"), "--owners", "none"), directory),
  async put(port, { path, hex, size }) {
    const root = `http://127.0.0.1:${port}/api/v1`;
    const about = { namespace: "team", digest: `sha256:${hex}`, size };
    const { uploadId } = await askJson(port, "POST", "/api/v1/uploads", about);
    const upload = `${root}/uploads/${uploadId}`;
    await curl("-X", "PATCH", "-H", "upload-offset: 0", "-T", path, upload);
    await curl("-X", "POST", `${upload}:commit`);
    const entry = { kind: "jar", name: "app.jar", digest: about.digest, size, executable: false };
    const owner = { namespace: "team", labels: { "spark-role": "driver" }, type: "Pod" };
    const made = await askJson(port, "POST", "/api/v1/bundles", { owner, entries: [entry] });
    return ["-H", `authorization: Bearer ${made["token"]}`, `${root}/bundles/${made["bundleId"]}/entries/0`];
  },
};

/** node:http, which does the same with a file as we do. */
export const bare: Target = {
  name: "node:http",
  start: (directory) => startFileServer([resolve("scripts/bench/bare-server.mjs"), directory], directory),
  put: putPlainly,
};

/** nginx with WebDAV, which neither hashes nor waits for the disk; `undefined` where it is not found. */
export function nginx(): Target | undefined {
  const places = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin"].map((at) => join(at, "nginx"));
  const file = places.find((path) => existsSync(path));
  if (file === undefined) return undefined;
  return { name: "nginx (WebDAV)", start: (directory) => startNginx(file, directory), put: putPlainly };
}

async function putPlainly(port: number, { path }: Sent): Promise<readonly string[]> {
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
  for (let looks = 0; looks < 100; looks += 1) {
    if (child.exitCode !== null) throw new Error("nginx ended");
    if (await curl(`http://127.0.0.1:${port}/`, "-o", "/dev/null").then(isTrue, isRefusal)) return server;
    await setTimeout(50);
  }
  await server.stop();
  throw new Error("nginx did not answer");
}

const isTrue = () => true;

/** 22: it answers, with an error. Source: curl(1). */
const isRefusal = (error: unknown) => error instanceof Error && "code" in error && error.code === 22;

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

/** Asks by curl; an answer of 400 and more is an error. */
export async function curl(...words: readonly string[]): Promise<void> {
  const usual = ["--silent", "--show-error", "--fail", "--noproxy", "*", "-H", "Expect:"];
  await promisify(execFile)("curl", [...usual, "--output", "/dev/null", ...words]);
}

/** One request with JSON, answered with JSON. */
export function askJson(
  port: number,
  method: string,
  path: string,
  body: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  return send(port, { method, path, headers: { "content-type": "application/json" } }, [
    Buffer.from(JSON.stringify(body)),
  ]).then((text) => JSON.parse(text));
}

/** One request, in pieces. @returns the answer's text */
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
