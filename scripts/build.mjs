#!/usr/bin/env node
/**
 * Builds `dist/`: the programs (`dist/bin`) and the library with its types (`dist/lib`).
 *
 * To compile code costs time at each start. So a program is CommonJS in parts, of which it loads those that it needs, and what V8
 * compiled of them is kept beside them.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, "dist");
/** Built here and moved in the end, so that a program that runs meanwhile finds its files. */
const staging = join(output, `.new-${process.pid}`);

/** Node 20 parses its own 140 roots at the first TLS connection, unless told to use OpenSSL's: 16 ms. */
const firstLine = "#!/usr/bin/env -S node --use-openssl-ca";

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20.19",
  legalComments: "none",
  charset: "ascii",
  // Names stay, for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: "warning",
  // `import()` of our own bundles becomes a lazy `require`, which starts no module loader.
  supported: { "dynamic-import": false },
};

/** Parts that programs share, and the module that each is made of. */
const rooms = {
  submission: "src/submit/submit.ts",
  credentials: "src/kube-client/auth/identify.ts",
  waiting: "src/submit/accompany/accompany.ts",
  embedded: "src/cli/embedded.ts",
  "local-cluster": "src/local-cluster/index.ts",
  yaml: "js-yaml",
};

/** Whoever imports a room's module gets its part: also so that there is one copy of what it remembers. The starter imports. */
function doorsOf(own) {
  return {
    name: "doors",
    setup({ onResolve }) {
      onResolve({ filter: /^js-yaml$|^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
        const module = path.startsWith(".") ? relative(root, join(resolveDir, path)) : path;
        if (module === "src/host/import-module.ts") return { path: "./import-module.cjs", external: true };
        const [room] = Object.entries(rooms).find(([, entry]) => entry === module) ?? [];
        if (kind === "entry-point" || room === undefined || room === own) return undefined;
        return { path: `./${room}.cjs`, external: true };
      });
    },
  };
}

async function buildPrograms() {
  const programs = readdirSync(join(root, "src", "bin")).map((file) => basename(file, ".ts"));
  const entries = [...Object.entries(rooms), ...programs.map((name) => [name, `src/bin/${name}.ts`])];
  await Promise.all(entries.map(([name, entry]) => buildPart(name, entry)));
  const starter = readFileSync(join(root, "scripts", "program.cjs"), "utf8");
  for (const name of programs) {
    writeFileSync(join(staging, "bin", `${name}.cjs`), `${firstLine}\n${starter}`, { mode: 0o755 });
  }
}

function buildPart(name, entry) {
  const outfile = join(staging, "bin", "parts", `${name}.cjs`);
  const asFunction = { banner: { js: "(function (exports, require, module) {" }, footer: { js: "})" } };
  return build({ ...shared, ...asFunction, entryPoints: [entry], outfile, plugins: [doorsOf(name)] });
}

/** Runs a submission with each program, to an API that takes everything, and notes what V8 compiled for it. */
async function keepCompiled() {
  const server = createServer(echoObject);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Somewhere else, for the path of a program that runs may be kept with it.
  const folder = mkdtempSync(join(tmpdir(), "firesteel-build-"));
  cpSync(join(staging, "bin"), join(folder, "bin"), { recursive: true });
  const url = `http://127.0.0.1:${server.address().port}`;
  writeFileSync(join(folder, "kubeconfig"), kubeconfig(url));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    KUBECONFIG: join(folder, "kubeconfig"),
    FIRESTEEL_WRITE_COMPILED: "1",
  };
  const submission = [
    ...["--master", `k8s://${url}`, "--deploy-mode", "cluster", "--class", "Main"],
    ...["--conf", "spark.kubernetes.container.image=spark"],
    ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///app.jar"],
  ];
  try {
    await runProgram(env, join(folder, "bin", "firesteel.cjs"), ["submit", ...submission]);
    await runProgram(env, join(folder, "bin", "spark-submit.cjs"), submission);
    for (const name of readdirSync(join(folder, "bin", "parts")).filter((file) => file.endsWith(".cache"))) {
      copyFileSync(join(folder, "bin", "parts", name), join(staging, "bin", "parts", name));
    }
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

function runProgram(env, program, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--use-openssl-ca", program, ...words], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        said += chunk;
      });
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} failed while it was built:\n${said}`)),
    );
  });
}

function echoObject(request, response) {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const object = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    object.metadata.uid = "00000000-0000-4000-8000-000000000001";
    response.writeHead(201, { "content-type": "application/json" });
    response.end(JSON.stringify(object));
  });
}

function kubeconfig(url) {
  return `apiVersion: v1
kind: Config
current-context: build
contexts:
- name: build
  context: {cluster: build, user: build}
clusters:
- name: build
  cluster:
    server: ${url}
users:
- name: build
  user:
    token: "build"
`;
}

function buildLibrary() {
  const compiler = join("node_modules", "typescript", "bin", "tsc");
  const words = [compiler, "-p", "tsconfig.build.json", "--outDir", join(staging, "lib")];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error("the library does not compile");
}

function moveIn() {
  for (const name of ["bin", "lib"]) {
    const [now, old] = [join(output, name), join(staging, `old-${name}`)];
    if (existsSync(now)) renameSync(now, old);
    renameSync(join(staging, name), now);
  }
}

mkdirSync(staging, { recursive: true });
try {
  await buildPrograms();
  await keepCompiled();
  buildLibrary();
  moveIn();
} finally {
  rmSync(staging, { recursive: true, force: true });
}
