import type { Host } from "../host/host.ts";
import { lastLine, runCommand } from "../host/run-command.ts";
import { checksumOf } from "./checksum.ts";
import { showGrowth } from "./show-growth.ts";
import type { SparkFetch, SparkFetchResult } from "./spark-fetch.ts";

/** Downloads the source archive of pyspark into `work` with pip, from the user's index. */
export async function downloadWithPip(host: Host, { version, work, progress }: SparkFetch): Promise<SparkFetchResult> {
  const temporary = `${work}/pip`;
  host.files.makeDirectory(temporary);
  const totals: number[] = [];
  // `:all:` would also build pip's own build tools from source. With `-vv`, pip prints the index's checksum.
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

/** Returns the size of the archive that pip is writing in its own temporary directory. */
function bytesIn({ files }: Host, directory: string): number {
  const archives = (files.list(directory) ?? []).flatMap((directoryName) =>
    (files.list(`${directory}/${directoryName}`) ?? [])
      .filter((name) => /^pyspark-.+\.(?:tar\.gz|zip)$/.test(name))
      .map((name) => files.info(`${directory}/${directoryName}/${name}`)?.sizeBytes ?? 0),
  );
  return Math.max(0, ...archives);
}

function checkArchive(host: Host, work: string, output: string): SparkFetchResult {
  const archive = host.files.list(work)?.find((name) => /^pyspark-.+\.(?:tar\.gz|zip)$/.test(name));
  if (archive === undefined) return { ok: false, reason: "pip left no archive" };
  const sha256 = checksumOf(host, `${work}/${archive}`, "sha256");
  const published = publishedSha256(output, archive);
  if (published === undefined || published === sha256) return { ok: true, archive, sha256 };
  const reason = `the checksum of ${archive} is ${sha256}, but the index says ${published}`;
  return { ok: false, reason };
}

function publishedSha256(output: string, archive: string): string | undefined {
  const link = `/${archive}#sha256=`;
  const start = output.indexOf(link);
  return start < 0 ? undefined : output.slice(start + link.length, start + link.length + 64);
}
