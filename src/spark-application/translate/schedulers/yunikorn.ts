import { fieldKeys } from "../../../conf/entries/spark-application.ts";
import type { Role } from "../../../conf/entry.ts";
import { printQuantity } from "../../../values/quantity.ts";
import type { FieldSettings } from "../field-settings.ts";
import { roleFields, type TranslationInput } from "../translation.ts";
import { executorCount, mebibytes, quantityOf, requestedMiB } from "./requests.ts";

const prefix = "yunikorn.apache.org/";
const path = "spec.batchScheduler";

/** Adds the annotations by which YuniKorn reserves resources for all pods, and the label with the queue. */
export function addTaskGroups(settings: FieldSettings, input: TranslationInput): void {
  const groups = [
    { role: "driver" as const, count: 1 },
    { role: "executor" as const, count: executorCount(input) },
  ].filter(({ count }) => count > 0);
  const queue = input.spec.batchSchedulerOptions?.queue ?? "";
  const annotation = fieldKeys.driver.annotation;
  const described = groups.map(({ role, count }) => taskGroup(input, { role, count, queue }));
  settings.put(`${annotation}${prefix}task-groups`, JSON.stringify(described), path);
  for (const role of ["driver", "executor"] as const) {
    const keys = fieldKeys[role];
    settings.put(`${keys.annotation}${prefix}task-group-name`, groupName(role), path);
    if (queue !== "") settings.put(`${keys.label}queue`, queue, "spec.batchSchedulerOptions.queue");
  }
}

function groupName(role: Role): string {
  return `spark-${role}`;
}

interface TaskGroup {
  readonly role: Role;
  readonly count: number;
  readonly queue: string;
}

function taskGroup(input: TranslationInput, { role, count, queue }: TaskGroup) {
  const fields = roleFields(input, role);
  const { coreRequest, cores = 1, tolerations = [], affinity, labels } = fields;
  const nodeSelector = { ...input.spec.nodeSelector, ...fields.nodeSelector };
  const hasLabels = labels !== undefined && Object.keys(labels).length > 0;
  return {
    name: groupName(role),
    minMember: count,
    minResource: {
      cpu: printQuantity(quantityOf(coreRequest || cores)),
      memory: `${requestedMiB(input, role) + (role === "executor" ? extraMiB(input) : 0)}Mi`,
    },
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(affinity !== undefined && { affinity }),
    ...(hasLabels && { labels: { ...labels, ...(queue !== "" && { queue }) } }),
  };
}

/** Returns the memory of executors for Python and off the heap, in MiB. */
function extraMiB({ spec: { type, sparkConf = {} } }: TranslationInput): number {
  const python = type === "Python" ? mebibytes(sparkConf[fieldKeys.pysparkMemory] ?? "0") : 0;
  const isOffHeap = sparkConf[fieldKeys.offHeapEnabled] === "true";
  return python + (isOffHeap ? mebibytes(bytesText(sparkConf[fieldKeys.offHeapSize] ?? "0")) : 0);
}

/** Adds the unit of a size off the heap, which is bytes. */
function bytesText(text: string): string {
  return /^\d+$/.test(text) ? `${text}b` : text;
}
