import type { Host } from "../host/host.ts";
import { checksumOf } from "./checksum.ts";
import { lastLine, runCommand } from "./run-command.ts";
import type { SparkFetch, SparkFetchResult } from "./spark-fetch.ts";

/**
 * A Spark home from PyPI's source archive of pyspark, through pip, which knows the user's index, proxy and credentials.
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

  progress.note(`Getting Spark ${version} from PyPI (some 450 MB, once).`);
  const downloaded = await downloadArchive(host, fetch);
  if (!downloaded.ok) return downloaded;
  const { archive, sha256 } = downloaded;
  progress.note(`Putting Spark ${version} together.`);
  const unpacked = `${work}/unpacked`;
  host.files.makeDirectory(unpacked);
  const path = `${work}/${archive}`;
  const tar = await runCommand(host, [
    "tar",
    "--no-same-owner",
    "-xzf",
    path,
    "-C",
    unpacked,
    "--strip-components=1",
  ]);
  if (tar.code !== 0) return refused(`${archive} could not be unpacked: ${lastLine(tar.stderr)}`);
  host.files.remove(path);
  const problem = await buildHome(host, { unpacked, work });
  return problem === undefined ? { ok: true, archive, sha256 } : refused(problem);
}

function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason: `PyPI: ${reason}` };
}

async function downloadArchive(
  host: Host,
  { version, work, progress }: SparkFetch,
): Promise<SparkFetchResult> {
  const temporary = `${work}/pip`;
  host.files.makeDirectory(temporary);
  const transfer = progress.transfer(`Spark ${version}`);
  const totals: number[] = [];
  const ended = new AbortController();
  const watching = watchDownload(host, temporary, {
    signal: ended.signal,
    onBytes: (bytes) => transfer.update(bytes, totals[0]),
  });
  // `:all:` would build pip's own build tools from source, too. Twice verbose, pip tells the index's checksum.
  const pip = await runCommand(
    host,
    [
      "python3",
      ...["-m", "pip", "download", "-vv", "--progress-bar", "off", "--no-cache-dir", "--no-deps"],
      ...["--ignore-requires-python", "--no-binary", "pyspark", "--dest", work, `pyspark==${version}`],
    ],
    {
      env: { ...host.env, TMPDIR: temporary },
      onText: (text) => {
        const size = /Downloading \S*pyspark-\S+ \(([\d.]+) MB\)/.exec(text)?.[1];
        if (size !== undefined) totals.push(Number(size) * 1e6);
      },
    },
  );
  ended.abort();
  await watching;
  transfer.end();
  if (pip.code !== 0) {
    const error = /^ERROR: (.+?)(?: \(from versions: .*)?$/m.exec(pip.stderr)?.[1];
    return refused(error ?? lastLine(pip.stderr));
  }
  const archive = host.files.list(work)?.find((name) => /^pyspark-.+\.(?:tar\.gz|zip)$/.test(name));
  if (archive === undefined) return refused("pip left no archive");
  const sha256 = checksumOf(host, `${work}/${archive}`, "sha256");
  const told = sha256Told(pip.stdout, archive);
  if (told !== undefined && told !== sha256) {
    return refused(`the checksum of ${archive} is ${sha256}, but the index says ${told}`);
  }
  return { ok: true, archive, sha256 };
}

function sha256Told(output: string, archive: string): string | undefined {
  const start = output.indexOf(`/${archive}#sha256=`);
  return start < 0 ? undefined : output.slice(start + archive.length + 9, start + archive.length + 73);
}

/** Pip has no progress that a program could read in all its versions; but the file it writes grows. */
async function watchDownload(
  host: Host,
  directory: string,
  { signal, onBytes }: { signal: AbortSignal; onBytes: (bytes: number) => void },
): Promise<void> {
  while (!signal.aborted) {
    for (const folder of host.files.list(directory) ?? []) {
      for (const name of host.files.list(`${directory}/${folder}`) ?? []) {
        const info = name.startsWith("pyspark-")
          ? host.files.info(`${directory}/${folder}/${name}`)
          : undefined;
        if (info?.kind === "file") onBytes(info.sizeBytes);
      }
    }
    await host.clock.sleep(250, { signal });
  }
}

/** Returns why it could not be done. */
async function buildHome(
  host: Host,
  { unpacked, work }: { unpacked: string; work: string },
): Promise<string | undefined> {
  const { files } = host;
  const home = `${work}/home`;
  if (files.info(`${unpacked}/deps`)?.kind !== "directory") return "the archive has no distribution in it";
  files.rename(`${unpacked}/deps`, home);
  files.makeDirectory(`${home}/conf`);
  if (files.info(`${home}/examples`) !== undefined && files.info(`${home}/examples/src`) === undefined) {
    files.makeDirectory(`${work}/examples/src/main`);
    files.rename(`${home}/examples`, `${work}/examples/src/main/python`);
    files.rename(`${work}/examples`, `${home}/examples`);
  }
  for (const folder of ["bin", "sbin"]) {
    for (const name of files.list(`${home}/${folder}`) ?? [])
      files.changeMode(`${home}/${folder}/${name}`, 0o755);
  }
  return await buildPythonLibraries(host, { unpacked, work, home });
}

/** `python/lib/pyspark.zip` and `py4j-*-src.zip`: what a driver in a pod has on its PYTHONPATH. */
async function buildPythonLibraries(
  host: Host,
  { unpacked, work, home }: { unpacked: string; work: string; home: string },
): Promise<string | undefined> {
  const { files } = host;
  const library = `${home}/python/lib`;
  files.makeDirectory(library);
  const zipped = await zip(host, { folder: unpacked, name: "pyspark", into: `${library}/pyspark.zip` });
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
  return await zip(host, { folder: target, name: "py4j", into: `${library}/py4j-${version}-src.zip` });
}

async function zip(
  host: Host,
  { folder, name, into }: { folder: string; name: string; into: string },
): Promise<string | undefined> {
  const { code, stderr } = await runCommand(host, ["python3", "-m", "zipfile", "-c", into, name], {
    cwd: folder,
  });
  return code === 0 ? undefined : `${name} could not be packed: ${lastLine(stderr)}`;
}
