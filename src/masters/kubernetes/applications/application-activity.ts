import { isSubmitError, submitError } from "../../../errors/submit-error.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { uiPortOf } from "../watch/ui-port.ts";

/** Activity of a running application: what its driver's UI reports. */
export interface ApplicationActivity {
  readonly appId: string;
  readonly appName: string;
  /** Start of the application, in ms since 1970. */
  readonly startedMs: number | undefined;
  readonly runningJobs: number;
  /** Stages that run, the oldest first. */
  readonly stages: readonly StageActivity[];
  /** The driver and the executors that have not ended. */
  readonly executors: readonly ExecutorActivity[];
}

/** A stage that runs. */
export interface StageActivity {
  readonly id: number;
  readonly attempt: number;
  readonly name: string;
  readonly tasks: { readonly all: number; readonly active: number; readonly done: number; readonly failed: number };
  readonly inputBytes: number;
  readonly shuffleReadBytes: number;
  readonly shuffleWriteBytes: number;
}

/** An executor, or the driver. */
export interface ExecutorActivity {
  readonly id: string;
  readonly cores: number;
  readonly tasks: { readonly active: number; readonly done: number; readonly failed: number };
  /** Time of the garbage collector, in ms. */
  readonly gcMs: number;
  /** Largest heap so far; `undefined` before the first heartbeat. */
  readonly peakHeapBytes: number | undefined;
  /** Memory for cached data: used and available. */
  readonly storage: { readonly usedBytes: number; readonly maxBytes: number };
  readonly shuffleReadBytes: number;
  readonly shuffleWriteBytes: number;
}

interface ActivityCall {
  readonly client: KubeClient;
  readonly driver: Pod;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches the activity of an application from its driver's UI, through the API server.
 *
 * Source: Spark, Monitoring and Instrumentation, "REST API".
 *
 * @throws SUBMIT_ERR_DRIVER_UI_NO_RESPONSE, SUBMIT_ERR_KUBE_FORBIDDEN, SUBMIT_ERR_KUBE_UNREACHABLE, SUBMIT_ERR_INTERRUPTED
 */
export async function fetchActivity(call: ActivityCall): Promise<ApplicationActivity> {
  const [application] = listOf(await fetchJson(call, ""));
  const { id, name, attempts } = objectOf(application);
  const path = `/${encodeURIComponent(textOf(id))}`;
  const [jobs, stages, executors] = await Promise.all([
    fetchJson(call, `${path}/jobs?status=running`),
    fetchJson(call, `${path}/stages?status=active`),
    fetchJson(call, `${path}/executors`),
  ]);
  const { startTimeEpoch } = objectOf(listOf(attempts)[0]);
  return {
    ...{ appId: textOf(id), appName: textOf(name), startedMs: numberOf(startTimeEpoch) || undefined },
    runningJobs: listOf(jobs).length,
    stages: listOf(stages)
      .map((stage) => stageOf(objectOf(stage)))
      .sort((a, b) => a.id - b.id),
    executors: listOf(executors).map((executor) => executorOf(objectOf(executor))),
  };
}

async function fetchJson({ client, driver, signal }: ActivityCall, path: string): Promise<unknown> {
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const port = uiPortOf(driver);
  try {
    return await client.fromPod<unknown>({
      ...{ namespace, pod: name, port, path: `/api/v1/applications${path}` },
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (!isSubmitError(error) || !unavailable.has(error.code)) throw error;
    const reason = statusOf(error)?.message ?? error.message;
    throw submitError(
      "SUBMIT_ERR_DRIVER_UI_NO_RESPONSE",
      { id: `${namespace}:${name}`, port, reason },
      { cause: error },
    );
  }
}

/** Errors of a proxy that cannot reach the pod, and of a driver that does not serve its UI, or not yet. */
const unavailable: ReadonlySet<string> = new Set([
  ...["SUBMIT_ERR_KUBE_REJECTED", "SUBMIT_ERR_KUBE_NOT_FOUND", "SUBMIT_ERR_KUBE_RESPONSE"],
]);

function stageOf(stage: JsonObject): StageActivity {
  return {
    ...{ id: numberOf(stage["stageId"]), attempt: numberOf(stage["attemptId"]), name: textOf(stage["name"]) },
    tasks: {
      ...{ all: numberOf(stage["numTasks"]), active: numberOf(stage["numActiveTasks"]) },
      ...{ done: numberOf(stage["numCompleteTasks"]), failed: numberOf(stage["numFailedTasks"]) },
    },
    inputBytes: numberOf(stage["inputBytes"]),
    shuffleReadBytes: numberOf(stage["shuffleReadBytes"]),
    shuffleWriteBytes: numberOf(stage["shuffleWriteBytes"]),
  };
}

function executorOf(executor: JsonObject): ExecutorActivity {
  const { JVMHeapMemory: peak } = objectOf(executor["peakMemoryMetrics"]);
  return {
    ...{ id: textOf(executor["id"]), cores: numberOf(executor["totalCores"]), gcMs: numberOf(executor["totalGCTime"]) },
    tasks: {
      ...{ active: numberOf(executor["activeTasks"]), done: numberOf(executor["completedTasks"]) },
      failed: numberOf(executor["failedTasks"]),
    },
    peakHeapBytes: numberOf(peak) || undefined,
    storage: { usedBytes: numberOf(executor["memoryUsed"]), maxBytes: numberOf(executor["maxMemory"]) },
    shuffleReadBytes: numberOf(executor["totalShuffleRead"]),
    shuffleWriteBytes: numberOf(executor["totalShuffleWrite"]),
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
