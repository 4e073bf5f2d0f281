import { SparkConf } from "../conf/spark-conf.ts";
import { newestLine, type SparkVersion, traitsOf } from "../conf/spark-version.ts";
import { issuesOf, type Result } from "../errors/issue.ts";
import { orThrow, throwIssues } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import { languageOf, runnerClasses } from "../plan/app-resource.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { fieldIssues } from "./check-fields.ts";
import { acceptMaster, readMaster } from "./check-master.ts";
import { enterEmbedded, type OpenEmbedded } from "./enter-embedded.ts";
import { readMainClass } from "./jar-manifest.ts";
import { type FieldValues, mergeFields, resolveResource } from "./merge-fields.ts";
import { prepareSettings } from "./prepare-settings.ts";
import { type ReadSettings, readSettings } from "./read-settings.ts";
import { spokenVersion } from "./spoken-version.ts";
import { submitterPaths } from "./submitter-paths.ts";
import { substitutionSources } from "./substitution-sources.ts";
import { printFiles, printPrepared, printUnderstood } from "./verbose.ts";

/** What resolving starts from. */
export interface ResolveInput {
  /** Its environment has what spark-env.sh sets. */
  readonly host: Host;
  readonly log: Log;
  readonly invocation: SubmitInvocation;
  /** The version of the Spark on this machine. @default none is here */
  readonly localSpark?: (() => string | undefined) | undefined;
  /** Opens the cluster that `k8s://embedded` means. @default there is none */
  readonly openEmbedded?: OpenEmbedded | undefined;
}

/**
 * Makes a decided request of what a command line asks for: files, defaults and environment are read, everything is
 * checked, paths become URIs. Says on stderr what Spark's front end says there.
 *
 * @throws SubmitError with every problem of one stage: first of files and values, then of the master, then of the
 * dependencies, in Spark's order and words.
 */
export async function resolve(input: ResolveInput): Promise<SubmitRequest> {
  const understood = understand(input);
  const master = chooseMaster(input, understood);
  const entered = await enterEmbedded({ ...understood, ...input, master });
  const request = await prepare(input, { ...understood, ...entered });
  if (input.invocation.verbose) input.host.stderr.write(printPrepared(request));
  return request;
}

/** What all sources together say. */
interface Understanding {
  readonly read: ReadSettings;
  readonly fields: FieldValues;
  readonly version: SparkVersion;
  readonly traits: ReturnType<typeof traitsOf>;
  /** As a URI. */
  readonly resource: string;
}

function understand({ host, invocation, localSpark = () => undefined }: ResolveInput): Understanding {
  const { env, stderr } = host;
  const read = readSettings(host, invocation);
  const { settings } = read;
  const spoken = spokenVersion({ settings, env, localSpark });
  const version = spoken.ok ? spoken.value : { line: newestLine, text: traitsOf(newestLine).release };
  const traits = traitsOf(version.line);
  const paths = submitterPaths(host);
  const fields = mergeFields({ invocation, settings, env, paths });
  const resource = resolveResource(invocation.resource, paths);
  if (invocation.verbose) stderr.write(printFiles({ read, invocation, traits }));
  for (const key of read.ignored) stderr.write(`Warning: Ignoring non-Spark config property: ${key}\n`);
  throwIssues([...read.issues, ...issuesOf(spoken), ...fieldIssues({ fields, settings, env, traits })]);
  if (invocation.verbose) stderr.write(printUnderstood({ invocation, read, fields, resource, traits }));
  return { read, fields, version, traits, resource };
}

function chooseMaster({ invocation, log }: ResolveInput, { fields, traits }: Understanding) {
  const chosen = orThrow(readMaster({ fields, traits }));
  for (const { level, logger, text } of chosen.kubernetes?.log ?? []) {
    // Apache's front end shows nothing below a warning.
    if (level !== "INFO") log(level, logger, text);
  }
  return orThrow(acceptMaster({ invocation, fields, traits }, chosen));
}

type Entered = Awaited<ReturnType<typeof enterEmbedded>>;

async function prepare(
  { host, invocation }: ResolveInput,
  { fields, resource, master, settings, version, access }: Understanding & Entered,
): Promise<SubmitRequest> {
  const kind = languageOf(invocation.resource);
  const given = fields.get("mainClass")?.value;
  const mainClass = await decideMainClass({ kind, given, resource, host });
  const prepared = prepareSettings({
    ...{ host, fields, settings, resource, master: master.master },
    paths: submitterPaths(host),
    givenResource: invocation.resource,
  });
  throwIssues([...issuesOf(prepared), ...issuesOf(mainClass)]);
  return {
    apiServer: master.apiServer,
    access,
    appResource: { kind, uri: resource },
    mainClass: orThrow(mainClass),
    appArgs: invocation.appArgs,
    proxyUser: fields.get("proxyUser")?.value,
    conf: new SparkConf(orThrow(prepared), version, substitutionSources(host)),
    strict: host.env["FIRESTEEL_STRICT"] === "1",
  };
}

interface MainClassSources {
  readonly kind: ReturnType<typeof languageOf>;
  readonly given: string | undefined;
  readonly resource: string;
  readonly host: Host;
}

async function decideMainClass({ kind, given, resource, host }: MainClassSources): Promise<Result<string>> {
  if (kind !== "java") return { ok: true, value: runnerClasses[kind] };
  return given === undefined ? await readMainClass(resource, host.files) : { ok: true, value: given };
}
