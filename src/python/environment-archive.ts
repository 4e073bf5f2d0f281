import { submitError } from "../errors/submit-error.ts";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import { removeTree } from "../host/remove-tree.ts";
import { lastLine, runCommand } from "../host/run-command.ts";
import { environmentDigest } from "./environment-digest.ts";
import type { EnvironmentSource } from "./environment-source.ts";
import { installPackages } from "./install-packages.ts";
import type { PythonTarget } from "./python-target.ts";
import { environmentParts, startScript } from "./start-script.ts";

/** Environment that can be packed into an archive. */
export interface PackableEnvironment {
  readonly source: Exclude<EnvironmentSource, { kind: "archive" }>;
  /** `undefined` for an environment with its own interpreter. */
  readonly target: PythonTarget | undefined;
}

/** Returns the path of the archive of an environment, whether or not it exists. */
export function archivePath(host: Host, { source, target }: PackableEnvironment): string {
  return `${cacheDirectory(host)}/python-env/${environmentDigest(host.files, source, target)}/env.tar.gz`;
}

/**
 * Builds the archive of an environment unless the cache has it. Its interpreter is `bin/python`, and it works in every directory.
 *
 * @returns the path of the archive
 * @throws SubmitError SUBMIT_ERR_PYTHON_ENV_INSTALLER, SUBMIT_ERR_PYTHON_ENV_BUILD, SUBMIT_ERR_PYTHON_ENV
 */
export async function provideArchive(host: Host, environment: PackableEnvironment): Promise<string> {
  const archive = archivePath(host, environment);
  const { files } = host;
  if (files.info(archive) !== undefined) return archive;
  const directory = archive.replace(/\/[^/]*$/, "");
  files.makeDirectory(directory);
  const work = files.makeTemporaryDirectory(`${directory}/.work-`);
  try {
    const draft = `${work}/env.tar.gz`;
    await pack(host, { environment, work, draft });
    files.rename(draft, archive);
    return archive;
  } finally {
    removeTree(files, work);
  }
}

interface Packing {
  readonly environment: PackableEnvironment;
  readonly work: string;
  readonly draft: string;
}

async function pack(host: Host, { environment: { source, target }, work, draft }: Packing): Promise<void> {
  if (target === undefined || source.kind === "interpreter")
    return tar(host, source.path, ["-czf", draft, "-C", source.path, "."]);
  const root = `${work}/env`;
  const { programs, packages } = environmentParts;
  host.files.makeDirectory(`${root}/${programs}`);
  host.files.write(`${root}/${programs}/python`, startScript(target.version), { mode: 0o755 });
  const into = `${root}/${packages}`;
  if (source.kind === "venv") {
    // The directory of the packages has the same name in a virtual environment.
    return tar(host, source.path, ["-czf", draft, "-C", root, programs, "-C", `${source.sitePackages}/..`, packages]);
  }
  host.files.makeDirectory(into);
  await installPackages(host, { source, target, into, work });
  return tar(host, source.path, ["-czf", draft, "-C", root, programs, packages]);
}

async function tar(host: Host, path: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCommand(host, ["tar", ...args]);
  if (code !== 0) throw submitError("SUBMIT_ERR_PYTHON_ENV", { path, reason: `tar failed: ${lastLine(stderr)}` });
}
