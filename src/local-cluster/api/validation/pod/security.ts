import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";
import { type FieldError, invalidValue, notSupported, required } from "../field-error.ts";

const idText = "must be between 0 and 2147483647, inclusive";

function idErrors(id: number | undefined, field: string): FieldError[] {
  return id === undefined || (id >= 0 && id < 2 ** 31) ? [] : [invalidValue(field, id, idText)];
}

/** Returns the errors of a container's security context. */
export function validateContainerSecurity(context: SecurityContext, path: string): FieldError[] {
  const { runAsUser, runAsGroup, privileged, allowPrivilegeEscalation, capabilities } = context;
  const isAdmin = (capabilities?.add ?? []).includes("CAP_SYS_ADMIN");
  const escalationError = (cause: string) =>
    invalidValue(path, shown(context), `cannot set \`allowPrivilegeEscalation\` to false and ${cause}`);
  return [
    ...idErrors(runAsUser, `${path}.runAsUser`),
    ...idErrors(runAsGroup, `${path}.runAsGroup`),
    ...(context.procMount === undefined || procMounts.includes(context.procMount)
      ? []
      : [notSupported(`${path}.procMount`, context.procMount, procMounts)]),
    ...profileErrors(context, path),
    ...(allowPrivilegeEscalation !== false
      ? []
      : privileged === true
        ? [escalationError("`privileged` to true")]
        : isAdmin
          ? [escalationError("`capabilities.Add` CAP_SYS_ADMIN")]
          : []),
  ];
}

const procMounts = ["Default", "Unmasked"];
const profiles = ["Localhost", "RuntimeDefault", "Unconfined"];

/** Returns the errors of seccomp and AppArmor profiles. */
function profileErrors(
  { seccompProfile: seccomp, appArmorProfile: appArmor }: Pick<SecurityContext, "seccompProfile"> & Profiles,
  path: string,
): FieldError[] {
  return [
    ...(seccomp === undefined ? [] : profileFaults(seccomp, `${path}.seccompProfile`, "seccomp")),
    ...(appArmor === undefined ? [] : profileFaults(appArmor, `${path}.appArmorProfile`, "AppArmor")),
  ];
}

interface Profiles {
  readonly appArmorProfile?: SecurityContext["appArmorProfile"];
}

function profileFaults(
  { type, localhostProfile = "" }: NonNullable<SecurityContext["seccompProfile"]>,
  field: string,
  name: string,
): FieldError[] {
  const owner = field.slice(field.lastIndexOf(".") + 1);
  if (type === "") return [required(`${field}.type`, `type is required when ${owner} is set`)];
  if (!profiles.includes(type)) return [notSupported(`${field}.type`, type, profiles)];
  return type === "Localhost" && localhostProfile === ""
    ? [required(`${field}.localhostProfile`, `must be set when ${name} type is Localhost`)]
    : [];
}

const sysctlShape = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

function sysctlErrors(names: readonly string[], path: string): FieldError[] {
  return names.flatMap((name, index) => {
    const isFit = name.length <= 253 && new RegExp(sysctlShape).test(name);
    const text = `must have at most 253 characters and match regex ${sysctlShape}`;
    if (name === "") return [required(`${path}[${index}].name`)];
    return isFit ? [] : [invalidValue(`${path}[${index}].name`, name, text)];
  });
}

/** The context with the names that a Kubernetes server has for its fields inside. */
function shown(context: SecurityContext): object {
  const { capabilities } = context;
  return {
    Capabilities:
      capabilities === undefined ? null : { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null },
    Privileged: context.privileged ?? null,
    SELinuxOptions: context.seLinuxOptions ?? null,
    WindowsOptions: context.windowsOptions ?? null,
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: context.seccompProfile ?? null,
    AppArmorProfile: null,
  };
}

const fsGroupPolicies = ["Always", "OnRootMismatch"];

/** Returns the errors of a pod's security context. */
export function validatePodSecurity(context: PodSecurityContext, path: string): FieldError[] {
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups = [], fsGroupChangePolicy } = context;
  return [
    ...idErrors(fsGroup, `${path}.fsGroup`),
    ...idErrors(runAsUser, `${path}.runAsUser`),
    ...idErrors(runAsGroup, `${path}.runAsGroup`),
    ...supplementalGroups.flatMap((group, index) => idErrors(group, `${path}.supplementalGroups[${index}]`)),
    ...sysctlErrors(
      (context.sysctls ?? []).map(({ name }) => name),
      `${path}.sysctls`,
    ),
    ...profileErrors(context, path),
    ...(fsGroupChangePolicy === undefined || fsGroupPolicies.includes(fsGroupChangePolicy)
      ? []
      : [notSupported(`${path}.fsGroupChangePolicy`, fsGroupChangePolicy, fsGroupPolicies)]),
  ];
}
