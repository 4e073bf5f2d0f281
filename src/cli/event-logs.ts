import type { Host } from "../host/host.ts";
import { removeTree } from "../host/remove-tree.ts";

/** Limits of the event logs of one cluster. */
export const eventLogLimits = { applications: 100, bytes: 1024 * 1024 * 1024 };

/** Time without a change after which the log of an application that has not ended can be that of a killed driver. */
const abandonedMs = 24 * 60 * 60_000;

interface EventLog {
  readonly path: string;
  readonly modifiedMs: number;
  readonly sizeBytes: number;
  readonly isFinished: boolean;
}

interface OpenCall {
  readonly directory: string;
  /** Whether drivers of the cluster can be running: then logs of applications that have not ended are kept. */
  readonly drivers: "running" | "none";
}

/**
 * Creates the directory of a cluster's event logs if it is missing, and removes the oldest logs above the limits.
 *
 * @returns its path
 */
export function openEventLogs(host: Host, { directory, drivers }: OpenCall, limits = eventLogLimits): string {
  const { files, clock } = host;
  files.makeDirectory(directory);
  const isKept = ({ isFinished, modifiedMs }: EventLog) =>
    !isFinished && (drivers === "running" || clock.now() - modifiedMs < abandonedMs);
  const logs = (files.list(directory) ?? []).map((file) => readLog(host, `${directory}/${file}`));
  let [applications, bytes] = [0, 0];
  for (const log of logs.sort((a, b) => b.modifiedMs - a.modifiedMs)) {
    applications += 1;
    bytes += log.sizeBytes;
    if ((applications > limits.applications || bytes > limits.bytes) && !isKept(log)) removeTree(files, log.path);
  }
  return directory;
}

/** Reads a log: a file, or a directory of files that Spark rolls over. */
function readLog({ files }: Host, path: string): EventLog {
  const own = files.info(path, { followLinks: false });
  const names = own?.kind === "directory" ? (files.list(path) ?? []) : [];
  const parts = names.flatMap((name) => files.info(`${path}/${name}`, { followLinks: false }) ?? []);
  const all = own === undefined ? parts : [own, ...parts];
  return {
    path,
    modifiedMs: Math.max(0, ...all.map(({ modifiedMs }) => modifiedMs)),
    sizeBytes: all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    isFinished: ![path, ...names].some((name) => name.endsWith(".inprogress")),
  };
}
