import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { Role } from "../../conf/entry.ts";
import { type Issue, issue } from "../../errors/issue.ts";
import type { Volume, VolumeMount } from "../../kube/types.ts";
import type { FieldSettings } from "./field-settings.ts";
import { roleFields, type TranslationInput } from "./translation.ts";

const prefix = "spark-local-dir-";

/** Whether a mount is a local directory of Spark, which Spark mounts itself. */
export function isLocalDirectory({ name }: Pick<VolumeMount, "name">): boolean {
  return name.startsWith(prefix);
}

/**
 * Adds the settings of a role's local directories.
 *
 * Returns issues, SUBMIT_ERR_MANIFEST_RULE, for mounts whose volume is missing or of a kind that Spark cannot mount.
 */
export function addLocalDirectories(settings: FieldSettings, input: TranslationInput, role: Role): readonly Issue[] {
  const { file, spec } = input;
  const mounts = roleFields(input, role).volumeMounts ?? [];
  return mounts.flatMap((mount, index) => {
    if (!isLocalDirectory(mount)) return [];
    const path = `spec.${role}.volumeMounts[${index}]`;
    const volume = spec.volumes?.find(({ name }) => name === mount.name);
    if (volume === undefined) {
      const problem = `mounts ${mount.name}, which is not in spec.volumes`;
      const advice = "Add the volume, or correct the name of the mount.";
      return [issue("SUBMIT_ERR_MANIFEST_RULE", { file, path, problem, advice })];
    }
    const source = sourceOf(volume);
    if (source === undefined) {
      const problem = `mounts ${mount.name} as a local directory, but Spark cannot mount a volume of this kind`;
      const advice = `Use emptyDir, hostPath, nfs or persistentVolumeClaim, or a name that does not begin with ${prefix}.`;
      return [issue("SUBMIT_ERR_MANIFEST_RULE", { file, path, problem, advice })];
    }
    addMount(settings, { mount, source, path, base: fieldKeys[role].volume });
    return [];
  });
}

interface Source {
  readonly type: string;
  readonly options: Readonly<Record<string, string | number | boolean | undefined>>;
}

interface LocalMount {
  readonly mount: VolumeMount;
  readonly source: Source;
  readonly path: string;
  /** E.g. `spark.kubernetes.driver.volumes.`. */
  readonly base: string;
}

function addMount(settings: FieldSettings, { mount, source, path, base }: LocalMount): void {
  const own = `${base}${source.type}.${mount.name}`;
  settings.set(`${own}.mount.path`, mount.mountPath, path);
  settings.set(`${own}.mount.subPath`, mount.subPath, path);
  if (mount.readOnly === true) settings.set(`${own}.mount.readOnly`, true, path);
  for (const [option, value] of Object.entries(source.options)) settings.set(`${own}.options.${option}`, value, path);
}

function sourceOf({ emptyDir, hostPath, nfs, persistentVolumeClaim }: Volume): Source | undefined {
  if (emptyDir !== undefined) {
    return { type: "emptyDir", options: { sizeLimit: emptyDir.sizeLimit, medium: emptyDir.medium } };
  }
  if (hostPath !== undefined) return { type: "hostPath", options: { path: hostPath.path, type: hostPath.type } };
  const readOnly = (nfs ?? persistentVolumeClaim)?.readOnly === true ? true : undefined;
  if (nfs !== undefined) return { type: "nfs", options: { path: nfs.path, server: nfs.server, readOnly } };
  if (persistentVolumeClaim === undefined) return undefined;
  return { type: "persistentVolumeClaim", options: { claimName: persistentVolumeClaim.claimName, readOnly } };
}
