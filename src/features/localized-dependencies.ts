import { driverEnv, podTemplateContainerName } from "../conf/entries/driver.ts";
import { executorEnv } from "../conf/entries/executor.ts";
import { removeUploads } from "../conf/entries/uploading.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { Container, VolumeMount } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import { uploadsAnnotation } from "../plan/uploads-annotation.ts";
import { type Fields, isFields } from "../values/fields.ts";
import { localizingContainer, workDirectory } from "../values/staged-entry.ts";
import type { Contribution } from "./step.ts";
import { contributions } from "./transports/contributions.ts";
import { depsVolume } from "./transports/localizing-init-container.ts";

const workVolumeName = "firesteel-work-dir";
const ownNames: readonly string[] = [depsVolume, localizingContainer, workVolumeName];

/** Reports volumes, mounts and init containers that conflict with those for the localized files. */
export function localizedIssues(driver: DriverConf): readonly Issue[] {
  const { directory = "" } = driver.staged.localized ?? {};
  const { template } = driver;
  const { volumes: templateVolumes = [], initContainers = [] } = template?.pod.spec ?? {};
  const templateMounts = template?.container.volumeMounts ?? [];
  const isOwned = ({ name }: { readonly name: string }) => ownNames.includes(name);
  const conflicts = ({ name, mountPath }: Pick<VolumeMount, "name" | "mountPath">) =>
    isOwned({ name }) || withoutSlash(mountPath) === directory;
  const found = [
    ...templateVolumes.filter(isOwned).map(() => "a volume of the pod template"),
    ...initContainers.filter(isOwned).map(() => "an init container of the pod template"),
    ...templateMounts.filter(conflicts).map(() => "a mount of the pod template"),
    ...driver.volumes.filter(conflicts).map(({ name }) => `the volume ${name} of the settings`),
    ...executorObstacles(driver),
  ];
  const [what] = found;
  return what === undefined ? [] : [issue("SUBMIT_ERR_STAGING_CONFLICT", { what, name: depsVolume, directory })];
}

function executorObstacles({ facts, staged }: DriverConf): readonly string[] {
  if (staged.localized?.mode === "driverServed") return [];
  const spec = fieldsOf(fieldsOf(facts.executorTemplate)["spec"]);
  const named = [...listOf(spec["volumes"]), ...listOf(spec["initContainers"])].map(fieldsOf);
  const isTaken = named.some(({ name }) => typeof name === "string" && ownNames.includes(name));
  return isTaken ? ["a volume or an init container of the executors' pod template"] : [];
}

/** Adds the volume, mount and init container for the files to executors. */
export function contributeToExecutors({ driver }: Pick<ExecutorConf, "driver">): Contribution {
  const { localized } = driver.staged;
  if (localized === undefined || localized.mode === "driverServed") return {};
  const { volumes = [], initContainers } = withProxy(
    contributions[localized.transport](driver, localized),
    driver.conf.withPrefix(executorEnv),
  );
  const mounts = [{ name: depsVolume, mountPath: localized.directory, readOnly: true }];
  return { volumes, initContainers, mounts };
}

/** Prints the executors' pod template with the volume, mount and init container for the files. */
export function templateForExecutors(driver: DriverConf): string {
  const { volumes = [], initContainers = [], mounts = [] } = contributeToExecutors({ driver });
  const template = fieldsOf(driver.facts.executorTemplate);
  const spec = fieldsOf(template["spec"]);
  const containers = listOf(spec["containers"]).map(fieldsOf);
  const name = driver.conf.get(podTemplateContainerName.executor);
  const named = containers.filter((one) => one["name"] === name);
  const chosen = (named.length === 1 ? named[0] : containers[0]) ?? { name: executorContainer };
  const mounting = { ...chosen, volumeMounts: [...listOf(chosen["volumeMounts"]), ...mounts] };
  const merged = {
    ...{ apiVersion: "v1", kind: "Pod", ...template },
    spec: {
      ...spec,
      containers: containers.length === 0 ? [mounting] : containers.map((one) => (one === chosen ? mounting : one)),
      initContainers: [...listOf(spec["initContainers"]), ...initContainers],
      volumes: [...listOf(spec["volumes"]), ...volumes],
    },
  };
  return JSON.stringify(merged, undefined, 2);
}

/** Spark's default name. */
const executorContainer = "spark-kubernetes-executor";

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Annotates the pod with the directories of its uploads, for their removal. */
function uploadsAnnotations({ staged, conf, behaviors }: DriverConf): Contribution {
  if (behaviors.failedUploads === "spark" || !conf.get(removeUploads)) return {};
  const directories = staged.uploads.map(({ directory }) => directory);
  return { annotations: { [uploadsAnnotation]: JSON.stringify(directories) } };
}

/** Adds a volume with the localized files, or an annotation with the directories of uploaded files. */
export function contributeLocalized(driver: DriverConf): Contribution {
  const { localized } = driver.staged;
  if (localized === undefined) return uploadsAnnotations(driver);
  const { volumes = [], ...rest } = withProxy(
    contributions[localized.transport](driver, localized),
    driver.conf.withPrefix(driverEnv),
  );
  const hasWorkVolume = isWorkDirectoryReadOnly(driver);
  return {
    ...rest,
    volumes: [...volumes, ...(hasWorkVolume ? [{ name: workVolumeName, emptyDir: {} }] : [])],
    mounts: [
      { name: depsVolume, mountPath: localized.directory, readOnly: true },
      ...(hasWorkVolume ? [{ name: workVolumeName, mountPath: workDirectory }] : []),
    ],
  };
}

/** Gives init containers the variables of the pod's environment that name a proxy. */
function withProxy(
  { initContainers = [], ...rest }: Contribution,
  variables: ReadonlyMap<string, string>,
): Contribution & { readonly initContainers: readonly Container[] } {
  const env = [...variables].flatMap(([name, value]) =>
    /^(https?|all|no)_proxy$/i.test(name) ? [{ name, value }] : [],
  );
  return { ...rest, initContainers: initContainers.map((own) => (env.length === 0 ? own : { ...own, env })) };
}

/** Whether the working directory needs a volume: Spark copies files there even if the root file system is read-only. */
function isWorkDirectoryReadOnly(driver: DriverConf): boolean {
  const { securityContext, volumeMounts: templateMounts = [] } = driver.template?.container ?? {};
  const mounts = [...templateMounts, ...driver.volumes];
  return (
    securityContext?.readOnlyRootFilesystem === true &&
    mounts.every(({ mountPath }) => withoutSlash(mountPath) !== workDirectory)
  );
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
