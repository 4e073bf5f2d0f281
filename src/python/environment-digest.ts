import { createHash } from "node:crypto";
import type { Files } from "../host/host.ts";
import type { EnvironmentSource } from "./environment-source.ts";
import type { PythonTarget } from "./python-target.ts";
import { includedFiles } from "./requirements.ts";

/** Version of the archive's layout. */
const layout = 1;

/** Returns the name of an environment in the cache: the same for the same content and target. */
export function environmentDigest(files: Files, source: EnvironmentSource, target: PythonTarget | undefined): string {
  const content = JSON.stringify([layout, source.kind, target, contentOf(files, source)]);
  return createHash("sha256").update(content).digest("hex").slice(0, 32);
}

function contentOf(files: Files, source: EnvironmentSource): readonly unknown[] {
  const texts = (paths: readonly string[]) => paths.map((path) => files.readText(path));
  switch (source.kind) {
    case "requirements":
      return texts([source.path, ...includedFiles(files, source.path)]);
    case "project":
      return texts([source.path, lockOf(source.path)]);
    case "venv":
      return listing(files, source.sitePackages);
    case "interpreter":
      return listing(files, source.path);
    case "archive":
      return [source.path];
  }
}

/** Returns the path of uv's lock file of a project. */
export function lockOf(projectPath: string): string {
  return projectPath.replace(/[^/]*$/, "uv.lock");
}

/** Lists all files of a directory, with size and time of the last change instead of their content. */
function listing(files: Files, directory: string): readonly string[] {
  return (files.list(directory) ?? []).flatMap((name) => {
    if (name === "__pycache__") return [];
    const path = `${directory}/${name}`;
    const info = files.info(path, { followLinks: false });
    return info?.kind === "directory"
      ? listing(files, path)
      : [`${path} ${info?.sizeBytes} ${info?.modifiedMs} ${info?.mode}`];
  });
}
