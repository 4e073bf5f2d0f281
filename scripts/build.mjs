#!/usr/bin/env node
/**
 * Builds `dist/`: one CommonJS bundle a program (`dist/bin`), and the library with its types (`dist/lib`).
 *
 * Programs load the embedded cluster only when they need it, so it is a bundle of its own beside them.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, "dist", "bin");

/** Node 20 parses its own 140 roots at the first TLS connection, unless told to use OpenSSL's: 16 ms. */
const firstLine = "#!/usr/bin/env -S node --use-openssl-ca";

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20.19",
  legalComments: "none",
  logLevel: "warning",
  // `import()` of our own bundles becomes a lazy `require`, which starts no module loader.
  supported: { "dynamic-import": false },
};

/** A dynamic import of the embedded cluster leads to its bundle. */
const clusterApart = {
  name: "cluster-apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/local-cluster\/index\.ts$/ }, ({ kind, path, importer }) => {
      if (kind === "dynamic-import") return { path: "./local-cluster.cjs", external: true };
      return { errors: [{ text: `${importer} imports ${path} statically; use import()` }] };
    });
  },
};

async function buildPrograms() {
  const programs = readdirSync(join(root, "src", "bin")).filter((name) => /(?<!\.test)\.ts$/.test(name));
  await Promise.all([
    build({
      ...shared,
      entryPoints: programs.map((name) => join("src", "bin", name)),
      outdir: output,
      outExtension: { ".js": ".cjs" },
      banner: { js: firstLine },
      plugins: [clusterApart],
    }),
    build({
      ...shared,
      entryPoints: ["src/local-cluster/index.ts"],
      outfile: join(output, "local-cluster.cjs"),
    }),
  ]);
  for (const name of programs) chmodSync(join(output, `${basename(name, ".ts")}.cjs`), 0o755);
}

function buildLibrary() {
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  if (status !== 0) throw new Error("the library does not compile");
}

rmSync(join(root, "dist"), { recursive: true, force: true });
await buildPrograms();
buildLibrary();
