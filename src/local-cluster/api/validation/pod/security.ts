import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";
import { type FieldError, invalidValue, notSupported } from "../field-error.ts";

const idText = "must be between 0 and 2147483647, inclusive";

function idErrors(id: number | undefined, field: string): FieldError[] {
  return id === undefined || (id >= 0 && id < 2 ** 31) ? [] : [invalidValue(field, id, idText)];
}

/** What is wrong with a container's rights. */
export function validateContainerSecurity(context: SecurityContext, path: string): FieldError[] {
  const { runAsUser, runAsGroup, privileged, allowPrivilegeEscalation, capabilities } = context;
  const isAdmin = (capabilities?.add ?? []).includes("CAP_SYS_ADMIN");
  const refuse = (what: string) =>
    invalidValue(path, shown(context), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
  return [
    ...idErrors(runAsUser, `${path}.runAsUser`),
    ...idErrors(runAsGroup, `${path}.runAsGroup`),
    ...(allowPrivilegeEscalation !== false
      ? []
      : privileged === true
        ? [refuse("`privileged` to true")]
        : isAdmin
          ? [refuse("`capabilities.Add` CAP_SYS_ADMIN")]
          : []),
  ];
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

/** What is wrong with a pod's rights. */
export function validatePodSecurity(context: PodSecurityContext, path: string): FieldError[] {
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups = [], fsGroupChangePolicy } = context;
  return [
    ...idErrors(fsGroup, `${path}.fsGroup`),
    ...idErrors(runAsUser, `${path}.runAsUser`),
    ...idErrors(runAsGroup, `${path}.runAsGroup`),
    ...supplementalGroups.flatMap((group, index) => idErrors(group, `${path}.supplementalGroups[${index}]`)),
    ...(fsGroupChangePolicy === undefined || fsGroupPolicies.includes(fsGroupChangePolicy)
      ? []
      : [notSupported(`${path}.fsGroupChangePolicy`, fsGroupChangePolicy, fsGroupPolicies)]),
  ];
}
