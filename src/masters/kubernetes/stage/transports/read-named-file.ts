import type { ConfEntry } from "../../../../conf/entry.ts";
import type { SparkConf } from "../../../../conf/spark-conf.ts";
import { submitError } from "../../../../errors/submit-error.ts";
import { absolutePath } from "../../../../host/absolute-path.ts";
import type { Host } from "../../../../host/host.ts";

/** Reads the file that a setting names; `undefined` without the setting. @throws SUBMIT_ERR_FILE_UNREADABLE */
export function readNamedFile(host: Host, conf: SparkConf, entry: ConfEntry<string | undefined>): string | undefined {
  const specified = conf.get(entry);
  return specified === undefined ? undefined : readFileOf(host, entry.key, specified);
}

/** Reads a file of a setting. @throws SUBMIT_ERR_FILE_UNREADABLE */
export function readFileOf({ files, cwd }: Host, key: string, specified: string): string {
  const path = absolutePath({ cwd }, specified);
  const text = files.info(path)?.kind === "file" ? files.readText(path) : undefined;
  if (text !== undefined) return text;
  throw submitError("SUBMIT_ERR_FILE_UNREADABLE", { what: key, path, reason: "the file does not exist" });
}
