#!/usr/bin/env node
/** Builds the docs site in `docs/site/dist` from the project's Markdown files. Fails on dead links. `--serve` shows the result. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const site = join(root, "docs", "site");
const pages = join(site, "pages");
const run = (command, ...args) => execFileSync(command, args, { cwd: site, stdio: "inherit" });

if (!existsSync(join(site, "node_modules"))) run("npm", "ci", "--no-audit", "--no-fund");

// VitePress finds its own packages only for pages inside its directory.
rmSync(pages, { recursive: true, force: true });
const markdown = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter(
    (path) => /^(README|CHANGELOG|CONTRIBUTING)\.md$|^(docs|examples)\//.test(path) && existsSync(join(root, path)),
  );
for (const path of markdown) {
  mkdirSync(dirname(join(pages, path)), { recursive: true });
  cpSync(join(root, path), join(pages, path));
}
const images = join(root, "docs", "images");
if (existsSync(images)) cpSync(images, join(pages, "docs", "images"), { recursive: true });

run("npx", "vitepress", "build", ".");
if (process.argv.includes("--serve")) run("npx", "vitepress", "serve", ".");
