import { appName as appNameEntry } from "../conf/entries/app.ts";
import {
  driverPodName,
  excludedFeatureSteps,
  featureSteps,
  podTemplateContainerName,
  podTemplateFile,
} from "../conf/entries/driver.ts";
import { stagingTransport } from "../conf/entries/localizing.ts";
import { fileUploadPath } from "../conf/entries/staging.ts";
import { namespace as namespaceEntry } from "../conf/entries/submission.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type SparkLineTraits, traitsOf } from "../conf/spark-version.ts";
import { type Issue, issuesOf, type Result, success, unlessIssues } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import type { AppId } from "../values/identity.ts";
import type { AppResource } from "./app-resource.ts";
import { confFileEntries } from "./conf-files.ts";
import type { Facts } from "./facts.ts";
import { featureStepIssues } from "./feature-step-issues.ts";
import { planDriverLabels } from "./labels.ts";
import { dependencyLists, localDependencies } from "./local-dependencies.ts";
import type { PlannedLocalizing } from "./localized-dependencies.ts";
import type { LogLine } from "./log-line.ts";
import { confMapName, driverServiceName, resourceNamePrefix } from "./names.ts";
import { type PodTemplate, type ReadTemplate, readPodTemplate } from "./pod-template.ts";
import { planStaging, stagingIssues } from "./staging.ts";
import type { SubmitRequest } from "./submit-request.ts";

/** What a feature step may ask, for either role. */
export interface PodConf {
  readonly role: "driver" | "executor";
  readonly conf: SparkConf;
  readonly traits: SparkLineTraits;
  readonly facts: Facts;
  readonly appId: AppId;
  readonly namespace: string;
  readonly resourceNamePrefix: string;
  /** Of an executor. */
  readonly executorId?: string;
  /** All labels of the pod, Spark's own included. */
  readonly labels: StringMap;
  /** Steps read it, `spec/` lays what they add over it. */
  readonly template: PodTemplate | undefined;
}

/** Everything decided about a driver, before any pod. */
export interface DriverConf extends PodConf {
  readonly role: "driver";
  readonly appName: string;
  readonly appResource: AppResource;
  readonly mainClass: string;
  readonly appArgs: readonly string[];
  readonly proxyUser: string | undefined;
  /** How files of this machine reach the pods, and what the driver is told of them. */
  readonly staged: PlannedLocalizing;
  /** Spark's way, where ours is another one. */
  readonly strict: boolean;
  readonly podName: string;
  readonly serviceName: string;
  readonly confMapName: string;
  /** What deciding had to tell. */
  readonly log: readonly LogLine[];
}

/** Something else that must hold of a driver; asked even where the plan itself has problems. */
export type DriverCheck = (driver: DriverConf) => readonly Issue[];

/**
 * Decides everything about a driver: names, labels, namespace, template.
 *
 * Errors: every problem of the plan and of `checks` together. `spec/driver-spec.ts` has the checks of all feature steps.
 */
export function planDriver(
  request: SubmitRequest,
  facts: Facts,
  checks: readonly DriverCheck[] = [],
): Result<DriverConf> {
  const { conf } = request;
  const appName = conf.get(appNameEntry);
  const labels = planDriverLabels(conf, { appId: facts.appId, appName });
  const template = readTemplate(request, facts);
  const names = planNames(conf, facts, appName);
  const isStaging = localDependencies(request).length > 0;
  const staged = isStaging ? planStaging(request, facts) : nothingStaged(request);
  const driver: DriverConf = {
    role: "driver",
    conf,
    traits: traitsOf(conf.version.line),
    facts,
    appId: facts.appId,
    namespace: valueOrAbsent(conf, namespaceEntry),
    labels: labels.ok ? labels.value : {},
    template: template.ok ? template.value?.template : undefined,
    appName,
    appResource: request.appResource,
    mainClass: request.mainClass,
    appArgs: request.appArgs,
    proxyUser: request.proxyUser,
    staged,
    strict: request.strict,
    ...names,
    log: [
      ...(template.ok ? (template.value?.log ?? []) : []),
      ...names.log,
      ...(staged.localized === undefined ? [] : [staged.localized.log]),
    ],
  };
  const issues = [
    ...conf.check([namespaceEntry, driverPodName, ...confFileEntries]),
    ...issuesOf(template),
    ...(namesSteps(conf) ? featureStepIssues(request) : []),
    ...checks.flatMap((check) => check(driver)),
    ...issuesOf(labels),
    ...(isStaging
      ? stagingIssues(request, facts)
      : conf.check([...dependencyLists, fileUploadPath, stagingTransport])),
  ];
  return unlessIssues(distinct(issues), driver);
}

function planNames(conf: SparkConf, facts: Facts, appName: string) {
  const { uniqueIds } = facts;
  const prefix = resourceNamePrefix(appName, uniqueIds.resourceNamePrefix);
  const service = driverServiceName({ resourceNamePrefix: prefix, uniqueId: uniqueIds.driverService });
  return {
    resourceNamePrefix: prefix,
    podName: valueOrAbsent(conf, driverPodName) ?? `${prefix}-driver`,
    serviceName: service.name,
    confMapName: confMapName(uniqueIds.confMap),
    log: service.log,
  };
}

/** Most submissions name no steps, and take all dependencies from where the pods find them. */
function namesSteps(conf: SparkConf): boolean {
  return conf.has(featureSteps.driver) || conf.has(excludedFeatureSteps.driver);
}

function nothingStaged({ appResource }: SubmitRequest): PlannedLocalizing {
  return { uploads: [], properties: {}, appResource: appResource.uri, localized: undefined };
}

function readTemplate({ conf, strict }: SubmitRequest, facts: Facts): Result<ReadTemplate | undefined> {
  const path = conf.read(podTemplateFile.driver);
  if (!path.ok) return path;
  if (path.value === undefined) return success(undefined);
  const containerName = conf.read(podTemplateContainerName.driver);
  if (!containerName.ok) return containerName;
  return readPodTemplate(facts.driverTemplate, {
    path: path.value,
    containerName: containerName.value,
    octalNumbers: !strict || traitsOf(conf.version.line).octalTemplateNumbers,
    strict,
  });
}

/** What the rest of a draft is made with while the problem is reported elsewhere. */
function valueOrAbsent<T>(conf: SparkConf, entry: ConfEntry<T>): T {
  const result = conf.read(entry);
  return result.ok ? result.value : entry.absent;
}

/** A setting that two steps read is one problem. */
function distinct(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((found) => [`${found.code} ${found.message}`, found])).values()];
}
