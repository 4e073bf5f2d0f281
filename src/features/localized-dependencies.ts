import { type Issue, issue } from "../errors/issue.ts";
import type { VolumeMount } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { localizingContainer } from "../plan/localizing-names.ts";
import { workDirectory } from "../values/staged-entry.ts";
import { volumeMounts } from "./mount-volumes.ts";
import type { Contribution } from "./step.ts";
import { contributions } from "./transports/contributions.ts";
import { depsVolume } from "./transports/localizing-init-container.ts";

const workVolumeName = "firesteel-work-dir";
const ourNames: readonly string[] = [depsVolume, localizingContainer, workVolumeName];

/** What stands in the way of the volume: it is ours alone, whatever template and settings mount. */
export function localizedIssues(driver: DriverConf): readonly Issue[] {
  const { directory = "" } = driver.staged.localized ?? {};
  const { template } = driver;
  const { volumes: templateVolumes = [], initContainers = [] } = template?.pod.spec ?? {};
  const templateMounts = template?.container.volumeMounts ?? [];
  const isOurs = ({ name }: { readonly name: string }) => ourNames.includes(name);
  const isInTheWay = ({ name, mountPath }: VolumeMount) =>
    isOurs({ name }) || withoutSlash(mountPath) === directory;
  const found = [
    ...templateVolumes.filter(isOurs).map(() => "a volume of the pod template"),
    ...initContainers.filter(isOurs).map(() => "an init container of the pod template"),
    ...templateMounts.filter(isInTheWay).map(() => "a mount of the pod template"),
    ...volumeMounts(driver)
      .filter(isInTheWay)
      .map(({ name }) => `the volume ${name} of the settings`),
  ];
  const [what] = found;
  return what === undefined ? [] : [issue("SUBMIT_ERR_STAGING_CLASH", { what, name: depsVolume, directory })];
}

/** The folder with the files, as a volume of the driver. */
export function contributeLocalized(driver: DriverConf): Contribution {
  const { localized } = driver.staged;
  if (localized === undefined) return {};
  const { volumes = [], ...rest } = contributions[localized.transport](driver, localized);
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

/** Spark copies its files there, whatever the root file system allows. */
function isWorkDirectoryReadOnly(driver: DriverConf): boolean {
  const { securityContext, volumeMounts: templateMounts = [] } = driver.template?.container ?? {};
  const mounts = [...templateMounts, ...volumeMounts(driver)];
  return (
    securityContext?.readOnlyRootFilesystem === true &&
    mounts.every(({ mountPath }) => withoutSlash(mountPath) !== workDirectory)
  );
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
