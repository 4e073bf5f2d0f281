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
 * What `spark.yarn.jars` names, patterns of file names replaced by the files that they match; `undefined` when it is not set.
 *
 * @throws SUBMIT_ERR_HADOOP_FILE_SYSTEM, SUBMIT_ERR_GLOB_PATTERN, what HDFS refuses
 */
export async function findSparkJars(
  host: Host,
  conf: SparkConf,
  fileSystems: FileSystems,
): Promise<readonly string[] | undefined> {
  const told = conf.get(yarnJars);
  if (told === undefined) return undefined;
  const paths = submitterPaths(host);
  const found: string[] = [];
  for (const item of told) {
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
  // A pattern is no path of a URI in Java's grammar.
  const [, root = "", pattern = ""] = /^([^:]+:\/\/[^/]*)(\/.*)$/.exec(uri) ?? [];
  const { hdfs } = of(root);
  let folders: readonly string[] = [""];
  const parts = pattern.split("/").filter((part) => part !== "");
  for (const part of parts.slice(0, -1))
    folders = await matchesIn(hdfs, { folders, part, kind: "directory" });
  const files = await matchesIn(hdfs, { folders, part: parts.at(-1) ?? "", kind: "file" });
  return files.map((path) => `${hdfs.uri}${path.split("/").map(encodeURIComponent).join("/")}`);
}

interface Level {
  readonly folders: readonly string[];
  readonly part: string;
  readonly kind: "file" | "directory";
}

async function matchesIn(hdfs: WebHdfs, { folders, part, kind }: Level): Promise<readonly string[]> {
  if (!/[*?[{]/.test(part)) return folders.map((folder) => `${folder}/${part}`);
  const pattern = patternOf(part);
  const lists = await Promise.all(
    folders.map(async (folder) => ({ folder, names: await hdfs.list(folder || "/") })),
  );
  return lists.flatMap(({ folder, names = [] }) =>
    names
      .filter((entry) => entry.kind === kind && pattern.test(entry.name))
      .map(({ name }) => `${folder}/${name}`),
  );
}

/** `*`, `?`, `[abc]`, `[^a]` and `{a,b}` of Hadoop's patterns. */
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
