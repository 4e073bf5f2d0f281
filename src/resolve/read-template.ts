import type { Behaviors } from "../conf/behaviors.ts";
import { podTemplateFile } from "../conf/entries/driver.ts";
import type { ConfEntry } from "../conf/entry.ts";
import { traitsOf } from "../conf/spark-version.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import { excludedSteps, stepNames } from "../plan/feature-steps.ts";
import { isNoTemplate, needsHostNetwork } from "../plan/shuffle-profile.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";
import { parseUri } from "../values/uri.ts";
import { decodeUtf8, decodeUtf8Leniently } from "../values/utf8.ts";
import { withHostNetwork } from "./host-network-template.ts";
import { nearestFile } from "./nearest-file.ts";
import { parseTemplate, reasonOf } from "./parse-template.ts";

/**
 * Reads and parses the driver's pod template. The plan checks its content.
 *
 * Errors: SUBMIT_ERR_TEMPLATE_UNUSABLE, SUBMIT_ERR_TEMPLATE_SCHEME. Source: Spark KubernetesUtils.loadPodFromTemplate.
 */
export async function readDriverTemplate(host: Host, { conf, behaviors }: TemplateSource): Promise<Result<unknown>> {
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
      nearest: nearestFile(host, specified.value),
    });
  }
}

/**
 * Reads the executors' pod template as text, because the driver parses it. With the shuffle service, they are on the network of the node.
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
    if (isNoTemplate(specified.value)) return success(withHostNetwork({}));
    const bytes = await readBytes(host, specified.value, behaviors);
    if (traitsOf(conf.version.line).refusesOtherThanUtf8 && decodeUtf8(bytes) === undefined) {
      return failure("SUBMIT_ERR_NOT_UTF8", { path: printLocation(specified.value) });
    }
    const text = decodeUtf8Leniently(bytes);
    return success(needsHostNetwork(conf) ? withHostNetwork(await parseTemplate(text, behaviors)) : text);
  } catch (error) {
    if (error instanceof UnsupportedScheme && behaviors.templatePaths === "plain")
      return unsupportedScheme(podTemplateFile.executor, specified.value);
    const { key } = podTemplateFile.executor;
    const path = printLocation(specified.value);
    const nearest = nearestFile(host, specified.value);
    return failure("SUBMIT_ERR_TEMPLATE_UNREADABLE", { key, path, nearest, reason: reasonOf(error) });
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
    throw new Error(`Illegal character in path at index ${specified.search(/[\s"<>\\^`{|}[\]]/)}: ${specified}`);
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
