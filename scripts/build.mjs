#!/usr/bin/env node
/**
 * Builds `dist/`: the programs (`dist/bin`), the library with its types (`dist/lib`), the manual pages (`dist/man`), the
 * dashboard of the gateway (`dist/dashboard`), and the licenses of what they contain.
 *
 * `scripts/build/chunks.mjs` declares what each chunk of the programs contains.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { bundleDashboard } from "./build/bundle-dashboard.mjs";
import { checkSizes } from "./build/check-sizes.mjs";
import { chunks } from "./build/chunks.mjs";
import { collectLicenses } from "./build/collect-licenses.mjs";
import { cacheCompiledCode } from "./build/compile-cache.mjs";
import { digestOfInputs, inputsFile } from "./build/inputs.mjs";
import { linkChunk } from "./build/link-chunk.mjs";
import { onDemand } from "./build/on-demand.mjs";
import { trimSettings } from "./build/trim-settings.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const output = join(root, "dist");
/** The build writes here and moves the result at the end, so that a running program keeps its files. */
const staging = join(output, `.new-${process.pid}`);

/** Without this option, Node 20 parses its own 140 root certificates at the first TLS connection: 16 ms. */
const firstLine = "#!/usr/bin/env -S node --use-openssl-ca";

const bundling = {
  cwd: root,
  platform: "node",
  // Native code, which an installation may omit.
  external: [/^node:/, /^koffi$/],
  transform: { target: "node20.19" },
  treeshake: { moduleSideEffects: false },
  // As CommonJS, which prom-client requires: its ES modules would add a helper to the chunks of a submission.
  resolve: { alias: { "@opentelemetry/api": join(root, "node_modules/@opentelemetry/api/build/src/index.js") } },
  // Static and dynamic imports of one module are intended: a command line loads less than a submission.
  checks: { ineffectiveDynamicImport: false },
};

/** Programs of one file: a container image contains nothing else but Node. */
const singleFilePrograms = ["spark-init-container"];
const programs = readdirSync(join(root, "src", "bin"))
  .map((file) => basename(file, ".ts"))
  .filter((name) => !singleFilePrograms.includes(name));

function requireListedFiles() {
  const files = Object.values(chunks).flatMap((chunk) => [...(chunk.files ?? []), ...(chunk.onDemand ?? [])]);
  const missing = files.filter((file) => !existsSync(join(root, file)));
  if (missing.length === 0) return;
  throw new Error(`scripts/build/chunks.mjs lists files that do not exist: ${missing.join(", ")}`);
}

/** Bundles all programs into chunks, and returns the output of the bundler. */
async function bundlePrograms() {
  const names = Object.keys(chunks);
  const entries = [
    ...programs.map((name) => [name, `src/bin/${name}.ts`]),
    ...names.filter((name) => chunks[name].onDemand).map((name) => [name, `chunk:${name}`]),
  ];
  const groups = names.flatMap((name, index) => {
    const { files, onDemand = [] } = chunks[name];
    if (files === undefined) return [];
    const members = new Set([...files, ...onDemand].map((file) => join(root, file)).concat(`\0chunk:${name}`));
    return { name, test: (id) => members.has(id), priority: names.length - index };
  });
  const bundle = await rolldown({
    ...bundling,
    input: Object.fromEntries(entries),
    // A chunk that is an entry can export more names, for other chunks.
    preserveEntrySignatures: "allow-extension",
    plugins: [onDemand(root, chunks), trimSettings(root)],
  });
  const result = await bundle.generate({
    // linkChunk makes CommonJS of it.
    format: "esm",
    minify: true,
    entryFileNames: ({ name }) => `${programs.includes(name) ? "" : "parts/"}[name].cjs`,
    chunkFileNames: "parts/[name].cjs",
    codeSplitting: { groups },
    polyfillRequire: false,
  });
  return result.output;
}

function writePrograms(output) {
  const linkedChunks = output.map((chunk) => ({ ...chunk, linked: linkChunk(chunk.code) }));
  // V8 recognizes a chunk only by its length, so compiled code must have the digest of the build in its path.
  const digest = linkedChunks.reduce((hash, { linked }) => hash.update(linked), createHash("sha256")).digest("hex");
  const sources = join(root, "scripts", "build");
  const starter = readFileSync(join(sources, "program.cjs"), "utf8").replace("-BUILD`", `-${digest.slice(0, 16)}\``);
  mkdirSync(join(staging, "bin", "parts"), { recursive: true });
  copyFileSync(join(sources, "store-code.cjs"), join(staging, "bin", "parts", "store-code.cjs"));
  for (const { fileName, linked, name, isEntry } of linkedChunks) {
    const isProgram = isEntry && programs.includes(name);
    const text = isProgram ? `${firstLine}\n${starter}\n${linked}(find, load);\n` : linked;
    writeFileSync(join(staging, "bin", fileName), text, { mode: isProgram ? 0o755 : 0o644 });
  }
}

/** Writes the data of the completion and the manual pages. */
function writeHelp() {
  const args = ["scripts/run-ts.mjs", "scripts/build/help/write-help.ts", staging];
  execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
}

async function buildSingleFile(name) {
  const bundle = await rolldown({ ...bundling, input: join("src", "bin", `${name}.ts`) });
  const { output } = await bundle.generate({ format: "cjs", minify: true, codeSplitting: false });
  writeFileSync(join(staging, "bin", `${name}.cjs`), `${firstLine}\n${output[0].code}`, { mode: 0o755 });
  return output;
}

/** Bundles the library as ES modules, each entry point with one file of types. */
async function buildLibrary() {
  const packages = Object.keys(dependencies).map((name) => new RegExp(`^${name}(/|$)`));
  const bundle = await rolldown({
    ...bundling,
    input: {
      index: "src/index.ts",
      features: "src/spec/user-steps/user-step.ts",
      "local-cluster": "src/local-cluster/index.ts",
    },
    external: [...bundling.external, ...packages],
    plugins: [dts({ tsconfig: "tsconfig.build.json" })],
  });
  await bundle.write({ dir: join(staging, "lib"), format: "esm", chunkFileNames: "chunks/[name].js" });
}

function moveIn() {
  for (const name of readdirSync(staging)) {
    const [now, old] = [join(output, name), join(staging, `old-${name}`)];
    if (existsSync(now)) renameSync(now, old);
    renameSync(join(staging, name), now);
  }
}

/** Removes what an earlier build has written: a failed build must not leave programs of other sources. */
function removeBuilt() {
  for (const name of existsSync(output) ? readdirSync(output) : []) {
    if (!name.startsWith(".new-")) rmSync(join(output, name), { recursive: true, force: true });
  }
}

mkdirSync(staging, { recursive: true });
try {
  const inputs = digestOfInputs(root);
  requireListedFiles();
  const bundled = await bundlePrograms();
  writePrograms(bundled);
  checkSizes(bundled, join(staging, "bin"));
  const singleFiles = await Promise.all(singleFilePrograms.map(buildSingleFile));
  const dashboard = await bundleDashboard(root, join(staging, "dashboard"));
  writeHelp();
  await cacheCompiledCode(root, join(staging, "bin"), programs);
  await buildLibrary();
  collectLicenses(root, [bundled, dashboard, ...singleFiles].flat(), join(staging, "THIRD-PARTY-LICENSES"));
  rmSync(join(output, inputsFile), { force: true });
  moveIn();
  writeFileSync(join(output, inputsFile), inputs);
} catch (error) {
  removeBuilt();
  throw error;
} finally {
  rmSync(staging, { recursive: true, force: true });
}
