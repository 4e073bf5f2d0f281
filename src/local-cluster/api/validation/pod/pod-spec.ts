import type { Container, PodSpec } from "../../../../kube/types.ts";
import { isSame } from "../../json.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "../field-error.ts";
import { validateLabels } from "../metadata.ts";
import { dnsLabel, type NameRule, subdomain } from "../names.ts";
import { ipFault } from "../numbers.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { validateContainers } from "./containers.ts";
import { warnOfFractions } from "./resources.ts";
import { validateAffinity, validateTolerations, warnOfAffinity } from "./scheduling.ts";
import { validatePodSecurity } from "./security.ts";
import { validateVolumes, warnOfVolumes } from "./volumes.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** What is wrong with a pod's specification, or with that in a template; `path` is where it stands. */
export function validatePodSpec(spec: PodSpec, path: string): FieldError[] {
  const volumes = validateVolumes(spec.volumes ?? [], `${path}.volumes`);
  const hostNetwork = spec.hostNetwork === true;
  const scope = { volumes: volumes.names, hostNetwork, names: new Set<string>() };
  const containers = spec.containers ?? [];
  return [
    ...volumes.errors,
    ...(containers.length === 0
      ? [required(`${path}.containers`)]
      : validateContainers(containers, `${path}.containers`, scope)),
    ...validateContainers(spec.initContainers ?? [], `${path}.initContainers`, scope),
    ...choiceErrors(spec.restartPolicy, restartPolicies, `${path}.restartPolicy`),
    ...choiceErrors(spec.dnsPolicy, dnsPolicies, `${path}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...(spec.securityContext ? validatePodSecurity(spec.securityContext, `${path}.securityContext`) : []),
    ...(spec.affinity ? validateAffinity(spec.affinity, `${path}.affinity`) : []),
    ...nameErrors(spec.serviceAccountName, subdomain, `${path}.serviceAccountName`),
    ...nameErrors(spec.nodeName, subdomain, `${path}.nodeName`),
    ...deadlineErrors(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    ...nameErrors(spec.hostname, dnsLabel, `${path}.hostname`),
    ...nameErrors(spec.subdomain, dnsLabel, `${path}.subdomain`),
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
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

/** What may not be changed of a pod once it is there: nearly everything. */
export function validatePodSpecUpdate(next: PodSpec, old: PodSpec): FieldError[] {
  const counts = (["containers", "initContainers"] as const).flatMap((list) =>
    (next[list] ?? []).length === (old[list] ?? []).length
      ? []
      : [forbiddenField(`spec.${list}`, "pod updates may not add or remove containers")],
  );
  if (counts.length > 0) return counts;
  const [before, after] = [fixedPart(old, old), fixedPart(next, old)];
  return [
    ...deadlineUpdateErrors(next.activeDeadlineSeconds, old.activeDeadlineSeconds),
    ...tolerationUpdateErrors(next, old),
    ...(isSame(after, before)
      ? []
      : [forbiddenField("spec", `${updateText}\n${unifiedDiff(before, after)}`)]),
  ];
}

/** All that may not change. */
function fixedPart(spec: PodSpec, old: PodSpec): object {
  const { activeDeadlineSeconds: _, tolerations: __, terminationGracePeriodSeconds: grace, ...rest } = spec;
  const wasNegative = (old.terminationGracePeriodSeconds ?? 0) < 0;
  return {
    ...rest,
    grace: wasNegative && grace === 1 ? old.terminationGracePeriodSeconds : grace,
    containers: withoutImages(spec.containers),
    initContainers: withoutImages(spec.initContainers),
  };
}

function withoutImages(containers: readonly Container[] = []): object[] {
  return containers.map(({ image: _, ...container }) => container);
}

function deadlineUpdateErrors(next: number | undefined, old: number | undefined): FieldError[] {
  const field = "spec.activeDeadlineSeconds";
  if (old === undefined) return [];
  if (next === undefined)
    return [invalidValue(field, null, "must not update from a positive integer to nil value")];
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

/** What is odd about a pod, though it is allowed. */
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

/** What is odd about a pod's specification, wherever it stands. */
export function warnOfPodSpec(spec: PodSpec, path: string): string[] {
  return [
    ...(spec.affinity ? warnOfAffinity(spec.affinity, `${path}.affinity`) : []),
    ...warnOfVolumes(spec.volumes ?? []),
    ...(spec.imagePullSecrets ?? []).flatMap(({ name = "" }, index) =>
      name === "" ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...(["initContainers", "containers"] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap((container, index) => {
        const field = `${path}.${list}[${index}]`;
        return [
          ...warnOfFractions(container.resources ?? {}, `${field}.resources`),
          ...hiddenVariables(container, field),
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
