import { type Finding, ok } from "../finding.ts";
import { templateKey } from "../role-keys.ts";
import type { PlannedPod } from "../submission.ts";

/** Reports containers that must not run as root, and whose user is root. The user of an image is not read. */
export function checkUser(pods: readonly PlannedPod[]): readonly Finding[] {
  const findings = pods.flatMap((pod): readonly Finding[] => {
    const names = rootContainers(pod);
    if (names.length === 0) return [];
    return [
      {
        ...{ check: "user", status: "failure", cause: "run-as-non-root", key: templateKey(pod.role) },
        reason: `The kubelet does not start ${names.join(", ")} of the ${pod.role}: runAsNonRoot is set, and runAsUser is 0.`,
        fix: "Set another runAsUser, or remove runAsNonRoot.",
      },
    ];
  });
  return findings.length > 0 ? findings : [ok("user", "No container has user 0 although its pod forbids root.")];
}

function rootContainers({ spec }: PlannedPod): readonly string[] {
  return [...(spec.initContainers ?? []), ...spec.containers]
    .filter(({ securityContext: own = {} }) => {
      const { runAsNonRoot, runAsUser } = { ...spec.securityContext, ...own };
      return runAsNonRoot === true && runAsUser === 0;
    })
    .map(({ name }) => name);
}
