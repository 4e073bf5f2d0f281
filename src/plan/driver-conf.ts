import type { Behaviors } from "../conf/behaviors.ts";
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
import type { SparkConf } from "../conf/spark-conf.ts";
import { type SparkLineTraits, traitsOf } from "../conf/spark-version.ts";
import type { VolumeSpec } from "../conf/volume-spec.ts";
import { distinctIssues, type Issue, issuesOf, type Result, success, unlessIssues } from "../errors/issue.ts";
import type { StringMap } from "../kube/types.ts";
import type { AppId } from "../values/identity.ts";
import type { AppResource } from "./app-resource.ts";
import { confFileEntries } from "./conf-files.ts";
import { type Dependencies, dependencyLists, planDependencies } from "./dependencies.ts";
import { type DriverResources, planDriverResources } from "./driver-resources.ts";
import type { Facts } from "./facts.ts";
import { featureStepIssues } from "./feature-step-issues.ts";
import { planDriverLabels } from "./labels.ts";
import type { PlannedLocalizing } from "./localized-dependencies.ts";
import type { LogLine } from "./log-line.ts";
import { confMapName, driverServiceName, resourceNamePrefix } from "./names.ts";
import { mayNeedStaging } from "./needs-staging.ts";
import { type PlanPart, unrecorded } from "./plan-part.ts";
import type { PodResources } from "./pod-resources.ts";
import { type PodTemplate, type ReadTemplate, readPodTemplate } from "./pod-template.ts";
import { planSecretKeyRefs, type SecretKeyRef } from "./secret-key-refs.ts";
import { needsStaging, planStaging, stagingIssues } from "./staging.ts";
import type { SubmitRequest } from "./submit-request.ts";
import { planVolumes } from "./volumes.ts";

/** Problems of the settings that planning parses. The feature step that uses a setting reports its problems. */
interface SettingIssues {
  readonly resources: readonly Issue[];
  readonly secretKeyRefs: readonly Issue[];
  readonly volumes: readonly Issue[];
  /** Problems of the executors' volumes, which the driver would otherwise find only in the cluster. Empty for an executor. */
  readonly executorVolumes: readonly Issue[];
}

/** Input of the feature steps, for either role. Parsed settings are empty or default where `settingIssues` has an issue. */
export interface PodConf {
  readonly role: "driver" | "executor";
  readonly conf: SparkConf;
  readonly traits: SparkLineTraits;
  readonly facts: Facts;
  readonly appId: AppId;
  readonly namespace: string;
  readonly resourceNamePrefix: string;
  /** Absent for a driver. */
  readonly executorId?: string;
  /** All labels of the pod, Spark's own included. */
  readonly labels: StringMap;
  /** Steps read it; `spec/` merges their contributions over it. */
  readonly template: PodTemplate | undefined;
  readonly resources: PodResources;
  readonly secretKeyRefs: readonly SecretKeyRef[];
  readonly volumes: readonly VolumeSpec[];
  readonly settingIssues: SettingIssues;
}

/**
 * Plan of a driver, before any pod is built.
 *
 * @example
 * ```ts
 * const idOf = ({ namespace, podName }: DriverConf) => `${namespace}:${podName}`;
 * ```
 */
export interface DriverConf extends PodConf {
  readonly role: "driver";
  readonly appName: string;
  readonly appResource: AppResource;
  readonly mainClass: string;
  readonly appArgs: readonly string[];
  readonly proxyUser: string | undefined;
  readonly resources: DriverResources;
  readonly dependencies: Dependencies;
  /** Uploads or localized files, and the settings by which the driver finds them. */
  readonly staged: PlannedLocalizing;
  readonly behaviors: Behaviors;
  readonly podName: string;
  readonly serviceName: string;
  readonly confMapName: string;
  /** Messages of the plan. */
  readonly log: readonly LogLine[];
}

/** Input of a driver's plan. */
export interface DriverInput {
  readonly request: SubmitRequest;
  readonly facts: Facts;
}

/** Another requirement of a driver's plan; it is also checked when the plan itself has issues. */
export type DriverCheck = (driver: DriverConf) => readonly Issue[];

/**
 * Plans a driver: names, labels, namespace, template, resources, volumes, dependencies.
 *
 * Errors: all problems of the plan and of `checks` together. `spec/driver-spec.ts` has the checks of all feature steps.
 *
 * @example
 * ```ts
 * const { facts } = await readFacts(nodeHost(), request);
 * const planned = planDriver(request, facts, driverChecks);
 * if (planned.ok) console.log(planned.value.podName);
 * ```
 */
export function planDriver(
  request: SubmitRequest,
  facts: Facts,
  checks: readonly DriverCheck[] = [],
  part: PlanPart<DriverInput> = unrecorded({ request, facts }),
): Result<DriverConf> {
  const { conf } = request;
  const appName = part("appName", (input) => input.request.conf.get(appNameEntry));
  const labels = part("labels", (input) =>
    planDriverLabels(input.request.conf, {
      appId: input.facts.appId,
      appName: input.request.conf.get(appNameEntry),
    }),
  );
  const template = readTemplate(request, facts);
  const names = planNames(part);
  const dependencies = part("dependencies", (input) => planDependencies(input.request));
  const isStaging = mayNeedStaging(request) && needsStaging(request);
  const staged = part("staged", (input) =>
    isStaging ? planStaging(input.request, input.facts) : nothingStaged(input.request),
  );
  const { appResource, mainClass, appArgs, proxyUser, behaviors } = request;
  const driver: DriverConf = {
    role: "driver",
    conf,
    traits: traitsOf(conf.version.line),
    facts,
    appId: facts.appId,
    namespace: part("namespace", (input) => input.request.conf.readOrAbsent(namespaceEntry)),
    labels: labels.ok ? labels.value : {},
    template: template.ok ? template.value?.template : undefined,
    ...planDriverSettings(request, part),
    ...{ appName, appResource, mainClass, appArgs, proxyUser, behaviors, dependencies, staged },
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
    ...(isStaging ? stagingIssues(request, facts) : conf.check([...dependencyLists, fileUploadPath, stagingTransport])),
  ];
  return unlessIssues(distinctIssues(issues), driver);
}

/** Parses the groups of settings that several steps, or a step and its check, use. */
function planDriverSettings({ conf }: SubmitRequest, part: PlanPart<DriverInput>) {
  const { resources, issues } = planDriverResources((path, compute) =>
    part(path, ({ request }) =>
      compute({
        conf: request.conf,
        get kind() {
          return request.appResource.kind;
        },
      }),
    ),
  );
  const volumes = part("volumes", ({ request }) => planVolumes(request.conf, "driver"));
  const secretKeyRefs = part("secretKeyRefs", ({ request }) => planSecretKeyRefs(request.conf, "driver"));
  return {
    resources,
    secretKeyRefs: secretKeyRefs.ok ? secretKeyRefs.value : [],
    volumes: volumes.specs,
    settingIssues: {
      resources: issues,
      secretKeyRefs: issuesOf(secretKeyRefs),
      volumes: volumes.issues,
      executorVolumes: planVolumes(conf, "executor").issues,
    },
  };
}

function planNames(part: PlanPart<DriverInput>) {
  const service = part("serviceName", (input) => {
    const uniqueId = input.facts.uniqueIds.driverService;
    return driverServiceName({ resourceNamePrefix: namePrefix(input), uniqueId });
  });
  return {
    resourceNamePrefix: part("resourceNamePrefix", namePrefix),
    podName: part(
      "podName",
      (input) => input.request.conf.readOrAbsent(driverPodName) ?? `${namePrefix(input)}-driver`,
    ),
    serviceName: service.name,
    confMapName: part("confMapName", ({ facts }) => confMapName(facts.uniqueIds.confMap)),
    log: service.log,
  };
}

function namePrefix({ request, facts }: DriverInput): string {
  return resourceNamePrefix(request.conf.get(appNameEntry), facts.uniqueIds.resourceNamePrefix);
}

/** Whether settings add or exclude steps. Most submissions do neither and need not load the check. */
function namesSteps(conf: SparkConf): boolean {
  return conf.has(featureSteps.driver) || conf.has(excludedFeatureSteps.driver);
}

function nothingStaged({ appResource }: SubmitRequest): PlannedLocalizing {
  return { uploads: [], properties: {}, appResource: appResource.uri, localized: undefined };
}

function readTemplate({ conf, behaviors }: SubmitRequest, facts: Facts): Result<ReadTemplate | undefined> {
  const path = conf.read(podTemplateFile.driver);
  if (!path.ok) return path;
  if (path.value === undefined) return success(undefined);
  const containerName = conf.read(podTemplateContainerName.driver);
  if (!containerName.ok) return containerName;
  return readPodTemplate(facts.driverTemplate, {
    path: path.value,
    containerName: containerName.value,
    octalNumbers: behaviors.templateNumbers === "octal" || traitsOf(conf.version.line).octalTemplateNumbers,
    templateKind: behaviors.templateKind,
  });
}
