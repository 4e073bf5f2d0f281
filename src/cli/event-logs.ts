import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import { removeTree } from "../host/remove-tree.ts";

/** Limit of applications whose event logs are kept. */
export const maxEventLogs = 100;

/** Returns the directory of the event logs of all embedded clusters, which need not exist. */
export function eventLogDirectory(host: Host): string {
  return `${cacheDirectory(host)}/event-logs`;
}

/** Creates the directory if it is missing, and removes the oldest event logs above the limit. @returns its path */
export function openEventLogs(host: Host): string {
  const { files } = host;
  const directory = eventLogDirectory(host);
  files.makeDirectory(directory);
  const logs = (files.list(directory) ?? []).map((name) => {
    const path = `${directory}/${name}`;
    return { path, modifiedMs: files.info(path, { followLinks: false })?.modifiedMs ?? 0 };
  });
  const oldest = logs.sort((a, b) => b.modifiedMs - a.modifiedMs).slice(maxEventLogs);
  for (const { path } of oldest) removeTree(files, path);
  return directory;
}
