import { SparkConf } from "../../conf/spark-conf.ts";
import { newestLine, type SparkVersion, traitsOf } from "../../conf/spark-version.ts";
import { type Issue, issuesOf, type Result } from "../../errors/issue.ts";
import { orThrow, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { languageOf, runnerClasses } from "../../plan/app-resource.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import { isStrict } from "../../plan/is-strict.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import { fieldIssues } from "./check-fields.ts";
import { acceptMaster, readMaster } from "./check-master.ts";
import { enterEmbedded, isEmbedded, type OpenEmbedded } from "./enter-embedded.ts";
import { readMainClass } from "./jar-manifest.ts";
import { type FieldValues, mergeFields, resolveResource } from "./merge-fields.ts";
import { prepareSettings } from "./prepare-settings.ts";
import { type ReadSettings, readSettings } from "./read-settings.ts";
import { spokenVersion } from "./spoken-version.ts";
import { submitterPaths } from "./submitter-paths.ts";
import { substitutionSources } from "./substitution-sources.ts";
import { tellDeprecated } from "./tell-deprecated.ts";
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

/** A request, and what keeps it from being one: a plan of it may tell of further problems. */
export interface DraftRequest {
  readonly request: SubmitRequest;
  readonly issues: readonly Issue[];
}

/**
 * Makes a decided request of what a command line asks for: files, defaults and environment are read, everything is
 * checked, paths become URIs. Says on stderr what Spark's front end says there.
 *
 * @throws SubmitError with every problem, in Spark's order and words.
 */
export async function resolve(input: ResolveInput): Promise<SubmitRequest> {
  const { request, issues } = await draftRequest(input);
  throwIssues(issues);
  return request;
}

/**
 * The same where problems of single values do not stop it.
 *
 * @throws SubmitError with all problems, where the master or the dependencies leave nothing to plan
 */
export async function draftRequest(input: ResolveInput): Promise<DraftRequest> {
  const understood = understand(input);
  const master = chooseMaster(input, understood);
  // A cluster is not started for what is refused anyway.
  if (isEmbedded(master)) throwIssues(understood.issues);
  const entered = await enterEmbedded({ ...understood, ...input, master });
  const draft = await prepare(input, { ...understood, ...entered });
  if (input.invocation.verbose && draft.issues.length === 0)
    input.host.stderr.write(printPrepared(draft.request));
  return draft;
}

/** What all sources together say. */
interface Understanding {
  readonly read: ReadSettings;
  readonly fields: FieldValues;
  readonly version: SparkVersion;
  readonly traits: ReturnType<typeof traitsOf>;
  /** As a URI. */
  readonly resource: string;
  /** Of files and values. */
  readonly issues: readonly Issue[];
}

function understand({ host, log, invocation, localSpark = () => undefined }: ResolveInput): Understanding {
  const { env, stderr } = host;
  const read = readSettings(host, invocation);
  const strict = isStrict(env);
  const { settings } = read;
  const spoken = spokenVersion({ settings, env, localSpark });
  const version = spoken.ok ? spoken.value : { line: newestLine, text: traitsOf(newestLine).release };
  const traits = traitsOf(version.line);
  const paths = submitterPaths(host);
  const fields = mergeFields({ invocation, settings, env, paths });
  const resource = resolveResource(invocation.resource, paths);
  if (invocation.verbose) stderr.write(printFiles({ read, invocation, traits, strict }));
  for (const key of read.ignored) stderr.write(`Warning: Ignoring non-Spark config property: ${key}\n`);
  tellDeprecated(settings, version.line, log);
  const issues = [...read.issues, ...issuesOf(spoken), ...fieldIssues({ fields, settings, env, traits })];
  if (invocation.verbose && issues.length === 0)
    stderr.write(printUnderstood({ invocation, read, fields, resource, traits, strict }));
  return { read, fields, version, traits, resource, issues };
}

function chooseMaster({ host, invocation, log }: ResolveInput, { fields, traits, issues }: Understanding) {
  const chosen = orThrow(withIssues(issues, readMaster({ fields, traits, strict: isStrict(host.env) })));
  for (const { level, logger, text } of chosen.kubernetes?.log ?? []) {
    // Apache's front end shows nothing below a warning.
    if (level !== "INFO") log(level, logger, text);
  }
  return orThrow(withIssues(issues, acceptMaster({ invocation, fields, traits }, chosen)));
}

/** Where a result has no value, earlier problems come first. */
function withIssues<T>(issues: readonly Issue[], result: Result<T>): Result<T> {
  return result.ok ? result : { ok: false, issues: [...issues, ...result.issues] };
}

type Entered = Awaited<ReturnType<typeof enterEmbedded>>;

async function prepare(
  { host, invocation }: ResolveInput,
  { fields, resource, master, settings, version, access, issues }: Understanding & Entered,
): Promise<DraftRequest> {
  const kind = languageOf(invocation.resource);
  const given = fields.get("mainClass")?.value;
  const mainClass = await decideMainClass({ kind, given, resource, host });
  const prepared = prepareSettings({
    ...{ host, fields, settings, resource, master: master.master },
    paths: submitterPaths(host),
    givenResource: invocation.resource,
  });
  if (!prepared.ok) throwIssues([...issues, ...prepared.issues, ...issuesOf(mainClass)]);
  const request = {
    apiServer: master.apiServer,
    access,
    appResource: { kind, uri: resource },
    mainClass: mainClass.ok ? mainClass.value : "",
    appArgs: invocation.appArgs,
    proxyUser: fields.get("proxyUser")?.value,
    conf: new SparkConf(orThrow(prepared), version, substitutionSources(host)),
    strict: isStrict(host.env),
  };
  return { request, issues: [...issues, ...issuesOf(mainClass)] };
}

interface MainClassSources {
  readonly kind: ReturnType<typeof languageOf>;
  readonly given: string | undefined;
  readonly resource: string;
  readonly host: Host;
}

async function decideMainClass({ kind, given, resource, host }: MainClassSources): Promise<Result<string>> {
  if (kind !== "java") return { ok: true, value: runnerClasses[kind] };
  return given === undefined ? await readMainClass(resource, host) : { ok: true, value: given };
}
