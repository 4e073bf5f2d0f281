import type { Behaviors } from "../conf/behaviors.ts";
import { podTemplateFile } from "../conf/entries/driver.ts";
import type { ConfEntry } from "../conf/entry.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { messageOf } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { excludedSteps, stepNames } from "../plan/feature-steps.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";
import { printJavaDouble } from "../values/java-number.ts";
import { parseUri } from "../values/uri.ts";
import { decodeUtf8, decodeUtf8Leniently } from "../values/utf8.ts";

/**
 * Reads and parses the driver's pod template; the plan checks what it says.
 *
 * Errors: SUBMIT_ERR_TEMPLATE_UNUSABLE, SUBMIT_ERR_TEMPLATE_SCHEME. Source: Spark KubernetesUtils.loadPodFromTemplate.
 */
export async function readDriverTemplate(
  host: Host,
  { conf, behaviors }: TemplateSource,
): Promise<Result<unknown>> {
  const given = conf.read(podTemplateFile.driver);
  if (!given.ok || given.value === undefined) return given;
  try {
    return success(
      await parseTemplate(decodeUtf8Leniently(await readBytes(host, given.value, behaviors)), behaviors),
    );
  } catch (error) {
    if (error instanceof UnsupportedScheme && behaviors.templatePaths === "plain")
      return unserved(podTemplateFile.driver, given.value);
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path: shown(given.value), reason: reasonOf(error) });
  }
}

/**
 * Reads the executors' pod template as text: the driver parses it.
 *
 * Errors: SUBMIT_ERR_TEMPLATE_UNREADABLE, SUBMIT_ERR_NOT_UTF8, SUBMIT_ERR_TEMPLATE_SCHEME.
 * Source: Spark PodTemplateConfigMapStep.
 */
export async function readExecutorTemplate(
  host: Host,
  { conf, behaviors }: TemplateSource,
): Promise<Result<string | undefined>> {
  const given = conf.read(podTemplateFile.executor);
  if (!given.ok || given.value === undefined) return given;
  if (excludedSteps(conf).has(stepNames.podTemplate)) return success(undefined);
  try {
    const bytes = await readBytes(host, given.value, behaviors);
    const isRefused = traitsOf(conf.version.line).refusesOtherThanUtf8 && decodeUtf8(bytes) === undefined;
    return isRefused
      ? failure("SUBMIT_ERR_NOT_UTF8", { path: shown(given.value) })
      : success(decodeUtf8Leniently(bytes));
  } catch (error) {
    if (error instanceof UnsupportedScheme && behaviors.templatePaths === "plain")
      return unserved(podTemplateFile.executor, given.value);
    const { key } = podTemplateFile.executor;
    const path = shown(given.value);
    return failure("SUBMIT_ERR_TEMPLATE_UNREADABLE", { key, path, reason: reasonOf(error) });
  }
}

/** The executors' template as data: the driver parses its text; we do only where something is added. Errors: SUBMIT_ERR_TEMPLATE_UNUSABLE. */
export async function parseExecutorTemplate(
  { conf, behaviors }: TemplateSource,
  text: string,
): Promise<Result<unknown>> {
  try {
    return success(await parseTemplate(text, behaviors));
  } catch (error) {
    const path = shown(conf.get(podTemplateFile.executor) ?? "");
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path, reason: reasonOf(error) });
  }
}

/** Where templates are named, and whose words say that they cannot be read. */
export type TemplateSource = Pick<SubmitRequest, "conf" | "behaviors">;

class UnsupportedScheme extends Error {}

function unserved({ key }: ConfEntry<unknown>, uri: string): Result<never> {
  const scheme = uri.slice(0, uri.indexOf(":"));
  return failure("SUBMIT_ERR_TEMPLATE_SCHEME", { key, uri: shown(uri), scheme });
}

/** `undefined` scheme: a file of this machine, also with `local:`. */
function placeOf(given: string): { readonly scheme: string | undefined; readonly path: string } {
  const uri = parseDependencyUri(given);
  switch (uri.kind) {
    case "submitterLocal":
      return { scheme: undefined, path: uri.path };
    case "containerLocal":
      return { scheme: undefined, path: parseUri(uri.text)?.path ?? uri.text.slice("local:".length) };
    case "remote":
      return { scheme: uri.scheme, path: uri.text };
  }
}

/** A user and a password stay out of messages. */
function shown(given: string): string {
  const { scheme, path } = placeOf(given);
  return scheme === undefined ? path : path.replace(/\/\/[^/?#]*@/, "//");
}

/** What a ConfigMap can hold, as the executors' template must. */
const templateLimitBytes = 1024 * 1024;

/** Spark takes the path for a URI, which has no blanks. */
async function readBytes(
  host: Host,
  given: string,
  { templatePaths }: Pick<Behaviors, "templatePaths">,
): Promise<Uint8Array> {
  if (templatePaths === "spark" && parseUri(given) === undefined) {
    throw new Error(`Illegal character in path at index ${given.search(/[\s"<>\\^`{|}[\]]/)}: ${given}`);
  }
  const { scheme, path } = placeOf(given);
  if (scheme === undefined) return readFile(host, path);
  const { fetchRemote, isFetched } = await import("./fetch-remote.ts");
  if (!isFetched(scheme)) throw new UnsupportedScheme(`No FileSystem for scheme "${scheme}"`);
  const { bytes, isWhole } = await fetchRemote(host, path, templateLimitBytes);
  if (!isWhole) throw new Error(`longer than ${templateLimitBytes} bytes`);
  return bytes;
}

/** Without a name the working directory is meant. */
function readFile({ cwd, files }: Host, name: string): Uint8Array {
  const path = name === "" ? cwd : name;
  if (files.info(path)?.kind === "directory") throw new Error("Is a directory");
  const bytes = files.readBytes(path);
  if (bytes === undefined) throw new Error("No such file or directory");
  return bytes;
}

/**
 * Text that begins like JSON is JSON, all else is YAML. Empty documents beside the only one do not count.
 *
 * @throws what is wrong with it
 */
export async function parseTemplate(text: string, { templateMergeKeys }: ParseOptions): Promise<unknown> {
  if (/^\s*[[{]/.test(text)) return parseJson(text);
  const documents = await parseYaml(text, templateMergeKeys);
  if (documents.length === 0) throw new Error("it is empty");
  const [document = null, ...more] = documents.filter((found) => found !== null);
  if (more.length > 0) throw new Error("it holds several documents");
  return document;
}

/** How a template is parsed. */
export type ParseOptions = Pick<Behaviors, "templateMergeKeys">;

/** The first line: what follows in a parser's message is an excerpt of the file. */
export function reasonOf(error: unknown): string {
  const [reason = ""] = messageOf(error).split("\n");
  return reason;
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/**
 * YAML with the scalars of JSON and, if keys are merged, `<<`: `0644` stays text and can be read as a file mode, and `~` and
 * `True` stay text, too. Numbers with a fraction become text as Java prints them, since a pod has none but in environment
 * values and quantities; so do those that are too large for us.
 *
 * Source: the Java client library's parser (snakeyaml-engine) with its schema of JSON.
 */
async function parseYaml(
  text: string,
  mergeKeys: Behaviors["templateMergeKeys"],
): Promise<readonly unknown[]> {
  const { loadAll, ...tags } = await import("js-yaml");
  const { boolJsonTag, defineScalarTag, FAILSAFE_SCHEMA, floatJsonTag, intJsonTag, mergeTag } = tags;
  const absentTag = defineScalarTag(tags.nullCoreTag.tagName, {
    ...tags.nullCoreTag,
    resolve: (source) => (source === "null" || source === "" ? null : tags.NOT_RESOLVED),
  });
  const wholeTag = defineScalarTag(intJsonTag.tagName, {
    ...intJsonTag,
    resolve: (source, isExplicit, tagName) => {
      const value = intJsonTag.resolve(source, isExplicit, tagName);
      return typeof value === "number" && !Number.isSafeInteger(value) ? source : value;
    },
  });
  const fractionTag = defineScalarTag(floatJsonTag.tagName, {
    ...floatJsonTag,
    implicitFirstChars: [...(floatJsonTag.implicitFirstChars ?? []), "."],
    resolve: (source, isExplicit, tagName) => {
      const value = floatJsonTag.resolve(source, isExplicit, tagName);
      return typeof value === "number" ? printJavaDouble(value) : (nonFinite[source] ?? value);
    },
  });
  const scalars = FAILSAFE_SCHEMA.withTags(absentTag, boolJsonTag, wholeTag, fractionTag);
  return loadAll(text, { schema: mergeKeys === "merged" ? scalars.withTags(mergeTag) : scalars });
}

/** YAML's words and Java's. */
const nonFinite: Readonly<Record<string, string>> = {
  ".inf": "Infinity",
  "-.inf": "-Infinity",
  ".nan": "NaN",
};
