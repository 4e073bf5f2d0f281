import { pysparkDriverPython, pysparkPython } from "../../../conf/entries/app.ts";
import { firesteelPythonEnv } from "../../../conf/entries/firesteel.ts";
import { pythonEnvDirectory, pythonEnvPlatform, pythonEnvVersion } from "../../../conf/entries/python-env.ts";
import type { Setting, SettingOrigin } from "../../../conf/setting.ts";
import { issue } from "../../../errors/issue.ts";
import { orThrow, submitError, throwIssues } from "../../../errors/submit-error.ts";
import { archivePath, type PackableEnvironment, provideArchive } from "../../../python/environment-archive.ts";
import { type EnvironmentSource, findEnvironmentSource, isBuilt } from "../../../python/environment-source.ts";
import type { ResolvedSubmission } from "../../../resolve/resolve-submission.ts";
import { printFileUri } from "../../../values/uri.ts";
import type { Provision } from "./provision.ts";
import { findPythonTarget, type PlannedDestination } from "./python-target.ts";

/**
 * Adds the Python environment of a submission to its archives, and makes its interpreter that of driver and executors.
 *
 * @throws SubmitError SUBMIT_ERR_PYTHON_ENV…, SUBMIT_ERR_OPTIONS_EXCLUSIVE
 */
export async function providePythonEnvironment(
  submission: ResolvedSubmission,
  destination: PlannedDestination,
  provision: Provision,
): Promise<ResolvedSubmission> {
  const { host, log, fields } = submission;
  const { conf } = destination.request;
  const text = fields.get("pythonEnv")?.value ?? "";
  const source = findEnvironmentSource(host, text);
  const others = [pysparkPython, pysparkDriverPython].filter((entry) => conf.has(entry));
  throwIssues([
    ...conf.check([pythonEnvVersion, pythonEnvPlatform]),
    ...(source.ok ? [] : source.issues),
    ...others.map(({ key }) => issue("SUBMIT_ERR_OPTIONS_EXCLUSIVE", { first: firesteelPythonEnv.key, second: key })),
  ]);
  const archive = await findArchive(submission, { source: orThrow(source), destination, provision });
  if (archive === undefined) {
    log(
      "WARN",
      "PythonEnvironment",
      `The environment of ${text} is not in the cache. A submission builds it, and adds it to the archives`,
    );
    return submission;
  }
  log("INFO", "PythonEnvironment", `Driver and executors use the Python environment ${archive}`);
  return withEnvironment(submission, archive);
}

interface ArchiveSearch {
  readonly source: EnvironmentSource;
  readonly destination: PlannedDestination;
  readonly provision: Provision;
}

/** Returns the path of the archive; `undefined` if it would have to be built. */
async function findArchive(
  submission: ResolvedSubmission,
  { source, destination, provision }: ArchiveSearch,
): Promise<string | undefined> {
  const { host } = submission;
  if (source.kind === "archive") return source.path;
  const environment = await packable(submission, source, { destination, provision });
  if (environment === undefined) return undefined;
  if (provision === "complete") return provideArchive(host, environment);
  const archive = archivePath(host, environment);
  return host.files.info(archive) === undefined ? undefined : archive;
}

async function packable(
  submission: ResolvedSubmission,
  source: PackableEnvironment["source"],
  { destination, provision }: Pick<ArchiveSearch, "destination" | "provision">,
): Promise<PackableEnvironment | undefined> {
  if (source.kind === "interpreter") return { source, target: undefined };
  // The release that a registry reports is too uncertain to reject a finished environment.
  const target = await findPythonTarget(submission, destination, isBuilt(source) ? provision : "cached");
  // A submission asks the registry.
  if (isBuilt(source) && !target.ok && provision === "cached" && !destination.isEmbedded) return undefined;
  if (isBuilt(source) || target.ok) {
    const { version } = orThrow(target);
    if (source.kind === "venv" && source.version !== version)
      throw submitError("SUBMIT_ERR_PYTHON_ENV_MISMATCH", {
        path: source.path,
        version: source.version,
        expected: version,
      });
    return { source, target: orThrow(target) };
  }
  // Its interpreter checks the image's release when the driver starts.
  const { version } = source.kind === "venv" ? source : { version: "" };
  return { source, target: { version, processor: "x86_64", isLocal: false } };
}

function withEnvironment(submission: ResolvedSubmission, archive: string): ResolvedSubmission {
  const { fields, read } = submission;
  const archives = [fields.get("archives")?.value ?? "", `${printFileUri(archive)}#${pythonEnvDirectory}`];
  const more = new Map(fields).set("archives", { value: archives.filter((one) => one !== "").join(","), origin });
  const { key } = pysparkPython;
  const settings = new Map<string, Setting>(read.settings);
  settings.set(key, { key, value: `./${pythonEnvDirectory}/bin/python`, origin });
  return { ...submission, fields: more, read: { ...read, settings } };
}

const origin: SettingOrigin = { kind: "client", why: "Python environment" };
