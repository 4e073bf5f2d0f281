import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { runCommand } from "../host/run-command.ts";
import { showElapsed } from "../host/show-elapsed.ts";
import { lockOf } from "./environment-digest.ts";
import type { EnvironmentSource } from "./environment-source.ts";
import { findInstaller, type Installer } from "./find-installer.ts";
import type { PythonTarget } from "./python-target.ts";
import { isProvided, neverInstalled, withoutProvided } from "./requirements.ts";

/** An installation of packages. */
export interface Installation {
  readonly source: Extract<EnvironmentSource, { kind: "requirements" | "project" }>;
  readonly target: PythonTarget;
  /** New directory for the packages, absolute. */
  readonly into: string;
  /** Existing directory for temporary files, absolute. */
  readonly work: string;
}

/**
 * Installs the packages of a requirements file or of a project for the Python of an image, with uv or pip.
 *
 * @throws SubmitError SUBMIT_ERR_PYTHON_ENV_INSTALLER, SUBMIT_ERR_PYTHON_ENV_BUILD
 */
export async function installPackages(host: Host, installation: Installation): Promise<void> {
  const installer = await findInstaller(host);
  if (installer === undefined) throw submitError("SUBMIT_ERR_PYTHON_ENV_INSTALLER", { path: installation.source.path });
  const requirements = await requirementsFor(host, installation, installer);
  const command =
    installer.name === "uv" ? uvCommand(host, installation, requirements) : pipCommand(installation, requirements);
  const { path } = installation.source;
  const { version, processor } = installation.target;
  const what = `Building the environment of ${path} for Python ${version} on ${processor} with ${installer.name}`;
  host.stderr.write(`${what}\n`);
  await run(host, { command, installer, path, what });
}

interface InstallerRun {
  readonly command: readonly [string, ...string[]];
  readonly installer: Installer;
  readonly path: string;
  /** Shown while it runs. */
  readonly what?: string;
}

async function run(host: Host, { command, installer, path, what }: InstallerRun): Promise<string> {
  const env = { ...host.env, PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_NO_INPUT: "1" };
  const task = runCommand(host, command, { cwd: path.replace(/\/[^/]*$/, "") || "/", env });
  const { code, stdout, stderr } = await (what === undefined ? task : showElapsed(host, what, task));
  if (code === 0) return stdout;
  host.stderr.write(stderr.endsWith("\n") ? stderr : `${stderr}\n`);
  throw submitError("SUBMIT_ERR_PYTHON_ENV_BUILD", { path, tool: installer.name, code });
}

/** Returns a file with the requirements. */
async function requirementsFor(host: Host, { source, work }: Installation, installer: Installer): Promise<string> {
  const { path } = source;
  const file = `${work}/requirements.txt`;
  if (installer.name === "uv") {
    if (source.kind === "requirements") return path;
    if (host.files.info(lockOf(path)) === undefined) return path;
    const project = path.replace(/\/[^/]*$/, "") || "/";
    const options = ["--frozen", "--no-dev", "--no-emit-project", "--no-hashes", "--quiet", "--output-file", file];
    await run(host, { command: ["uv", "export", "--project", project, ...options], installer, path });
    return file;
  }
  const lines =
    source.kind === "requirements"
      ? withoutProvided(host.files, path).lines
      : await projectLines(host, path, installer);
  host.files.write(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

const printDependencies = [
  "import sys, tomllib",
  "project = tomllib.load(open(sys.argv[1], 'rb')).get('project', {})",
  "print('\\n'.join(project.get('dependencies', [])))",
].join("\n");

/** Returns the dependencies of a project without those that the image provides. Python reads TOML since 3.11. */
async function projectLines(host: Host, path: string, installer: Installer): Promise<readonly string[]> {
  const text = await run(host, { command: ["python3", "-c", printDependencies, path], installer, path });
  return text.split("\n").filter((line) => line !== "" && !isProvided(line));
}

function uvCommand(host: Host, { target, into, work }: Installation, requirements: string): InstallerRun["command"] {
  const overrides = `${work}/overrides.txt`;
  host.files.write(overrides, neverInstalled);
  const { version, processor, isLocal } = target;
  const platform = `${processor}-manylinux_2_28`;
  const compiled = isLocal
    ? ["--python", "python3"]
    : ["--python-version", version, "--python-platform", platform, "--only-binary", ":all:"];
  const options = ["--quiet", "--no-python-downloads", "--target", into, "--overrides", overrides];
  return ["uv", "pip", "install", ...options, ...compiled, "--requirement", requirements];
}

/** Tags of wheels, because pip accepts only those that are named. */
const manylinux = ["2_28", "2_27", "2_26", "2_24", "2_17", "2014", "2_12", "2010", "2_5", "1"];

function pipCommand({ target, into }: Installation, requirements: string): InstallerRun["command"] {
  const { version, processor, isLocal } = target;
  const platforms = manylinux.map((tag) => `manylinux${tag.includes("_") ? "_" : ""}${tag}_${processor}`);
  const compiled = isLocal
    ? []
    : [
        ...["--python-version", version, "--implementation", "cp", "--only-binary", ":all:"],
        ...platforms.flatMap((platform) => ["--platform", platform]),
      ];
  const options = ["--quiet", "--no-warn-script-location", "--target", into];
  return ["python3", "-m", "pip", "install", ...options, ...compiled, "--requirement", requirements];
}
