import { readFileSync } from "node:fs";
import { join } from "node:path";
import { imageDefinitions } from "../../src/images/image-definitions.ts";
import { root } from "../acceptance/programs.ts";

/** Returns the files and directories of this package that the images of its programs copy, and their Dockerfiles. */
export function copiedFiles(): readonly string[] {
  const paths = imageDefinitions.flatMap(({ directory, content }) => {
    const dockerfile = `images/${directory}/Dockerfile`;
    if (content !== "firesteel") return [dockerfile];
    const copies = readFileSync(join(root, dockerfile), "utf8").matchAll(/^COPY --from=firesteel (.*) \S+$/gm);
    return [dockerfile, ...[...copies].flatMap(([, sources = ""]) => sources.split(" "))];
  });
  return [...new Set(paths.filter((path) => !path.startsWith("--")))].sort();
}
