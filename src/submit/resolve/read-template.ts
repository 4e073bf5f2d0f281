import { podTemplateFile } from "../../conf/entries/driver.ts";
import type { ConfEntry } from "../../conf/entry.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { failure, type Result, success } from "../../errors/issue.ts";
import { messageOf } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { parseDependencyUri } from "../../values/dependency-uri.ts";
import { printJavaDouble } from "../../values/java-number.ts";
import { parseUri } from "../../values/uri.ts";

/**
 * Reads and parses the driver's pod template; the plan checks what it says.
 *
 * Errors: SUBMIT_ERR_TEMPLATE_UNUSABLE, SUBMIT_ERR_TEMPLATE_SCHEME. Source: Spark KubernetesUtils.loadPodFromTemplate.
 */
export async function readDriverTemplate(host: Host, conf: SparkConf): Promise<Result<unknown>> {
  const path = localPath(conf, podTemplateFile.driver);
  if (!path.ok || path.value === undefined) return path;
  try {
    return success(await parseTemplate(readText(host, path.value)));
  } catch (error) {
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path: path.value, reason: reasonOf(error) });
  }
}

/** Reads the executors' pod template as text: the driver parses it. Errors: SUBMIT_ERR_TEMPLATE_UNREADABLE, SUBMIT_ERR_TEMPLATE_SCHEME. */
export function readExecutorTemplate(host: Host, conf: SparkConf): Result<string | undefined> {
  const path = localPath(conf, podTemplateFile.executor);
  if (!path.ok || path.value === undefined) return path;
  try {
    return success(readText(host, path.value));
  } catch (error) {
    const { key } = podTemplateFile.executor;
    return failure("SUBMIT_ERR_TEMPLATE_UNREADABLE", { key, path: path.value, reason: reasonOf(error) });
  }
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

function readText({ files }: Host, path: string): string {
  const text = files.readText(path);
  if (text === undefined) throw new Error("No such file or directory");
  return text;
}

/** Text that begins like JSON is JSON, all else is YAML. */
export async function parseTemplate(text: string): Promise<unknown> {
  return /^\s*[[{]/.test(text) ? parseJson(text) : parseYaml(text);
}

/** The first line: what follows in a parser's message is an excerpt of the file. */
export function reasonOf(error: unknown): string {
  const [reason = ""] = messageOf(error).split("\n");
  return reason;
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/**
 * YAML 1.2 with `<<`. Numbers are those of JSON, so that `0644` stays text and can be read as a file mode; those with a
 * fraction become text as Java prints them, since a pod has none but in environment values and quantities.
 */
async function parseYaml(text: string): Promise<unknown> {
  const { CORE_SCHEMA, defineScalarTag, floatJsonTag, intJsonTag, load, mergeTag } = await import("js-yaml");
  const fractionTag = defineScalarTag(floatJsonTag.tagName, {
    ...floatJsonTag,
    resolve: (source, isExplicit, tagName) => {
      const value = floatJsonTag.resolve(source, isExplicit, tagName);
      return typeof value === "number" ? printJavaDouble(value) : value;
    },
  });
  return load(text, { schema: CORE_SCHEMA.withTags(mergeTag, intJsonTag, fractionTag) });
}
