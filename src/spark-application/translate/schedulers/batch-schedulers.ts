import { fieldKeys } from "../../../conf/entries/spark-application.ts";
import { type Issue, issue } from "../../../errors/issue.ts";
import type { KubeResource } from "../../../kube/types.ts";
import { batchSchedulerName } from "../batch-scheduler-name.ts";
import type { FieldSettings } from "../field-settings.ts";
import type { TranslationInput } from "../translation.ts";
import { totalRequests } from "./requests.ts";
import { addTaskGroups } from "./yunikorn.ts";

/** Changes for a batch scheduler: adds settings, and returns objects that must exist before the pods. */
type BatchScheduler = (settings: FieldSettings, input: TranslationInput) => readonly KubeResource[];

const groupAnnotation = "scheduling.k8s.io/group-name";
const groupLabel = "scheduling.x-k8s.io/pod-group";
const path = "spec.batchScheduler";

const volcano: BatchScheduler = (settings, input) => {
  const { spec, name, namespace } = input;
  const isClient = spec.mode === "client";
  const own = (isClient ? spec.executor : spec.driver).annotations?.[groupAnnotation];
  if (own !== undefined && own !== "") return [];
  const group = `spark-${name}-pg`;
  for (const role of ["driver", "executor"] as const)
    settings.put(`${fieldKeys[role].annotation}${groupAnnotation}`, group, path);
  const { queue, priorityClassName, resources } = spec.batchSchedulerOptions ?? {};
  return [
    {
      apiVersion: "scheduling.volcano.sh/v1beta1",
      kind: "PodGroup",
      metadata: { name: group, namespace },
      spec: {
        minMember: 1,
        ...(queue && { queue }),
        ...(priorityClassName && { priorityClassName }),
        minResources: resources === undefined || Object.keys(resources).length === 0 ? totalRequests(input) : resources,
      },
    },
  ];
};

const schedulerPlugins: BatchScheduler = (settings, input) => {
  const group = `${input.name}-pg`;
  for (const role of ["driver", "executor"] as const)
    settings.put(`${fieldKeys[role].label}${groupLabel}`, group, path);
  return [
    {
      apiVersion: "scheduling.x-k8s.io/v1alpha1",
      kind: "PodGroup",
      metadata: { name: group, namespace: input.namespace },
      spec: { minMember: 1, minResources: totalRequests(input) },
    },
  ];
};

const yunikorn: BatchScheduler = (settings, input) => {
  addTaskGroups(settings, input);
  return [];
};

const schedulers: ReadonlyMap<string, BatchScheduler> = new Map([
  ["volcano", volcano],
  ["yunikorn", yunikorn],
  ["kube-scheduler", schedulerPlugins],
  ["scheduler-plugins-scheduler", schedulerPlugins],
]);

/** Prepares an application for its batch scheduler. Errors: SUBMIT_ERR_MANIFEST_RULE for an unknown one. */
export function addBatchScheduler(
  settings: FieldSettings,
  input: TranslationInput,
): { readonly objects: readonly KubeResource[]; readonly issues: readonly Issue[] } {
  const name = batchSchedulerName(input);
  if (name === undefined) return { objects: [], issues: [] };
  const scheduler = schedulers.get(name);
  if (scheduler !== undefined) return { objects: scheduler(settings, input), issues: [] };
  const problem = `is "${name}", which is not a known batch scheduler`;
  const advice = `Use ${[...schedulers.keys()].join(", ")}, or schedulerName for another scheduler.`;
  return { objects: [], issues: [issue("SUBMIT_ERR_MANIFEST_RULE", { file: input.file, path, problem, advice })] };
}
