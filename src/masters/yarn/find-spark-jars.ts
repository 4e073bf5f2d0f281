import { yarnJars } from "../../conf/entries/yarn.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { orThrow } from "../../errors/submit-error.ts";
import type { WebHdfs } from "../../hadoop/webhdfs.ts";
import type { Host } from "../../host/host.ts";
import { expandGlobs } from "../../resolve/expand-globs.ts";
import { submitterPaths } from "../../resolve/submitter-paths.ts";
import { resolveUri } from "../../values/dependency-uri.ts";
import type { FileSystems } from "./file-systems.ts";

/**
 * Lists the jars of `spark.yarn.jars`, with the matching files of name patterns. `undefined` if it is not set.
 *
 * @throws SUBMIT_ERR_HADOOP_FILE_SYSTEM, SUBMIT_ERR_GLOB_PATTERN, SUBMIT_ERR_HADOOP_…
 */
export async function findSparkJars(
  host: Host,
  conf: SparkConf,
  fileSystems: FileSystems,
): Promise<readonly string[] | undefined> {
  const configured = conf.get(yarnJars);
  if (configured === undefined) return undefined;
  const paths = submitterPaths(host);
  const found: string[] = [];
  for (const item of configured) {
    const uri = item.startsWith("local:") ? item : resolveUri(item, paths);
    if (uri.startsWith("local:")) found.push(uri);
    else if (uri.startsWith("file:")) {
      const files = orThrow(expandGlobs(uri, { files: host.files, paths }));
      found.push(...files.split(",").filter((file) => file !== ""));
    } else found.push(...(await matchesOf(uri, fileSystems)));
  }
  return found;
}

async function matchesOf(uri: string, { of }: FileSystems): Promise<readonly string[]> {
  if (!/[*?[{]/.test(uri)) return [uri];
  // Java's URI grammar does not allow patterns in paths.
  const [, root = "", pattern = ""] = /^([^:]+:\/\/[^/]*)(\/.*)$/.exec(uri) ?? [];
  const { hdfs } = of(root);
  let directories: readonly string[] = [""];
  const parts = pattern.split("/").filter((part) => part !== "");
  for (const part of parts.slice(0, -1)) directories = await matchesIn(hdfs, directories, [part, "directory"]);
  const files = await matchesIn(hdfs, directories, [parts.at(-1) ?? "", "file"]);
  return files.map((path) => `${hdfs.uri}${path.split("/").map(encodeURIComponent).join("/")}`);
}

async function matchesIn(
  hdfs: WebHdfs,
  directories: readonly string[],
  [part, kind]: readonly [string, "file" | "directory"],
): Promise<readonly string[]> {
  if (!/[*?[{]/.test(part)) return directories.map((directory) => `${directory}/${part}`);
  const pattern = patternOf(part);
  const lists = await Promise.all(
    directories.map(async (directory) => ({ directory, names: await hdfs.list(directory || "/") })),
  );
  return lists.flatMap(({ directory, names = [] }) =>
    names.filter((entry) => entry.kind === kind && pattern.test(entry.name)).map(({ name }) => `${directory}/${name}`),
  );
}

/** Converts a Hadoop pattern with `*`, `?`, `[abc]`, `[^a]` and `{a,b}`. */
function patternOf(text: string): RegExp {
  let alternatives = 0;
  const source = text.replace(/\[\^?[^\]]*\]|[\s\S]/g, (part) => {
    if (part.startsWith("[") && part.length > 1) return part.replaceAll("\\", "\\\\");
    if (part === "{") alternatives += 1;
    if (part === "}") alternatives -= 1;
    const meanings: Readonly<Record<string, string>> = { "*": ".*", "?": ".", "{": "(?:", "}": ")" };
    if (part === "," && alternatives > 0) return "|";
    return meanings[part] ?? part.replace(/[.+^$()|\\[\]]/, "\\$&");
  });
  return new RegExp(`^${source}$`);
}
