import { removeTree } from "../../host/remove-tree.ts";
import type { Container } from "../../kube/types.ts";
import type { Image } from "../images/image.ts";
import type { ContainerExit } from "../sandbox/sandbox.ts";
import type { LogWriter } from "./container-log.ts";
import type { PodEvent } from "./pod-events.ts";
import { showFailedStart } from "./pod-progress.ts";
import {
  cancelStart,
  delayContainer,
  endContainer,
  runContainer,
  withContainer,
} from "./pod-runtime-state.ts";
import { fieldPathOf, type PodWorkerState } from "./pod-worker-state.ts";
import { startContainerProcess, terminationLog } from "./start-container.ts";
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
export async function runPodContainer(work: PodWorkerState, name: string): Promise<void> {
  const { initContainers = [], containers } = work.pod.spec;
  const container = [...initContainers, ...containers].find((candidate) => candidate.name === name);
  if (container === undefined) return;
  const record = (event: PodEvent) => work.record({ ...event, fieldPath: fieldPathOf(work.pod, name) });
  const pulled = await work.pulls.pull(container, record);
  if (work.isRemoved || work.runtime.termination !== undefined) {
    work.runtime = cancelStart(work.runtime, name);
  } else if ("reason" in pulled) {
    work.runtime = delayContainer(work.runtime, name, pulled);
  } else {
    await start(work, container, { image: pulled.image, record });
  }
  work.requestSync();
}

async function start(
  work: PodWorkerState,
  container: Container,
  { image, record }: { readonly image: Image; readonly record: (event: PodEvent) => void },
): Promise<void> {
  const { context, volumes, hostsFile } = work;
  const { name } = container;
  const key = Buffer.from(context.host.random.bytes(32)).toString("hex");
  const directory = `${work.directory}/runs/${key.slice(0, 12)}`;
  const run: Run = { container, directory, id: `firesteel://${key}`, log: work.logs.startRun(name), record };
  const result = await startContainerProcess(context, {
    ...{ facts: work.facts(), container, volumes, hostsFile, directory, image, record },
    onOutput(stream, chunk) {
      run.log.write(stream, chunk);
      work.attachments.write(name, stream, chunk);
    },
  });
  if ("notCreated" in result) {
    const { notCreated: message, reason } = result;
    // Readers that follow the log already wait for its end.
    run.log.end();
    work.logs.cancel(name);
    record({ type: "Warning", reason: "Failed", message: `Error: ${message}` });
    const retryAt = context.host.clock.now() + configRetryMs;
    work.runtime = delayContainer(work.runtime, name, { reason, message, retryAt });
  } else if (!result.started) {
    run.log.end();
    recordStartError(work, run, image, result.startError);
  } else if (work.isRemoved) {
    result.container.signal("SIGKILL");
    await result.container.exited;
    run.log.end();
  } else {
    const startedAt = context.host.clock.now();
    const hasPostStartHook = container.lifecycle?.postStart !== undefined;
    work.runtime = runContainer(work.runtime, name, {
      id: run.id,
      imageId: image.id,
      startedAt,
      hasPostStartHook,
    });
    record({ type: "Normal", reason: "Started", message: "Container started" });
    const supervision = superviseContainer(work, { container, record, startedAt, run: result.container });
    void result.container.exited.then((exit) => {
      supervision.end();
      end(work, run, exit, { startedAt, hookError: supervision.hookError() });
    });
    await supervision.postStartDone;
  }
}

function recordStartError(
  work: PodWorkerState,
  { id, container, record }: Run,
  image: Image,
  startError: string,
): void {
  const { name } = container;
  const message = startErrorMessage(startError);
  record({ type: "Warning", reason: "Failed", message: `Error: ${message}` });
  const finishedAt = work.context.host.clock.now();
  const known = withContainer(work.runtime, name, () => ({ imageId: image.id }));
  const ended = endContainer(known, name, {
    ...{ id, exitCode: 128, reason: "StartError", message, startedAt: 0, finishedAt },
  });
  work.runtime = showFailedStart(ended, name, { reason: "RunContainerError", message });
  work.publish();
}

function end(
  work: PodWorkerState,
  run: Run,
  exit: ContainerExit,
  { startedAt, hookError }: { readonly startedAt: number; readonly hookError: string | undefined },
): void {
  const { host } = work.context;
  const { id, container } = run;
  const reason = work.oomKilled.delete(container.name) ? outOfMemory : reasonOf(exit);
  run.log.end();
  work.running.delete(container.name);
  const message =
    exit.startError === undefined ? lastMessage(work, run, exit.code) : startErrorMessage(exit.startError);
  removeTree(host.files, run.directory);
  work.runtime = endContainer(work.runtime, container.name, {
    ...{ id, exitCode: exit.code, reason, startedAt, finishedAt: host.clock.now() },
    ...(message === "" ? {} : { message }),
  });
  if (hookError !== undefined) {
    work.runtime = showFailedStart(work.runtime, container.name, {
      ...{ reason: "PostStartHookError", message: hookError },
    });
  }
  if (work.isRemoved) return;
  if (work.runtime.termination === undefined) work.publish();
  work.requestSync();
}

function reasonOf({ code, startError, outOfMemory: isOutOfMemory }: ContainerExit): string {
  if (startError !== undefined) return "StartError";
  if (isOutOfMemory) return outOfMemory;
  return code === 0 ? "Completed" : "Error";
}

/** Returns the container's termination message; its log's end if the termination message policy asks for it. */
function lastMessage(work: PodWorkerState, { container, directory }: Run, code: number): string {
  const { files } = work.context.host;
  const written = files.readRange(`${directory}/${terminationLog}`, 0, maxTerminationMessageBytes);
  if (written !== undefined && written.length > 0) return Buffer.from(written).toString("utf8");
  const isFallback = container.terminationMessagePolicy === "FallbackToLogsOnError" && code !== 0;
  return isFallback ? work.logs.tail(container.name, 2048) : "";
}

/** Wraps an error as container runtimes do. */
function startErrorMessage(startError: string): string {
  return `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${startError}: unknown`;
}
