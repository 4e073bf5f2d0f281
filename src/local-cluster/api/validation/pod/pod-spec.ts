import type { Container, PodSpec } from "../../../../kube/types.ts";
import { isSame } from "../../json.ts";
import { duplicate, type FieldError, forbiddenField, invalidValue, notSupported, required } from "../field-error.ts";
import { validateLabels } from "../metadata.ts";
import { dnsLabel, type NameRule, qualifiedName, subdomain } from "../names.ts";
import { ipFault } from "../numbers.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { validateContainers } from "./containers.ts";
import { validateEphemeralContainers } from "./ephemeral-containers.ts";
import { hostPortErrors, warnOfPorts } from "./ports.ts";
import { warnOfFractions } from "./resources.ts";
import { validateAffinity, validateSpread, validateTolerations, warnOfAffinity, warnOfSpread } from "./scheduling.ts";
import { validatePodSecurity } from "./security.ts";
import { validateVolumes, warnOfVolumes } from "./volumes.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** Returns the errors of a pod's or template's specification at `path`. */
export function validatePodSpec(spec: PodSpec, path: string): FieldError[] {
  const volumes = validateVolumes(spec.volumes ?? [], `${path}.volumes`);
  const hostNetwork = spec.hostNetwork === true;
  const graceSeconds = spec.terminationGracePeriodSeconds ?? 30;
  const scope = { volumes: volumes.named, hostNetwork, graceSeconds, names: new Set<string>() };
  const containers = spec.containers ?? [];
  return [
    ...volumes.errors,
    ...(containers.length === 0
      ? [required(`${path}.containers`)]
      : validateContainers(containers, `${path}.containers`, { ...scope, isInit: false })),
    ...validateContainers(spec.initContainers ?? [], `${path}.initContainers`, { ...scope, isInit: true }),
    ...validateEphemeralContainers(spec.ephemeralContainers ?? [], `${path}.ephemeralContainers`, scope),
    ...hostPortErrors(containers, `${path}.containers`),
    ...choiceErrors(spec.restartPolicy, restartPolicies, `${path}.restartPolicy`),
    ...choiceErrors(spec.dnsPolicy, dnsPolicies, `${path}.dnsPolicy`),
    ...dnsErrors(spec, `${path}.dnsConfig`),
    ...gateErrors(spec, path),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...(spec.securityContext ? validatePodSecurity(spec.securityContext, `${path}.securityContext`) : []),
    ...sharingErrors(spec, path),
    ...(spec.affinity ? validateAffinity(spec.affinity, `${path}.affinity`) : []),
    ...nameErrors(spec.serviceAccountName, subdomain, `${path}.serviceAccountName`),
    ...nameErrors(spec.nodeName, subdomain, `${path}.nodeName`),
    ...deadlineErrors(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    ...nameErrors(spec.hostname, dnsLabel, `${path}.hostname`),
    ...nameErrors(spec.subdomain, dnsLabel, `${path}.subdomain`),
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...validateSpread(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`),
    ...(spec.hostAliases ?? []).flatMap(({ ip, hostnames = [] }, index) => {
      const field = `${path}.hostAliases[${index}]`;
      const fault = ipFault(ip ?? "");
      return [
        ...(fault === undefined ? [] : [invalidValue(`${field}.ip`, ip ?? "", fault)]),
        ...hostnames.flatMap((name, at) =>
          subdomain(name).map((text) => invalidValue(`${field}.hostnames[${at}]`, name, text)),
        ),
      ];
    }),
    ...nameErrors(spec.priorityClassName, subdomain, `${path}.priorityClassName`),
  ];
}

const maxNameServers = 3;

function dnsErrors({ dnsPolicy, dnsConfig }: PodSpec, field: string): FieldError[] {
  const servers = dnsConfig?.nameservers ?? [];
  const hasOwnServers = dnsPolicy === "None";
  const text = "must provide at least one DNS nameserver when `dnsPolicy` is None";
  if (dnsConfig === undefined)
    return hasOwnServers ? [required(field, "must provide `dnsConfig` when `dnsPolicy` is None")] : [];
  return [
    ...(hasOwnServers && servers.length === 0 ? [required(`${field}.nameservers`, text)] : []),
    ...(servers.length > maxNameServers
      ? [invalidValue(`${field}.nameservers`, servers, `must not have more than ${maxNameServers} nameservers`)]
      : []),
    ...servers.flatMap((address, index) => {
      const fault = ipFault(address);
      return fault === undefined ? [] : [invalidValue(`${field}.nameservers[${index}]`, address, fault)];
    }),
  ];
}

/** Returns the errors of readiness gates and scheduling gates. */
function gateErrors({ schedulingGates = [], readinessGates = [], nodeName = "" }: PodSpec, path: string): FieldError[] {
  const names = new Set<string>();
  return [
    ...readinessGates.flatMap(({ conditionType }, index) =>
      qualifiedName(conditionType).map((fault) =>
        invalidValue(`${path}.readinessGates[${index}].conditionType`, conditionType, fault),
      ),
    ),
    ...schedulingGates.flatMap(({ name }, index) => {
      const field = `${path}.schedulingGates[${index}]`;
      const isDuplicate = names.has(name);
      names.add(name);
      return [
        ...qualifiedName(name).map((fault) => invalidValue(field, name, fault)),
        ...(isDuplicate ? [duplicate(field, name)] : []),
      ];
    }),
    ...(nodeName !== "" && schedulingGates.length > 0
      ? [forbiddenField(`${path}.nodeName`, "cannot be set until all schedulingGates have been cleared")]
      : []),
  ];
}

const systems = ["linux", "windows"];

/** Returns the errors of sharing namespaces with the node or between containers. */
function sharingErrors(spec: PodSpec, path: string): FieldError[] {
  const { shareProcessNamespace, hostPID, hostIPC, hostNetwork, hostUsers, os } = spec;
  const field = `${path}.securityContext.shareProcessNamespace`;
  const shared = Object.entries({ hostNetwork, hostPID, hostIPC }).filter(([, is]) => is === true);
  return [
    ...(shareProcessNamespace === true && hostPID === true
      ? [invalidValue(field, true, "ShareProcessNamespace and HostPID cannot both be enabled")]
      : []),
    ...(hostUsers === false
      ? shared.map(([name]) => forbiddenField(`${path}.${name}`, "when `hostUsers` is false"))
      : []),
    ...(os === undefined || systems.includes(os.name) ? [] : [notSupported(`${path}.os`, os.name, systems)]),
  ];
}

function choiceErrors(value: string | undefined, choices: readonly string[], field: string): FieldError[] {
  if (value === undefined || value === "") return [required(field)];
  return choices.includes(value) ? [] : [notSupported(field, value, choices)];
}

function nameErrors(name: string | undefined, rule: NameRule, field: string): FieldError[] {
  return name === undefined || name === "" ? [] : rule(name).map((fault) => invalidValue(field, name, fault));
}

function deadlineErrors(seconds: number | undefined, field: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds < 2 ** 31)) return [];
  return [invalidValue(field, seconds, "must be between 1 and 2147483647, inclusive")];
}

const updateText =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
  "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` " +
  "(allow it to be set to 1 if it was previously negative)";

/** Returns the errors of changing immutable fields of a pod. */
export function validatePodSpecUpdate(next: PodSpec, old: PodSpec): FieldError[] {
  const counts = (["containers", "initContainers"] as const).flatMap((list) =>
    (next[list] ?? []).length === (old[list] ?? []).length
      ? []
      : [forbiddenField(`spec.${list}`, "pod updates may not add or remove containers")],
  );
  if (counts.length > 0) return counts;
  const gates = gateUpdateErrors(next, old);
  if (gates.length > 0) return gates;
  const [before, after] = [fixedPart(old, old), fixedPart(next, old)];
  return [
    ...missingImages(next),
    ...deadlineUpdateErrors(next.activeDeadlineSeconds, old.activeDeadlineSeconds),
    ...tolerationUpdateErrors(next, old),
    ...(isSame(after, before) ? [] : [forbiddenField("spec", `${updateText}\n${unifiedDiff(before, after)}`)]),
  ];
}

/** Returns the immutable part of a specification. */
function fixedPart(spec: PodSpec, old: PodSpec): object {
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...others } = spec;
  const { terminationGracePeriodSeconds: grace, ...rest } = others;
  const wasNegative = (old.terminationGracePeriodSeconds ?? 0) < 0;
  return {
    ...rest,
    grace: wasNegative && grace === 1 ? old.terminationGracePeriodSeconds : grace,
    containers: withoutImages(spec.containers),
    initContainers: withoutImages(spec.initContainers),
  };
}

/** Returns the errors of changing scheduling gates, which can only be removed. */
function gateUpdateErrors(
  { schedulingGates: next = [] }: PodSpec,
  { schedulingGates: old = [] }: PodSpec,
): FieldError[] {
  return next.flatMap(({ name }, index) => {
    if (old.some((gate) => gate.name === name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbiddenField(`spec.schedulingGates[${index}].name`, text)];
  });
}

/** Returns errors that Kubernetes repeats for updates. */
function missingImages(spec: PodSpec): FieldError[] {
  return (["containers", "initContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ image = "" }, index) =>
      image === "" ? [required(`spec.${list}[${index}].image`)] : [],
    ),
  );
}

function withoutImages(containers: readonly Container[] = []): object[] {
  return containers.map(({ image: _, ...container }) => container);
}

function deadlineUpdateErrors(next: number | undefined, old: number | undefined): FieldError[] {
  const field = "spec.activeDeadlineSeconds";
  if (old === undefined) return [];
  if (next === undefined) return [invalidValue(field, null, "must not update from a positive integer to nil value")];
  return next <= old ? [] : [invalidValue(field, next, "must be less than or equal to previous value")];
}

function tolerationUpdateErrors(next: PodSpec, old: PodSpec): FieldError[] {
  const kept = (old.tolerations ?? []).every((toleration) =>
    (next.tolerations ?? []).some((other) =>
      isSame({ ...other, tolerationSeconds: undefined }, { ...toleration, tolerationSeconds: undefined }),
    ),
  );
  const text = "existing toleration can not be modified except its tolerationSeconds";
  return kept ? [] : [forbiddenField("spec.tolerations", text)];
}

/** Returns the warnings about a valid pod. */
export function warnOfPod({ name, spec }: { name: string; spec: PodSpec }): string[] {
  const label = [
    ...(name.includes(".") ? ["must not contain dots"] : []),
    ...(name.length > 63 ? ["must be no more than 63 characters"] : []),
  ];
  return [
    ...(label.length === 0
      ? []
      : [
          "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; " +
            `a DNS label is recommended: [${label.join(" ")}]`,
        ]),
    ...warnOfPodSpec(spec, "spec"),
  ];
}

/** Returns the warnings about a specification at `path`. */
export function warnOfPodSpec(spec: PodSpec, path: string): string[] {
  return [
    ...warnOfSpread(spec.topologySpreadConstraints ?? [], `${path}.topologySpreadConstraints`),
    ...(spec.affinity ? warnOfAffinity(spec.affinity, `${path}.affinity`) : []),
    ...warnOfVolumes(spec.volumes ?? []),
    ...(spec.imagePullSecrets ?? []).flatMap(({ name = "" }, index) =>
      name === "" ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...(["initContainers", "containers"] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap((container, index) => {
        const field = `${path}.${list}[${index}]`;
        return [
          ...warnOfFractions(container.resources ?? {}, `${field}.resources`),
          ...hiddenVariables(container, field),
          ...warnOfPorts(container.ports ?? [], `${field}.ports`),
        ];
      }),
    ),
  ];
}

function hiddenVariables({ env = [] }: Container, field: string): string[] {
  const names = new Set<string>();
  return env.flatMap(({ name }, index) => {
    const isHidden = names.has(name);
    names.add(name);
    return isHidden
      ? [
          `${field}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
        ]
      : [];
  });
}
