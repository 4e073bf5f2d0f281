import type { Host } from "../host/host.ts";
import { checksumOf } from "./checksum.ts";
import { lastLine, runCommand } from "./run-command.ts";
import { showGrowth } from "./show-growth.ts";
import type { SparkFetch, SparkFetchResult } from "./spark-fetch.ts";

/** The source archive of pyspark, as pip finds it on the user's index, in the folder `work`. */
export async function downloadWithPip(
  host: Host,
  { version, work, progress }: SparkFetch,
): Promise<SparkFetchResult> {
  const temporary = `${work}/pip`;
  host.files.makeDirectory(temporary);
  const totals: number[] = [];
  // `:all:` would build pip's own build tools from source, too. Twice verbose, pip tells the index's checksum.
  const ended = runCommand(
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
  const measure = () => bytesIn(host, temporary);
  const pip = await showGrowth(host, progress, {
    ...{ what: `Spark ${version}`, measure, total: () => totals[0], ended },
  });
  if (pip.code !== 0) {
    const error = /^ERROR: (.+?)(?: \(from versions: .*)?$/m.exec(pip.stderr)?.[1];
    return { ok: false, reason: error ?? lastLine(pip.stderr) };
  }
  return checkArchive(host, work, pip.stdout);
}

/** Of the archive that pip is writing, in a folder of its own making. */
function bytesIn({ files }: Host, directory: string): number {
  const archives = (files.list(directory) ?? []).flatMap((folder) =>
    (files.list(`${directory}/${folder}`) ?? [])
      .filter((name) => /^pyspark-.+\.(?:tar\.gz|zip)$/.test(name))
      .map((name) => files.info(`${directory}/${folder}/${name}`)?.sizeBytes ?? 0),
  );
  return Math.max(0, ...archives);
}

function checkArchive(host: Host, work: string, output: string): SparkFetchResult {
  const archive = host.files.list(work)?.find((name) => /^pyspark-.+\.(?:tar\.gz|zip)$/.test(name));
  if (archive === undefined) return { ok: false, reason: "pip left no archive" };
  const sha256 = checksumOf(host, `${work}/${archive}`, "sha256");
  const told = sha256Told(output, archive);
  if (told === undefined || told === sha256) return { ok: true, archive, sha256 };
  const reason = `the checksum of ${archive} is ${sha256}, but the index says ${told}`;
  return { ok: false, reason };
}

function sha256Told(output: string, archive: string): string | undefined {
  const link = `/${archive}#sha256=`;
  const start = output.indexOf(link);
  return start < 0 ? undefined : output.slice(start + link.length, start + link.length + 64);
}
