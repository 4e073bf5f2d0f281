import { removeTree } from "../../host/remove-tree.ts";
import type { Container } from "../../kube/types.ts";
import type { Image } from "../images/image.ts";
import type { ContainerExit, RunningContainer } from "../sandbox/sandbox.ts";
import type { LogWriter } from "./container-log.ts";
import type { PodEvent } from "./pod-events.ts";
import { showFailedStart } from "./pod-progress.ts";
import { cancelStart, delayContainer, endContainer, runContainer, withContainer } from "./pod-runtime-state.ts";
import { fieldPathOf, type PodWorkerState } from "./pod-worker-state.ts";
import { startContainerProcess, terminationLog } from "./start-container.ts";
import { containersOf } from "./stored-object.ts";
import { superviseContainer } from "./supervise-container.ts";

/** Delay before a container with a missing object is retried; the object's creation ends it early. */
const configRetryMs = 10_000;
/** Limit on the termination message that is read; the container may write more. */
const maxTerminationMessageBytes = 4096;

const outOfMemory = "OOMKilled";

/** Run of a container. */
interface Run {
  readonly container: Container;
  /** Directory of this run alone. */
  readonly directory: string;
  /** ID of the container runtime, e.g. `firesteel://0123…`. */
  readonly id: string;
  readonly log: LogWriter;
  readonly record: (event: PodEvent) => void;
}

/**
 * Starts a container of a pod and follows it to its end: each step updates the pod's runtime state and status.
 * Resolves when the container runs, or when it is certain that it cannot run now.
 */
export async function runPodContainer(workerState: PodWorkerState, name: string): Promise<void> {
  const container = containersOf(workerState.pod.spec).find((candidate) => candidate.name === name);
  if (container === undefined) return;
  const record = (event: PodEvent) => workerState.record({ ...event, fieldPath: fieldPathOf(workerState.pod, name) });
  const pulled = await workerState.pulls.pull(container, record);
  if (workerState.isRemoved || workerState.runtime.termination !== undefined) {
    workerState.runtime = cancelStart(workerState.runtime, name);
  } else if ("reason" in pulled) {
    workerState.runtime = delayContainer(workerState.runtime, name, pulled);
  } else {
    await start(workerState, container, { image: pulled.image, record });
  }
  workerState.requestSync();
}

async function start(
  workerState: PodWorkerState,
  container: Container,
  { image, record }: { readonly image: Image; readonly record: (event: PodEvent) => void },
): Promise<void> {
  const { context, volumes, hostsFile } = workerState;
  const { name } = container;
  const key = Buffer.from(context.host.random.bytes(32)).toString("hex");
  const directory = `${workerState.directory}/runs/${key.slice(0, 12)}`;
  const run: Run = { container, directory, id: `firesteel://${key}`, log: workerState.logs.startRun(name), record };
  const result = await startContainerProcess(context, {
    ...{ facts: workerState.facts(), container, volumes, hostsFile, directory, image, record },
    onOutput(stream, chunk) {
      run.log.write(stream, chunk);
      workerState.attachments.write(name, stream, chunk);
    },
  });
  if ("notCreated" in result) {
    recordConfigError(workerState, run, { reason: result.reason, message: result.notCreated });
  } else if (!result.started) {
    run.log.end();
    recordStartError(workerState, run, image, result.startError);
  } else if (workerState.isRemoved) {
    result.container.signal("SIGKILL");
    await result.container.exited;
    run.log.end();
  } else {
    await superviseRun(workerState, run, { running: result.container, imageId: image.id });
  }
}

/** Records that a container could not be created, e.g. because an object is missing, and delays it. */
function recordConfigError(
  workerState: PodWorkerState,
  { container: { name }, log, record }: Run,
  { reason, message }: { readonly reason: string; readonly message: string },
): void {
  // Readers that follow the log already wait for its end.
  log.end();
  workerState.logs.cancel(name);
  record({ type: "Warning", reason: "Failed", message: `Error: ${message}` });
  const retryAt = workerState.context.host.clock.now() + configRetryMs;
  workerState.runtime = delayContainer(workerState.runtime, name, { reason, message, retryAt });
}

/** Supervises a started container until its postStart hook is done. */
async function superviseRun(
  workerState: PodWorkerState,
  run: Run,
  { running, imageId }: { readonly running: RunningContainer; readonly imageId: string },
): Promise<void> {
  const { container, record, id } = run;
  const startedAt = workerState.context.host.clock.now();
  const hasPostStartHook = container.lifecycle?.postStart !== undefined;
  const state = { id, imageId, startedAt, hasPostStartHook };
  workerState.runtime = runContainer(workerState.runtime, container.name, state);
  record({ type: "Normal", reason: "Started", message: "Container started" });
  const supervision = superviseContainer(workerState, { container, record, startedAt, run: running });
  void running.exited.then((exit) => {
    supervision.end();
    end(workerState, run, exit, { startedAt, hookError: supervision.hookError() });
  });
  await supervision.postStartDone;
}

function recordStartError(workerState: PodWorkerState, run: Run, image: Image, startError: string): void {
  const { id, container, record } = run;
  const { name } = container;
  const message = startErrorMessage(startError);
  record({ type: "Warning", reason: "Failed", message: `Error: ${message}` });
  const finishedAt = workerState.context.host.clock.now();
  const known = withContainer(workerState.runtime, name, () => ({ imageId: image.id }));
  const ended = endContainer(known, name, {
    ...{ id, exitCode: 128, reason: "StartError", message, startedAt: 0, finishedAt },
  });
  workerState.runtime = showFailedStart(ended, name, { reason: "RunContainerError", message });
  workerState.publish();
}

function end(
  workerState: PodWorkerState,
  run: Run,
  exit: ContainerExit,
  { startedAt, hookError }: { readonly startedAt: number; readonly hookError: string | undefined },
): void {
  const { host } = workerState.context;
  const { id, container } = run;
  const reason = workerState.oomKilled.delete(container.name) ? outOfMemory : reasonOf(exit);
  run.log.end();
  workerState.running.delete(container.name);
  const message =
    exit.startError === undefined ? lastMessage(workerState, run, exit.code) : startErrorMessage(exit.startError);
  removeTree(host.files, run.directory);
  workerState.runtime = endContainer(workerState.runtime, container.name, {
    ...{ id, exitCode: exit.code, reason, startedAt, finishedAt: host.clock.now() },
    ...(message === "" ? {} : { message }),
  });
  if (hookError !== undefined) {
    const why = { reason: "PostStartHookError", message: hookError } as const;
    workerState.runtime = showFailedStart(workerState.runtime, container.name, why);
  }
  if (workerState.isRemoved) return;
  if (workerState.runtime.termination === undefined) workerState.publish();
  workerState.requestSync();
}

function reasonOf({ code, startError, outOfMemory: isOutOfMemory }: ContainerExit): string {
  if (startError !== undefined) return "StartError";
  if (isOutOfMemory) return outOfMemory;
  return code === 0 ? "Completed" : "Error";
}

/** Returns the container's termination message; its log's end if the termination message policy asks for it. */
function lastMessage(workerState: PodWorkerState, { container, directory }: Run, code: number): string {
  const { files } = workerState.context.host;
  const written = files.readRange(`${directory}/${terminationLog}`, 0, maxTerminationMessageBytes);
  if (written !== undefined && written.length > 0) return Buffer.from(written).toString("utf8");
  const isFallback = container.terminationMessagePolicy === "FallbackToLogsOnError" && code !== 0;
  return isFallback ? workerState.logs.tail(container.name, 2048) : "";
}

/** Wraps an error as container runtimes do. */
function startErrorMessage(startError: string): string {
  return `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${startError}: unknown`;
}
