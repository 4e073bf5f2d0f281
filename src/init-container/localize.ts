import { allOrAbort } from "../net/all-or-abort.ts";
import { limiter } from "../net/limiter.ts";
import type { LocalizeConfig } from "../staging-client/localize-config.ts";
import { type Download, download, isPlaced } from "./download.ts";
import { entryNames } from "./entry-names.ts";
import { openIncoming } from "./incoming-file.ts";
import { LocalizeError, noSpace } from "./localize-error.ts";
import type { LocalizedFiles, LocalizeRun } from "./localize-run.ts";
import { planSource, type SourceTools, type Work } from "./plan-source.ts";
import type { SecretFiles } from "./secret-files.ts";

const defaultParallel = 5;

/**
 * Localizes all files of a configuration. Before the first download, fetches the manifests, assigns the names and checks the
 * free space. The first failure aborts all other work and removes incomplete files.
 *
 * @throws LocalizeError
 */
export async function localize(
  run: LocalizeRun,
  config: LocalizeConfig,
  secrets: SecretFiles,
): Promise<LocalizedFiles> {
  const { files } = run.host;
  if (files.info(config.directory)?.kind !== "directory")
    throw new LocalizeError("badConfig", `directory: ${config.directory} is not a directory`);
  const incoming = openIncoming(files, config.directory);
  try {
    const tools = { secrets, incoming, names: entryNames(files, config.directory) };
    return await localizeSources(run, config, tools);
  } finally {
    incoming.remove();
  }
}

async function localizeSources(run: LocalizeRun, config: LocalizeConfig, tools: SourceTools): Promise<LocalizedFiles> {
  const plans = await allOrAbort(
    run.signal,
    config.sources.map((source) => (signal) => planSource({ ...run, signal }, source, tools)),
  );
  const missing = await withoutPlaced(
    run,
    plans.flatMap(({ downloads }) => downloads),
  );
  const workBytes = plans.reduce((sum, plan) => sum + plan.workBytes, 0);
  const needed = missing.reduce((sum, { size = 0 }) => sum + size, workBytes);
  checkSpace(run, needed, config.directory);
  const limited = limiter(config.parallel ?? defaultParallel);
  const works = [
    ...plans.flatMap(({ works: others }) => others),
    ...missing.map(
      (requested): Work =>
        (all) =>
          limited(() => download(all, tools.incoming, requested)),
    ),
  ];
  const done = await allOrAbort(
    run.signal,
    works.map((work) => (signal) => work({ ...run, signal })),
  );
  return {
    files: done.reduce((sum, { files }) => sum + files, 0),
    bytes: done.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

async function withoutPlaced(run: LocalizeRun, downloads: readonly Download[]): Promise<readonly Download[]> {
  const missing: Download[] = [];
  for (const requested of downloads) {
    if (await isPlaced(run, requested)) run.log(`${requested.entry} already exists`);
    else missing.push(requested);
  }
  return missing;
}

function checkSpace({ host }: LocalizeRun, needed: number, directory: string): void {
  const available = host.files.freeBytes(directory);
  if (needed > available) throw noSpace(String(needed), available);
}
