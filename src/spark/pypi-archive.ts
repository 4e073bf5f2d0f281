import type { Host } from "../host/host.ts";
import { lastLine, runCommand } from "../host/run-command.ts";
import { downloadWithPip } from "./pip-download.ts";
import type { SparkFetch, SparkFetchResult } from "./spark-fetch.ts";
import { unpackArchive } from "./unpack-archive.ts";

/**
 * Fetches a Spark home from PyPI's source archive of pyspark with pip, which knows the user's index, proxy and
 * credentials.
 *
 * The archive has bin, jars and sbin below `deps`, and the Python package beside them.
 *
 * Source: Spark python/packaging/classic/setup.py.
 */
export async function fetchPypiArchive(host: Host, fetch: SparkFetch): Promise<SparkFetchResult> {
  const { version, work, progress } = fetch;
  const pip = await runCommand(host, ["python3", "-m", "pip", "--version"]);
  if (pip.code === 127) return refused("python3 is not installed");
  if (pip.code !== 0) return refused("python3 has no pip");

  progress.note(`Downloading Spark ${version} from PyPI (about 450 MB, once).`);
  const downloaded = await downloadWithPip(host, fetch);
  if (!downloaded.ok) return refused(downloaded.reason);
  const { archive, sha256 } = downloaded;
  progress.note(`Assembling Spark ${version}.`);
  const unpacked = `${work}/unpacked`;
  const path = `${work}/${archive}`;
  const tarProblem = await unpackArchive(host, { archive: path, into: unpacked });
  if (tarProblem !== undefined) return refused(tarProblem);
  host.files.remove(path);
  const problem = await buildHome(host, { unpacked, work });
  return problem === undefined ? { ok: true, archive, sha256 } : refused(problem);
}

function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason: `PyPI: ${reason}` };
}

/** Builds a home from the unpacked archive. Returns the reason if that fails. */
async function buildHome(
  host: Host,
  { unpacked, work }: { unpacked: string; work: string },
): Promise<string | undefined> {
  const { files } = host;
  const home = `${work}/home`;
  if (files.info(`${unpacked}/deps`)?.kind !== "directory") return "the archive contains no distribution";
  files.rename(`${unpacked}/deps`, home);
  files.makeDirectory(`${home}/conf`);
  if (files.info(`${home}/examples`) !== undefined && files.info(`${home}/examples/src`) === undefined) {
    files.makeDirectory(`${work}/examples/src/main`);
    files.rename(`${home}/examples`, `${work}/examples/src/main/python`);
    files.rename(`${work}/examples`, `${home}/examples`);
  }
  for (const directory of ["bin", "sbin"]) {
    for (const name of files.list(`${home}/${directory}`) ?? [])
      files.changeMode(`${home}/${directory}/${name}`, 0o755);
  }
  return await buildPythonLibraries(host, { unpacked, work, home });
}

/** Builds `python/lib/pyspark.zip` and `py4j-*-src.zip`, which are on the PYTHONPATH of a driver in a pod. */
async function buildPythonLibraries(
  host: Host,
  { unpacked, work, home }: { unpacked: string; work: string; home: string },
): Promise<string | undefined> {
  const { files } = host;
  const library = `${home}/python/lib`;
  files.makeDirectory(library);
  const zipped = await zip(host, { directory: unpacked, name: "pyspark", into: `${library}/pyspark.zip` });
  if (zipped !== undefined) return zipped;
  files.rename(`${unpacked}/pyspark`, `${home}/python/pyspark`);
  const shipped = files.list(`${unpacked}/lib`)?.find((name) => /^py4j-.+-src\.zip$/.test(name));
  if (shipped !== undefined) {
    files.rename(`${unpacked}/lib/${shipped}`, `${library}/${shipped}`);
    return undefined;
  }
  const jar = files.list(`${home}/jars`)?.find((name) => /^py4j-.+\.jar$/.test(name));
  const version = jar?.slice("py4j-".length, -".jar".length);
  if (version === undefined) return "the archive has no py4j";
  const target = `${work}/py4j`;
  const pip = await runCommand(host, [
    ...(["python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target"] as const),
    target,
    `py4j==${version}`,
  ]);
  if (pip.code !== 0) return `py4j ${version}: ${lastLine(pip.stderr)}`;
  return await zip(host, { directory: target, name: "py4j", into: `${library}/py4j-${version}-src.zip` });
}

async function zip(
  host: Host,
  { directory, name, into }: { directory: string; name: string; into: string },
): Promise<string | undefined> {
  const { code, stderr } = await runCommand(host, ["python3", "-m", "zipfile", "-c", into, name], {
    cwd: directory,
  });
  return code === 0 ? undefined : `${name} could not be packed: ${lastLine(stderr)}`;
}
