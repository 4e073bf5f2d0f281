import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** File in `dist/` with the digest of the inputs that it was built from. */
export const inputsFile = ".inputs";

const single = [
  "package-lock.json",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts/build.mjs",
  "scripts/run-ts.mjs",
];

/** Returns a digest of all files that the build reads, and of the release of Node: the build stores compiled code, which only that release accepts. */
export function digestOfInputs(root) {
  const files = (directory) =>
    readdirSync(join(root, directory), { recursive: true }).map((name) => join(directory, name));
  const sources = [...files("src"), ...files(join("scripts", "build"))].filter((path) =>
    /\.([cm]js|tsx?|css|html|svg)$/.test(path),
  );
  const hash = createHash("sha256").update(process.version);
  for (const name of [...sources.sort(), ...single]) {
    hash
      .update(name)
      .update("\0")
      .update(readFileSync(join(root, name)))
      .update("\0");
  }
  return hash.digest("hex");
}
