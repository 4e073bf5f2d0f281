#!/usr/bin/env node
/**
 * Builds `dist/`: the programs (`dist/bin`) and the library with its types (`dist/lib`).
 *
 * To compile code costs time at each start. So a program is CommonJS in parts, of which it loads those that it needs, and what V8
 * compiled of them is kept beside them.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
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
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, "dist");
/** Built here and moved in the end, so that a program that runs meanwhile finds its files. */
const staging = join(output, `.new-${process.pid}`);

/** Node 20 parses its own 140 roots at the first TLS connection, unless told to use OpenSSL's: 16 ms. */
const firstLine = "#!/usr/bin/env -S node --use-openssl-ca";

const bundling = {
  absWorkingDir: root,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20.19",
  legalComments: "none",
  charset: "ascii",
  // What the names of a stack trace would tell, the codes of our errors tell better.
  minify: true,
  logLevel: "warning",
  // `import()` of our own bundles becomes a lazy `require`, which starts no module loader.
  supported: { "dynamic-import": false },
};

/** Parts that are loaded by `import()`, and the module that each is made of. */
const rooms = {
  submission: "src/masters/kubernetes/kubernetes-master.ts",
  diagnosis: "src/diagnosis/diagnose.ts",
  refusal: "src/masters/kubernetes/explain-rejection.ts",
  embedded: "src/cli/embedded.ts",
  "local-cluster": "src/local-cluster/index.ts",
  "staging-server": "src/staging-server/index.ts",
  yaml: "js-yaml",
};

/** What is imported by `import()`, and by every submission; and what the starter has. */
const neverApart = [
  "src/kube-client/connect.ts",
  "src/resolve/resolve-spark-version.ts",
  "src/host/import-module.ts",
];

/**
 * Parts that a plain submission never needs, though its code names them, and the modules that each is made of: loaded when one of
 * their functions is called.
 */
const onDemand = {
  understanding: [
    "src/masters/submit-invocation.ts",
    "src/plan/submit-fields.ts",
    "src/resolve/version-settings.ts",
  ],
  errors: [
    "src/errors/codes.ts",
    "src/kube/status.ts",
    "src/kube-client/network-error.ts",
    "src/masters/kubernetes/create/undo-creations.ts",
  ],
  "usage-errors": [
    "src/errors/find-entry.ts",
    "src/cli/print.ts",
    "src/command-line/unknown-option.ts",
    "src/resolve/shell-issues.ts",
  ],
  strict: ["src/cli/print-launcher-error.ts", "src/resolve/delegate-to-local-spark.ts"],
  waiting: [
    "src/masters/kubernetes/monitor/monitor-driver.ts",
    "src/kube-client/list.ts",
    "src/kube-client/pod-calls.ts",
    "src/kube-client/stream.ts",
    "src/kube-client/watch.ts",
  ],
  files: [
    "src/resolve/expand-globs.ts",
    "src/resolve/jar-manifest.ts",
    "src/resolve/read-pod-group-template.ts",
    "src/resolve/read-template.ts",
    "src/plan/pod-template.ts",
    "src/host/progress.ts",
  ],
  kerberos: [
    "src/features/hadoop-config-map.ts",
    "src/features/kerberos-access.ts",
    "src/resolve/read-hadoop.ts",
  ],
  additions: [
    "src/conf/parse-volume-specs.ts",
    "src/features/embedded-credentials.ts",
    "src/features/mounted-volumes.ts",
    "src/features/pod-group.ts",
    "src/features/localized-dependencies.ts",
    "src/plan/feature-step-issues.ts",
    "src/plan/localized-dependencies.ts",
    "src/plan/localized-entries.ts",
    "src/plan/staging.ts",
    "src/plan/uploads.ts",
  ],
  deprecated: ["src/conf/entries/deprecated-keys.ts"],
  hadoop: ["src/hadoop/read-hadoop-conf.ts"],
  uploads: ["src/masters/kubernetes/stage/uploads/remove-uploads.ts"],
  addresses: ["src/kube-client/raw-target.ts", "src/plan/master-problem.ts"],
  python: ["src/masters/jvm/prepare-python.ts"],
  settings: ["src/conf/entries/topics.ts", "src/plan/ignored-settings.ts"],
  seeds: ["src/resolve/seeded-ids.ts"],
  usage: ["src/command-line/usage.ts"],
  seldom: [
    "src/kube-client/delete-object.ts",
    "src/conf/nearest-keys.ts",
    "src/kube-client/auth/impersonation.ts",
    "src/net/proxy/proxy-url.ts",
    "src/net/proxy/tunnel.ts",
    "src/spec/user-steps/run-user-step.ts",
    "src/spec/user-steps/user-step.ts",
    "src/masters/kubernetes/print-prepared.ts",
    "src/resolve/run-spark-env.ts",
    "src/resolve/verbose.ts",
    "src/values/token-storage.ts",
  ],
};

/** They answer before anything is to be submitted, and do not wait for what understands a submission. */
const early = ["usage", "usage-errors"];

/**
 * Whoever imports the module of a part gets that part, and modules of a shared part come out of it: so there is one copy of each, and
 * of what it remembers.
 */
function proxiesOf(own, shared) {
  return {
    name: "doors",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^js-yaml$|^\.{1,2}\// }, ({ kind, path, resolveDir, namespace }) => {
        if (namespace !== "file" && kind === "require-call") return { path, external: true };
        const module = path.startsWith(".") ? relative(root, join(resolveDir, path)) : path;
        // The starter imports: a part is a script, and has no `import()`.
        if (module === "src/host/import-module.ts") return { path: "./import-module.cjs", external: true };
        if (own === usage && module === optionTable) return undefined;
        const part = partOf(module);
        if (kind === "entry-point" || part === own) return undefined;
        const holder = holderOf(module, own, shared);
        if (holder !== undefined) return { path: module, namespace: `of-${holder}` };
        if (part in onDemand && kind !== "dynamic-import") return { path: module, namespace: "on-demand" };
        return part === undefined ? undefined : { path: `./${part}.cjs`, external: true };
      });
      onResolve({ filter: /^own-base$/ }, () => ({ path: base, namespace: "own" }));
      onLoad({ filter: /./, namespace: "own" }, () => ({
        contents: sharedLines(shared.get(base)).join("\n"),
        resolveDir: root,
      }));
      for (const [holder, modules] of shared) {
        onResolve({ filter: new RegExp(`^${holder}$`) }, () => ({ path: holder, namespace: "shared" }));
        onLoad({ filter: /./, namespace: `of-${holder}` }, ({ path }) => ({
          contents: outOfShared(path, holder, modules),
        }));
      }
      onLoad({ filter: /./, namespace: "shared" }, ({ path }) => ({
        contents: `export const ${path} = require("./${path}.cjs").all;`,
        resolveDir: root,
      }));
      onLoad({ filter: /./, namespace: "on-demand" }, ({ path }) => ({
        contents: callsTo(path),
        resolveDir: root,
      }));
    },
  };
}

/** The shared part that has a module, unless it is loaded later than the one that wants it. */
function holderOf(module, own, shared) {
  const names = [...shared.keys()];
  if (programs.includes(own)) return undefined;
  const reach = early.includes(own) ? 1 : names.length;
  const before = names.includes(own) ? names.indexOf(own) : reach;
  return names.slice(0, before).find((name) => shared.get(name).has(module));
}

/** A shared part as a list: what is taken out of it by its place is a variable like others, quicker than a member of a module. */
function sharedLines(modules) {
  const names = [...modules.keys()];
  const imports = names.map((module, index) => `import * as m${index} from "./${module}";`);
  const members = names.flatMap((module, index) => modules.get(module).map((name) => `m${index}.${name}`));
  return [...imports, `export const all = [${members}];`];
}

function outOfShared(module, holder, modules) {
  const places = [...modules].flatMap(([member, names]) => names.map((name) => `${member} ${name}`));
  const lines = modules
    .get(module)
    .map((name) => `export const ${name} = ${holder}[${places.indexOf(`${module} ${name}`)}];`);
  return [`import { ${holder} } from "${holder}";`, ...lines].join("\n");
}

function partOf(module) {
  return Object.entries(parts).find(([, modules]) => modules.includes(module))?.[0];
}

/** The words of the options are for the usage text alone, so its part has a table of its own. */
const optionTable = "src/command-line/options.ts";
const usage = "usage";

/** What the command line and others need: each program has it in its own part, and gives it to the others as a part of this name. */
const base = "base";

/** What a command line says, and whether it can be submitted: all that a refusal needs. */
const understanding = "understanding";

/**
 * What programs do without: the words about settings, which are for the documentation; and a copy, property by property at each start,
 * that esbuild would make of each module of Node which is imported as a whole.
 */
const leaner = (own, shared) => ({
  name: "leaner",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const hasWords =
        path.startsWith(join(root, "src", "conf", "entries")) ||
        (path === join(root, optionTable) && own !== usage);
      const contents = (
        hasWords ? source.replaceAll(/^\s+(?:doc|help):\s+(?:"[^"]*"|'[^']*'),\n/gm, "") : source
      )
        .replaceAll(/^import \* as (\w+) from ("node:\w+");$/gm, "const $1 = require($2);")
        .replaceAll(/\bawait import\(("node:\w+")\)/g, "require($1)")
        .replaceAll(/^(\s+)import\(("node:\w+")\),$/gm, "$1require($2),");
      return { contents: withoutDetours(contents, { path, own, shared }), loader: "ts" };
    });
  },
});

/** What `import()` names and the part has anyway is imported as all else: esbuild would make each module of the part wait for its turn. */
function withoutDetours(source, { path, own, shared }) {
  const imports = [];
  const direct = source.replaceAll(/\bimport\("(\.[^"]+)"\)/g, (detour, specifier) => {
    const module = relative(root, join(dirname(path), specifier));
    const isHere = holderOf(module, own, shared) !== undefined || (partOf(module) ?? own) === own;
    if (!isHere) return detour;
    return `detour${imports.push(`import * as detour${imports.length} from "${specifier}";`) - 1}`;
  });
  return [direct, ...imports].join("\n");
}

/** Functions that load their part when they are called. Nothing else of such a module can be imported. */
function callsTo(module) {
  const source = readFileSync(join(root, module), "utf8");
  const part = `./${partOf(module)}.cjs`;
  return [...source.matchAll(/^export (?:async )?function\*? (\w+)/gm)]
    .map(([, name]) => `export const ${name} = (...given) => require("${part}").${name}(...given);`)
    .join("\n");
}

/** One file each: an image has it and Node, nothing else, and its start is not waited for. */
const programsInOneFile = ["spark-init-container"];
const programs = readdirSync(join(root, "src", "bin"))
  .map((file) => basename(file, ".ts"))
  .filter((name) => !programsInOneFile.includes(name));
const parts = { ...onDemand };
for (const [name, module] of Object.entries(rooms)) parts[name] = [module];
for (const name of programs) parts[name] = [`src/bin/${name}.ts`];
for (const module of modulesApart())
  parts[module.slice("src/".length, -".ts".length).replaceAll("/", "-")] = [module];

/** Other modules that are imported by `import()` alone: parts of their own. */
function modulesApart() {
  const files = readdirSync(join(root, "src"), { recursive: true }).filter(
    (path) => /(?<!\.test)\.ts$/.test(path) && !/^(local-cluster|staging-server)\b/.test(path),
  );
  const imported = (pattern) =>
    files.flatMap((file) => {
      const path = join(root, "src", file);
      const specifiers = [...readFileSync(path, "utf8").matchAll(pattern)].map(([, specifier]) => specifier);
      return specifiers.map((specifier) => relative(root, join(dirname(path), specifier)));
    });
  const eager = imported(/^(?:import|export) (?!type )[^;"]* from "(\.[^"]+)";$/gm);
  const lazy = new Set(imported(/\bimport\("(\.[^"]+)"\)/g));
  return [...lazy].filter(
    (module) => partOf(module) === undefined && !eager.includes(module) && !neverApart.includes(module),
  );
}

async function buildPrograms() {
  await Promise.all(programsInOneFile.map(buildOneFile));
  const shared = await sharedParts();
  const faces = ([name, modules]) => [
    // Before the program begins, which its import does.
    ...(programs.includes(name) ? ['export { all } from "own-base";'] : []),
    ...facesOf(modules),
    ...(shared.has(name) ? sharedLines(shared.get(name)) : []),
  ];
  await Promise.all(Object.entries(parts).map((part) => buildPart(part[0], faces(part), shared)));
  const starter = readFileSync(join(root, "scripts", "program.cjs"), "utf8");
  for (const name of programs) {
    writeFileSync(join(staging, "bin", `${name}.cjs`), `${firstLine}\n${starter}`, { mode: 0o755 });
  }
}

async function buildOneFile(name) {
  const outfile = join(staging, "bin", `${name}.cjs`);
  const entryPoints = [join("src", "bin", `${name}.ts`)];
  await build({ ...bundling, entryPoints, outfile, banner: { js: firstLine } });
  chmodSync(outfile, 0o755);
}

/**
 * The modules of each shared part, and the names that each module exports: what the command line has that others need, too, and what
 * understands a submission.
 */
async function sharedParts() {
  const found = await Promise.all(["spark-submit", understanding, "submission"].map(modulesOf));
  const [first, second, third] = found;
  const early = first.filter((module) => second.includes(module));
  const rest = second.filter((module) => !early.includes(module));
  const wanted = rest.filter((module) => third.includes(module) || parts[understanding].includes(module));
  return new Map([
    [base, await namesOf(early)],
    [understanding, await namesOf(wanted)],
  ]);
}

async function namesOf(modules) {
  return new Map(await Promise.all(modules.map(async (module) => [module, await namesIn(module)])));
}

async function namesIn(module) {
  const { metafile } = await build({
    ...bundling,
    bundle: false,
    format: "esm",
    entryPoints: [module],
    outdir: staging,
    write: false,
    metafile: true,
  });
  return Object.values(metafile.outputs)[0].exports;
}

function facesOf(modules) {
  return modules.map((module) => `export * from "${module.startsWith("src/") ? "./" : ""}${module}";`);
}

async function modulesOf(name) {
  const { metafile } = await build({
    ...optionsOf(name, facesOf(parts[name]), new Map()),
    write: false,
    metafile: true,
  });
  return Object.keys(metafile.inputs).filter((module) => module.startsWith("src/"));
}

function buildPart(name, lines, shared) {
  const outfile = join(staging, "bin", "parts", `${name}.cjs`);
  const asFunction = { banner: { js: "(function (exports, require, module) {" }, footer: { js: "})" } };
  return build({ ...optionsOf(name, lines, shared), ...asFunction, outfile });
}

function optionsOf(name, lines, shared) {
  const stdin = { contents: lines.join("\n"), resolveDir: root };
  return { ...bundling, stdin, plugins: [proxiesOf(name, shared), leaner(name, shared)] };
}

/** Runs a submission with each program, to an API that takes everything, then what is refused; notes what V8 compiled for them. */
async function keepCompiled() {
  // Somewhere else, for the path of a program that runs may be kept with it.
  const directory = mkdtempSync(join(tmpdir(), "firesteel-build-"));
  cpSync(join(staging, "bin"), join(directory, "bin"), { recursive: true });
  const { authority, ...keys } = await serverKeys(directory);
  const server = createServer(keys, echoObject);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${server.address().port}`;
  writeFileSync(join(directory, "kubeconfig"), kubeconfig(url, authority));
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    KUBECONFIG: join(directory, "kubeconfig"),
  };
  const submission = [
    ...["--master", `k8s://${url}`, "--deploy-mode", "cluster", "--name", "build", "--class", "Main"],
    ...["--conf", "spark.executor.instances=2", "--conf", "spark.kubernetes.container.image=spark:4.3.0"],
    ...["--conf", "spark.kubernetes.authenticate.driver.serviceAccountName=spark"],
    ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///app.jar", "1"],
  ];
  try {
    const help = { words: ["--help"], exit: 0 };
    const answered = [{ words: ["--version"], exit: 0 }, help];
    const refused = [
      { words: ["--no-such-option"], exit: 1 },
      { words: ["--master", "local", "--deploy-mode", "cluster", "app.jar"], exit: 1 },
    ];
    const run = (name, commands) => noteCompiled(env, join(directory, "bin", `${name}.cjs`), commands);
    await run("spark-submit", [{ words: submission, exit: 0 }, ...answered, ...refused]);
    await run("firesteel", [{ words: ["submit", ...submission], exit: 0 }, ...answered]);
    const withoutImage = submission.map((word) =>
      word.replace("container.image=spark:4.3.0", "namespace=spark"),
    );
    await run("spark-submit", [{ words: withoutImage, exit: 1 }]);
    for (const name of programs.filter(tellsUsage)) await run(name, [help]);
    for (const name of readdirSync(join(directory, "bin", "parts")).filter((file) =>
      file.endsWith(".cache"),
    )) {
      copyFileSync(join(directory, "bin", "parts", name), join(staging, "bin", "parts", name));
    }
  } finally {
    server.close();
    rmSync(directory, { recursive: true });
  }
}

/** All but the program whose usage text is Spark's own. */
function tellsUsage(name) {
  return name !== "spark-pipelines";
}

/** Certificates by our own modules, PEM. */
async function serverKeys(directory) {
  const lines = [
    'export { nodeHost } from "./src/host/node-host.ts";',
    'export { createAuthority, createServerCertificate } from "./src/local-cluster/certificates/certificate.ts";',
  ];
  const outfile = join(directory, "certificates.mjs");
  const stdin = { contents: lines.join("\n"), resolveDir: root };
  await build({ ...bundling, format: "esm", stdin, outfile });
  const { nodeHost, createAuthority, createServerCertificate } = await import(pathToFileURL(outfile).href);
  const authority = createAuthority(nodeHost(), "build authority");
  const wanted = { authority, name: "build", names: ["127.0.0.1"] };
  const { certificatePem: cert, privateKeyPem: key } = createServerCertificate(nodeHost(), wanted);
  return { cert, key, authority: authority.certificatePem };
}

/** Runs a program with one command line after another, in one process. */
function noteCompiled(env, program, commands) {
  const words = ["--use-openssl-ca", "--require", join(root, "scripts", "note-compiled.cjs"), program];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, {
      env: { ...env, FIRESTEEL_COMMANDS: JSON.stringify(commands) },
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

function kubeconfig(url, authority) {
  return `apiVersion: v1
kind: Config
current-context: build
contexts:
- name: build
  context:
    cluster: build
    user: build
clusters:
- name: build
  cluster:
    server: ${url}
    certificate-authority-data: ${Buffer.from(authority).toString("base64")}
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
