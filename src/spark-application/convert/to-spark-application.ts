import { fieldKeys, optionKeys } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import { languageOf } from "../../plan/app-resource.ts";
import { parseDependencyUri } from "../../values/dependency-uri.ts";
import { isFields } from "../../values/fields.ts";
import {
  type ApplicationSpec,
  applicationApiVersion,
  type Dependencies,
  type DriverFields,
  type RoleFields,
  type SparkApplication,
} from "../application.ts";
import { containerNames } from "../translate/role-template.ts";
import { type Converted, type Convertible, withoutUsualPodName } from "./convertible.ts";
import { present, SettingsTaker } from "./settings-taker.ts";
import { takeAllocation, takeDependencies, takeSelectors } from "./take-fields.ts";
import { takeVolumes } from "./take-volumes.ts";

/** Number of executors that Spark starts without a setting; the operator starts one. */
const defaultInstances = 2;

const typeOfLanguage = { python: "Python", r: "R", java: "Scala" } as const;

/**
 * Converts a submission to a SparkApplication.
 *
 * @param sparkVersion version for `sparkVersion`, which is required
 */
export function toSparkApplication(input: Convertible, sparkVersion: string): Converted<SparkApplication> {
  const taker = new SettingsTaker(withoutUsualPodName(input));
  const { name, note } = applicationName(input.name ?? "spark-application");
  const namespace = taker.take(fieldKeys.namespace);
  const deps = takeDependencies(taker);
  const spec = takeSpec(taker, { input, deps, sparkVersion });
  const own = taker.takeFamily(optionKeys.own) ?? {};
  const submitter = taker.takeFamily(optionKeys.submitter) ?? {};
  const sparkConf = taker.rest();
  return {
    result: {
      apiVersion: applicationApiVersion,
      kind: "SparkApplication",
      metadata: { name, ...present({ namespace }) },
      spec: { ...spec, ...(Object.keys(sparkConf).length > 0 && { sparkConf }) },
    },
    notes: [
      ...note,
      ...Object.keys(own).map(
        (key) =>
          `${optionKeys.own}${key} is left out: the Spark operator does not read it. For firesteel apply, put it into spec.sparkConf.`,
      ),
      ...Object.keys(submitter).map(
        (key) => `${optionKeys.submitter}${key} is left out: the operator has credentials of its own.`,
      ),
      ...(input.master === undefined
        ? []
        : [`--master ${input.master} is left out: the operator uses the cluster in which it runs.`]),
      ...localFileNotes(input.resource, deps),
      ...templateNotes(input),
    ],
  };
}

interface SpecSources {
  readonly input: Convertible;
  readonly deps: Dependencies | undefined;
  readonly sparkVersion: string;
}

function takeSpec(taker: SettingsTaker, { input, deps, sparkVersion }: SpecSources): ApplicationSpec {
  const volumes = takeVolumes(taker);
  const selectors = takeSelectors(taker);
  const dynamicAllocation = takeAllocation(taker);
  const instances = taker.takeInteger(fieldKeys.instances);
  const usualInstances = dynamicAllocation === undefined ? defaultInstances : undefined;
  const placed = (role: Role) => present({ nodeSelector: selectors[role], volumeMounts: filled(volumes.mounts[role]) });
  return {
    type: typeOfLanguage[languageOf(input.resource)],
    mode: input.deployMode,
    sparkVersion,
    ...present({
      image: taker.take(fieldKeys.image),
      imagePullPolicy: taker.take(fieldKeys.pullPolicy),
      imagePullSecrets: taker.takeList(fieldKeys.pullSecrets),
      mainClass: input.mainClass,
    }),
    mainApplicationFile: input.resource,
    ...present({
      arguments: filled(input.appArgs),
      proxyUser: input.proxyUser,
      pythonVersion: taker.take(fieldKeys.pythonVersion),
      memoryOverheadFactor: taker.take(fieldKeys.overheadFactor),
      deps,
      hadoopConf: taker.takeFamily(fieldKeys.hadoop),
      nodeSelector: selectors.application,
      volumes: filled(volumes.volumes),
      dynamicAllocation,
      ...input.lifetime,
    }),
    driver: { ...takeDriver(taker, input), ...placed("driver") },
    executor: {
      ...takeRole(taker, input, "executor"),
      ...present({
        instances: instances ?? usualInstances,
        deleteOnTermination: taker.takeFlag(fieldKeys.deleteOnTermination),
      }),
      ...placed("executor"),
    },
  };
}

function takeDriver(taker: SettingsTaker, input: Convertible): DriverFields {
  return {
    ...takeRole(taker, input, "driver"),
    ...present({
      podName: taker.take(fieldKeys.podName),
      kubernetesMaster: taker.take(fieldKeys.driverMaster),
      serviceLabels: taker.takeFamily(fieldKeys.serviceLabel),
      serviceAnnotations: taker.takeFamily(fieldKeys.serviceAnnotation),
    }),
  };
}

function applicationName(text: string): { readonly name: string; readonly note: readonly string[] } {
  const cleaned = text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 63)
    .replace(/-+$/, "");
  const name = cleaned === "" ? "spark-application" : cleaned;
  return { name, note: name === text ? [] : [`The name ${text} is now ${name}: the operator requires a DNS label.`] };
}

function filled<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function takeRole(taker: SettingsTaker, input: Convertible, role: Role): RoleFields {
  const keys = fieldKeys[role];
  const variables = Object.entries(taker.takeFamily(keys.env) ?? {}).map(([name, value]) => ({ name, value }));
  const references = Object.entries(taker.takeFamily(keys.secretKeyRef) ?? {}).map(([name, reference]) => {
    const [secret = "", key = ""] = reference.split(":");
    return { name, valueFrom: { secretKeyRef: { name: secret, key } } };
  });
  const secrets = Object.entries(taker.takeFamily(keys.secret) ?? {}).map(([name, path]) => ({
    ...{ name, path, secretType: "Generic" },
  }));
  return present({
    image: taker.take(keys.image),
    cores: taker.takeInteger(keys.cores),
    coreRequest: taker.take(keys.coreRequest),
    coreLimit: taker.take(keys.coreLimit),
    memory: taker.take(keys.memory),
    memoryOverhead: taker.take(keys.memoryOverhead),
    serviceAccount: taker.take(keys.serviceAccount),
    javaOptions: taker.take(keys.javaOptions),
    labels: taker.takeFamily(keys.label),
    annotations: taker.takeFamily(keys.annotation),
    env: filled([...variables, ...references]),
    secrets: filled(secrets),
    schedulerName: taker.take(keys.schedulerName),
    template: inlined(input.templates[role], role),
  });
}

/** Gives the first container of a template Spark's name, by which the operator finds it, unless a container has this name. */
function inlined(template: unknown, role: Role): unknown {
  if (!isFields(template) || !isFields(template["spec"])) return template;
  const { containers } = template["spec"];
  if (!Array.isArray(containers)) return template;
  const list: readonly unknown[] = containers;
  const hasName = list.some((each) => isFields(each) && each["name"] === containerNames[role]);
  if (hasName) return template;
  const renamed = list.map((each, index) =>
    index === 0 && isFields(each) ? { ...each, name: containerNames[role] } : each,
  );
  return { ...template, spec: { ...template["spec"], containers: renamed } };
}

function localFileNotes(resource: string, deps: Dependencies = {}): readonly string[] {
  const { jars = [], files = [], pyFiles = [], archives = [] } = deps;
  return [resource, ...jars, ...files, ...pyFiles, ...archives]
    .filter((path) => parseDependencyUri(path).kind === "submitterLocal")
    .map(
      (path) =>
        `${path} is a file of this machine, which the operator cannot read. Put it into the image, or use a URL.`,
    );
}

function templateNotes({ templates }: Convertible): readonly string[] {
  return (["driver", "executor"] as const)
    .filter((role) => templates[role] !== undefined)
    .map((role) => `The pod template of the ${role} is now spec.${role}.template.`);
}
