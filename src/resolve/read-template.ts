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
 * Reads and parses the driver's pod template. The plan checks its content.
 *
 * Errors: SUBMIT_ERR_TEMPLATE_UNUSABLE, SUBMIT_ERR_TEMPLATE_SCHEME. Source: Spark KubernetesUtils.loadPodFromTemplate.
 */
export async function readDriverTemplate(
  host: Host,
  { conf, behaviors }: TemplateSource,
): Promise<Result<unknown>> {
  const specified = conf.read(podTemplateFile.driver);
  if (!specified.ok || specified.value === undefined) return specified;
  try {
    return success(
      await parseTemplate(decodeUtf8Leniently(await readBytes(host, specified.value, behaviors)), behaviors),
    );
  } catch (error) {
    if (error instanceof UnsupportedScheme && behaviors.templatePaths === "plain")
      return unsupportedScheme(podTemplateFile.driver, specified.value);
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", {
      path: printLocation(specified.value),
      reason: reasonOf(error),
    });
  }
}

/**
 * Reads the executors' pod template as text, because the driver parses it.
 *
 * Errors: SUBMIT_ERR_TEMPLATE_UNREADABLE, SUBMIT_ERR_NOT_UTF8, SUBMIT_ERR_TEMPLATE_SCHEME.
 * Source: Spark PodTemplateConfigMapStep.
 */
export async function readExecutorTemplate(
  host: Host,
  { conf, behaviors }: TemplateSource,
): Promise<Result<string | undefined>> {
  const specified = conf.read(podTemplateFile.executor);
  if (!specified.ok || specified.value === undefined) return specified;
  if (excludedSteps(conf).has(stepNames.podTemplate)) return success(undefined);
  try {
    const bytes = await readBytes(host, specified.value, behaviors);
    const isRefused = traitsOf(conf.version.line).refusesOtherThanUtf8 && decodeUtf8(bytes) === undefined;
    return isRefused
      ? failure("SUBMIT_ERR_NOT_UTF8", { path: printLocation(specified.value) })
      : success(decodeUtf8Leniently(bytes));
  } catch (error) {
    if (error instanceof UnsupportedScheme && behaviors.templatePaths === "plain")
      return unsupportedScheme(podTemplateFile.executor, specified.value);
    const { key } = podTemplateFile.executor;
    const path = printLocation(specified.value);
    return failure("SUBMIT_ERR_TEMPLATE_UNREADABLE", { key, path, reason: reasonOf(error) });
  }
}

/** Parses the executors' template, for a submission that adds to it. Errors: SUBMIT_ERR_TEMPLATE_UNUSABLE. */
export async function parseExecutorTemplate(
  { conf, behaviors }: TemplateSource,
  text: string,
): Promise<Result<unknown>> {
  try {
    return success(await parseTemplate(text, behaviors));
  } catch (error) {
    const path = printLocation(conf.get(podTemplateFile.executor) ?? "");
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path, reason: reasonOf(error) });
  }
}

/** Settings that name templates, and behaviors of reading them. */
export type TemplateSource = Pick<SubmitRequest, "conf" | "behaviors">;

class UnsupportedScheme extends Error {}

function unsupportedScheme({ key }: ConfEntry<unknown>, uri: string): Result<never> {
  const scheme = uri.slice(0, uri.indexOf(":"));
  return failure("SUBMIT_ERR_TEMPLATE_SCHEME", { key, uri: printLocation(uri), scheme });
}

/** Parses the location of a template. The scheme is `undefined` for a file of this machine, also with `local:`. */
function locationOf(specified: string): { readonly scheme: string | undefined; readonly path: string } {
  const uri = parseDependencyUri(specified);
  switch (uri.kind) {
    case "submitterLocal":
      return { scheme: undefined, path: uri.path };
    case "containerLocal":
      return { scheme: undefined, path: parseUri(uri.text)?.path ?? uri.text.slice("local:".length) };
    case "remote":
      return { scheme: uri.scheme, path: uri.text };
  }
}

/** Prints a location for messages, without user and password. */
function printLocation(specified: string): string {
  const { scheme, path } = locationOf(specified);
  return scheme === undefined ? path : path.replace(/\/\/[^/?#]*@/, "//");
}

/** Limit of the executors' template, which must fit into a ConfigMap. */
const maxTemplateBytes = 1024 * 1024;

/** Reads a template. Spark parses its path as a URI, which cannot contain spaces. */
async function readBytes(
  host: Host,
  specified: string,
  { templatePaths }: Pick<Behaviors, "templatePaths">,
): Promise<Uint8Array> {
  if (templatePaths === "spark" && parseUri(specified) === undefined) {
    throw new Error(
      `Illegal character in path at index ${specified.search(/[\s"<>\\^`{|}[\]]/)}: ${specified}`,
    );
  }
  const { scheme, path } = locationOf(specified);
  if (scheme === undefined) return readFile(host, path);
  const { fetchRemote, isFetched } = await import("./fetch-remote.ts");
  if (!isFetched(scheme)) throw new UnsupportedScheme(`No FileSystem for scheme "${scheme}"`);
  const { bytes, isComplete } = await fetchRemote(host, path, maxTemplateBytes);
  if (!isComplete) throw new Error(`longer than ${maxTemplateBytes} bytes`);
  return bytes;
}

/** Reads a file. An empty name means the working directory. */
function readFile({ cwd, files }: Host, name: string): Uint8Array {
  const path = name === "" ? cwd : name;
  if (files.info(path)?.kind === "directory") throw new Error("Is a directory");
  const bytes = files.readBytes(path);
  if (bytes === undefined) throw new Error("No such file or directory");
  return bytes;
}

/**
 * Parses a template: JSON if the text begins like JSON, else YAML. Empty documents are ignored.
 *
 * @throws Error with the reason why the text is not one document
 */
export async function parseTemplate(text: string, { templateMergeKeys }: ParseOptions): Promise<unknown> {
  if (/^\s*[[{]/.test(text)) return parseJson(text);
  const documents = await parseYaml(text, templateMergeKeys);
  if (documents.length === 0) throw new Error("it is empty");
  const [document = null, ...more] = documents.filter((found) => found !== null);
  if (more.length > 0) throw new Error("it holds several documents");
  return document;
}

/** Behaviors of parsing a template. */
export type ParseOptions = Pick<Behaviors, "templateMergeKeys">;

/** Returns the first line of an error's message: a parser appends an excerpt of the file. */
export function reasonOf(error: unknown): string {
  const [reason = ""] = messageOf(error).split("\n");
  return reason;
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/**
 * Parses YAML with the scalars of JSON, and with merge keys (`<<`) if enabled. `0644`, which can be a file mode, `~` and
 * `True` remain text. Numbers with a fraction become text as Java prints them, because in a pod they occur only in
 * environment values and quantities. Integers beyond JavaScript's safe range remain text, too.
 *
 * Source: the Java client library's parser (snakeyaml-engine) with its schema of JSON.
 */
async function parseYaml(
  text: string,
  mergeKeys: Behaviors["templateMergeKeys"],
): Promise<readonly unknown[]> {
  const { loadAll, ...tags } = await import("js-yaml");
  const { boolJsonTag, defineScalarTag, FAILSAFE_SCHEMA, floatJsonTag, intJsonTag, mergeTag } = tags;
  const nullTag = defineScalarTag(tags.nullCoreTag.tagName, {
    ...tags.nullCoreTag,
    resolve: (source) => (source === "null" || source === "" ? null : tags.NOT_RESOLVED),
  });
  const integerTag = defineScalarTag(intJsonTag.tagName, {
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
  const scalars = FAILSAFE_SCHEMA.withTags(nullTag, boolJsonTag, integerTag, fractionTag);
  return loadAll(text, { schema: mergeKeys === "merged" ? scalars.withTags(mergeTag) : scalars });
}

/** Java's names of YAML's non-finite numbers. */
const nonFinite: Readonly<Record<string, string>> = {
  ".inf": "Infinity",
  "-.inf": "-Infinity",
  ".nan": "NaN",
};
