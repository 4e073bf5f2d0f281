import { podTemplateFile } from "../conf/entries/driver.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";
import { parseUri } from "../values/uri.ts";

/**
 * Reads and parses the driver's pod template; the plan checks what it says.
 *
 * Errors: SUBMIT_ERR_TEMPLATE_UNUSABLE, SUBMIT_ERR_TEMPLATE_SCHEME. Source: Spark KubernetesUtils.loadPodFromTemplate.
 */
export async function readDriverTemplate(host: Host, conf: SparkConf): Promise<Result<unknown>> {
  const path = localPath(conf, podTemplateFile.driver);
  if (!path.ok || path.value === undefined) return path;
  const file = path.value;
  const text = readText(host, file);
  if (text === undefined) {
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", {
      path: file,
      reason: "it does not exist or cannot be read",
    });
  }
  try {
    return success(/^\s*[[{]/.test(text) ? parseJson(text) : await parseYaml(text));
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path: file, reason });
  }
}

/** Reads the executors' pod template as text: the driver parses it. Errors: SUBMIT_ERR_TEMPLATE_MISSING, SUBMIT_ERR_TEMPLATE_SCHEME. */
export function readExecutorTemplate(host: Host, conf: SparkConf): Result<string | undefined> {
  const path = localPath(conf, podTemplateFile.executor);
  if (!path.ok || path.value === undefined) return path;
  const text = readText(host, path.value);
  return text === undefined
    ? failure("SUBMIT_ERR_TEMPLATE_MISSING", { key: podTemplateFile.executor.key, path: path.value })
    : success(text);
}

/** Templates are the one case in which `local:` is a file of this machine. */
function localPath(conf: SparkConf, entry: ConfEntry<string | undefined>): Result<string | undefined> {
  const given = conf.read(entry);
  if (!given.ok || given.value === undefined) return given;
  const uri = parseDependencyUri(given.value);
  switch (uri.kind) {
    case "submitterLocal":
      return success(uri.path);
    case "containerLocal":
      return success(parseUri(uri.text)?.path ?? uri.text.slice("local:".length));
    case "remote":
      return failure("SUBMIT_ERR_TEMPLATE_SCHEME", { key: entry.key, uri: uri.text });
  }
}

function readText({ files }: Host, path: string): string | undefined {
  try {
    return files.readText(path);
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** YAML 1.2 with `<<`; numbers as JSON writes them, so that `0644` stays text and can be read as a file mode. */
async function parseYaml(text: string): Promise<unknown> {
  const { CORE_SCHEMA, floatJsonTag, intJsonTag, load, mergeTag } = await import("js-yaml");
  return load(text, { schema: CORE_SCHEMA.withTags(mergeTag, intJsonTag, floatJsonTag) });
}
