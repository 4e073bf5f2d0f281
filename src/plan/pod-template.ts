import type { Behaviors } from "../conf/behaviors.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import type { Container, Pod } from "../kube/types.ts";
import { isFields } from "../values/fields.ts";
import type { LogLine } from "./log-line.ts";
import { withKubernetesScalars } from "./template-scalars.ts";

/** Pod template, separated from the container on which the role's container is based. */
export interface PodTemplate {
  /** Template without the role's container; unknown fields are kept. */
  readonly pod: Pod;
  /** Empty when the template has no container. */
  readonly container: Partial<Container>;
}

/** Checked template, and log messages. */
export interface ReadTemplate {
  readonly template: PodTemplate;
  readonly log: readonly LogLine[];
}

/** Options for reading a template. */
interface TemplateOptions {
  /** For messages. */
  readonly path: string;
  /** Value of `spark.kubernetes.<role>.podTemplateContainerName`. */
  readonly containerName: string | undefined;
  /** Reads `0644` as an octal number. */
  readonly octalNumbers: boolean;
  readonly templateKind: Behaviors["templateKind"];
}

/**
 * Separates the role's container from a template: the only container with the configured name, else the first.
 *
 * Errors: SUBMIT_ERR_TEMPLATE_UNUSABLE, SUBMIT_ERR_TEMPLATE_NOT_A_POD. Source: Spark KubernetesUtils.loadPodFromTemplate.
 */
export function readPodTemplate(value: unknown, options: TemplateOptions): Result<ReadTemplate> {
  const { value: pod, problems } = withKubernetesScalars(value, options);
  const { path } = options;
  if (problems.length > 0) {
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path, reason: problems.join("; ") });
  }
  if (!hasPodSpec(pod)) {
    const reason = "it has no spec with a list of containers, or one of their volumeMounts has no name";
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path, reason });
  }
  const kind = pod.kind ?? "Pod";
  if (kind !== "Pod" && options.templateKind === "pod") return failure("SUBMIT_ERR_TEMPLATE_NOT_A_POD", { path, kind });
  const containers = pod.spec?.containers ?? [];
  const chosen = choose(containers, options.containerName);
  const others = containers.filter((container) => container !== chosen.container);
  return success({
    template: {
      pod: { ...pod, spec: { ...pod.spec, containers: others } },
      container: chosen.container ?? {},
    },
    log: chosen.log,
  });
}

function choose(
  containers: readonly Container[],
  name: string | undefined,
): { container: Container | undefined; log: readonly LogLine[] } {
  const first = containers[0];
  if (name === undefined) return { container: first, log: [] };
  const [named, ...more] = containers.filter((container) => container.name === name);
  if (named !== undefined && more.length === 0) return { container: named, log: [] };
  const text = `specified container ${name} not found on pod template, falling back to taking the first container`;
  return { container: first, log: [{ level: "WARN", logger: "KubernetesUtils", text }] };
}

/** Checks the fields that Firesteel requires: containers and the names of their mounts. The API server checks the rest. */
function hasPodSpec(value: unknown): value is Pod {
  if (!isFields(value) || !isFields(value["spec"])) return false;
  const { containers = [] } = value["spec"];
  return Array.isArray(containers) && containers.every(hasNamedMounts);
}

function hasNamedMounts(container: unknown): boolean {
  const mounts = isFields(container) ? (container["volumeMounts"] ?? []) : undefined;
  return Array.isArray(mounts) && mounts.every((mount) => isFields(mount) && typeof mount["name"] === "string");
}
