import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

/** Largest sum of the compressed files of the dashboard, in bytes. */
const maxBytes = 100_000;

/**
 * Bundles the dashboard into a page, a script, a style sheet and an icon. All but the page have the digest of their content in their names.
 *
 * @returns the output of the bundler
 * @throws Error when the compressed files exceed their budget
 */
export async function bundleDashboard(root, output) {
  const directory = join(root, "src", "gateway", "dashboard", "page");
  const bundle = await rolldown({
    cwd: root,
    input: join(directory, "main.tsx"),
    platform: "browser",
    tsconfig: join(directory, "tsconfig.json"),
    transform: { target: "es2022" },
  });
  const { output: chunks } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  const styles = [join(root, "node_modules", "uplot", "dist", "uPlot.min.css"), join(directory, "style.css")];
  const files = [
    { name: "script", prefix: "app", type: "js", text: chunks[0].code },
    { name: "style", prefix: "app", type: "css", text: styles.map(readText).join("\n") },
    { name: "icon", prefix: "icon", type: "svg", text: readText(join(directory, "icon.svg")) },
  ].map((file) => ({ ...file, path: `${file.prefix}-${digestOf(file.text)}.${file.type}` }));
  const page = files.reduce(
    (text, { name, path }) => text.replace(`{${name}}`, path),
    readText(join(directory, "index.html")),
  );
  const all = [...files, { path: "index.html", text: page }];
  mkdirSync(output, { recursive: true });
  for (const { path, text } of all) writeFileSync(join(output, path), text);
  const bytes = all.reduce((sum, { text }) => sum + gzipSync(text, { level: 9 }).length, 0);
  if (bytes > maxBytes) throw new Error(`the dashboard has ${bytes} compressed bytes, more than ${maxBytes}`);
  return chunks;
}

function digestOf(text) {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function readText(path) {
  return readFileSync(path, "utf8");
}
