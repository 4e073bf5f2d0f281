import { podTemplateFile } from "../conf/entries/driver.ts";
import type { Setting } from "../conf/setting.ts";
import { newestRelease, sparkLines } from "../conf/spark-version.ts";
import type { Facts } from "../plan/facts.ts";
import { localDependencies } from "../plan/local-dependencies.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { toAppId } from "../values/identity.ts";
import type { Cause } from "./cause.ts";
import type { Submission } from "./submission-objects.ts";

/** Variants of a submission, which differ from it in one input. */
export interface Variation {
  readonly cause: Cause;
  /** The submission without the input; with another value if the input is required. */
  readonly without: Submission;
  /** Submissions with other values, for an input whose removal fails or changes nothing. */
  readonly otherwise: readonly Submission[];
}

/** Builds the variations of all inputs. */
export function variationsOf(submission: Submission): readonly Variation[] {
  return [
    ...settingVariations(submission),
    ...argumentVariations(submission),
    ...machineVariations(submission),
    ...generatedIdVariations(submission),
    ...releaseVariations(submission),
  ];
}

function settingVariations(submission: Submission): readonly Variation[] {
  return submission.request.conf.settings().map((setting) => ({
    cause: { kind: "setting", ...setting },
    without: withSetting(submission, setting.key, undefined),
    otherwise: otherTexts(setting).map((text) => withSetting(submission, setting.key, text)),
  }));
}

/** Returns texts that are probably valid for the same setting and change a field. */
function otherTexts({ value }: Setting): readonly string[] {
  const lower = value.trim().toLowerCase();
  if (lower === "true" || lower === "false") return [String(lower !== "true")];
  const choices = ["Always", "IfNotPresent", "PreferDualStack", "IPv6", "java"].filter(
    (text) => text !== value,
  );
  const texts = /^\d/.test(value) ? [`1${value}`, `${value}1`, `${value}x`] : [`${value}x`];
  return [...texts, ...choices];
}

function withSetting(submission: Submission, key: string, value: string | undefined): Submission {
  const { request, facts } = submission;
  const changed = { ...request, conf: request.conf.with(key, value) };
  return { ...submission, request: changed, facts: factsFor(changed, { request, facts, key, value }) };
}

/** Removes the facts that were read for a removed setting. */
function factsFor(
  changed: SubmitRequest,
  {
    request,
    facts,
    key,
    value,
  }: Pick<Submission, "request" | "facts"> & { key: string; value: string | undefined },
): Facts {
  const before = localDependencies(request);
  const dependencies = localDependencies(changed).map(({ path, key: list }) => {
    const index = before.findIndex((candidate) => candidate.path === path && candidate.key === list);
    return facts.dependencies[index] ?? { uuid: "00000000-0000-8000-8000-000000000000", sizeBytes: 0 };
  });
  const credentials = Object.entries(facts.credentialFiles).filter(
    ([name]) => value !== undefined || name !== key,
  );
  const isTemplateGone = value === undefined && key === podTemplateFile.executor.key;
  return {
    ...facts,
    dependencies,
    credentialFiles: Object.fromEntries(credentials),
    executorTemplateText: isTemplateGone ? undefined : facts.executorTemplateText,
  };
}

function argumentVariations(submission: Submission): readonly Variation[] {
  const { mainClass, appArgs, appResource, proxyUser } = submission.request;
  const change = (what: string, changed: Partial<SubmitRequest>): Variation => ({
    cause: { kind: "word", what },
    without: { ...submission, request: { ...submission.request, ...changed } },
    otherwise: [],
  });
  return [
    ...(appResource.kind === "java" ? [change("main class", { mainClass: `${mainClass}x` })] : []),
    change("primary resource", { appResource: { ...appResource, uri: `${appResource.uri}x` } }),
    ...(appArgs.length === 0 ? [] : [change("application arguments", { appArgs: [] })]),
    ...(proxyUser === undefined ? [] : [change("--proxy-user", { proxyUser: undefined })]),
  ];
}

function machineVariations(submission: Submission): readonly Variation[] {
  const { facts } = submission;
  const change = (cause: Cause, changed: Partial<Facts>): Variation => ({
    cause,
    without: { ...submission, facts: { ...facts, ...changed } },
    otherwise: [],
  });
  const names = Object.keys(facts.env).filter((name) => facts.env[name] !== undefined);
  return [
    ...names.map((name) =>
      change({ kind: "variable", name }, { env: { ...facts.env, [name]: undefined }, ...readBy(name) }),
    ),
    change({ kind: "machine", what: "user of this machine" }, { userName: `${facts.userName}x` }),
    ...(facts.confDirectory === undefined
      ? []
      : [
          change(
            { kind: "machine", what: `files of ${facts.confDirectory.path}` },
            { confDirectory: undefined },
          ),
        ]),
    ...(facts.driverMaster === undefined
      ? []
      : [change({ kind: "machine", what: "address of the embedded cluster" }, { driverMaster: undefined })]),
  ];
}

/** Returns the facts to remove together with a variable. */
function readBy(variable: string): Partial<Facts> {
  return variable === "HADOOP_CONF_DIR" ? { hadoopDirectory: undefined } : {};
}

const otherId = "0123456789abcdef";
const otherUuid = "00000000-1111-8222-8333-444444444444";

function generatedIdVariations(submission: Submission): readonly Variation[] {
  const { facts, executor } = submission;
  const change = (what: string, changed: Partial<Submission>): Variation => ({
    cause: { kind: "chance", what },
    without: { ...submission, ...changed },
    otherwise: [],
  });
  const ofFacts = (what: string, changed: Partial<Facts>) =>
    change(what, { facts: { ...facts, ...changed } });
  const { uniqueIds } = facts;
  return [
    ofFacts("application id", { appId: toAppId(otherUuid) }),
    ofFacts("id in names", { uniqueIds: { ...uniqueIds, resourceNamePrefix: otherId } }),
    ofFacts("id of the driver's service", { uniqueIds: { ...uniqueIds, driverService: otherId } }),
    ofFacts("id of the configuration map", { uniqueIds: { ...uniqueIds, confMap: otherId } }),
    ofFacts("id of the local directory", { localDirUuid: otherUuid }),
    change("id that the driver makes", {
      executor: { ...executor, uniqueIds: { resourceNamePrefix: otherId, confMap: otherId } },
    }),
  ];
}

/** Builds a variation for each older line: the newest one that differs shows since when a field has its value. */
function releaseVariations(submission: Submission): readonly Variation[] {
  const { request } = submission;
  const { line } = request.conf.version;
  return sparkLines
    .slice(0, sparkLines.indexOf(line))
    .toReversed()
    .map((before) => ({
      cause: { kind: "release", line, before },
      without: {
        ...submission,
        request: { ...request, conf: request.conf.as({ line: before, text: newestRelease(before).text }) },
      },
      otherwise: [],
    }));
}
