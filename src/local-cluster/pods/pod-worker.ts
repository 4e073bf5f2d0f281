import type { PodLogAnswer, PodLogRequest } from "../api/pod-logs.ts";
import { containerLogs } from "./container-logs.ts";
import { imagePulls } from "./image-pulls.ts";
import type { NodeContext } from "./node-context.ts";
import type { PodEvent } from "./pod-events.ts";
import type { PodFacts } from "./pod-fields.ts";
import {
  beginLife,
  cancelStart,
  delayContainer,
  endContainer,
  endPod,
  giveUpWaiting,
  isFinished,
  nextContainers,
  outcomeOf,
  type PodLife,
  runContainer,
  showBackOff,
  startContainer,
  withContainer,
} from "./pod-life.ts";
import { podStatus } from "./pod-status.ts";
import { podTokens } from "./pod-tokens.ts";
import { runningContainers } from "./running-containers.ts";
import { startContainerProcess, terminationLog } from "./start-container.ts";
import { isPod, type StoredPod } from "./stored-pod.ts";
import { podVolumes } from "./volumes.ts";

/** Runs one pod: the kubelet's loop for it. */
export interface PodWorker {
  /** The pod's object changed. */
  readonly update: (pod: StoredPod) => void;
  /** Something that the pod may wait for is there now. */
  readonly look: () => void;
  /** Objects that its volumes show may have changed. */
  readonly refresh: () => void;
  readonly readLog: (request: PodLogRequest) => PodLogAnswer;
  /** The pod's object is gone: ends everything at once and removes what the pod left. */
  readonly remove: () => Promise<void>;
}

const configRetryMs = 10_000;
const firstMountPauseMs = 500;
const longestMountPauseMs = 120_000;

/** Begins to run a pod that was bound to the node. */
export function startPodWorker(context: NodeContext, bound: StoredPod): PodWorker {
  const { host, store, names, events } = context;
  const { uid, namespace, name: podName } = bound.metadata;
  const directory = `${context.directory}/${uid}`;
  const hostsFile = `${directory}/hosts`;
  const now = host.clock.now;

  let pod = bound;
  let life: PodLife = beginLife(pod.spec, now());
  let address: string | undefined;
  let isRemoved = false;
  let mount = { pauseMs: 0, retryAt: 0 };
  let cancelWake: () => void = () => {};
  let runs = 0;
  const attempts = new Set<Promise<void>>();

  const facts = (): PodFacts => ({
    pod,
    address: address ?? "",
    hostAddress: context.api.address,
    allocatable: context.allocatable,
  });
  const record = (event: PodEvent) => events.record(pod, event);
  const logs = containerLogs(host, `${directory}/logs`);
  const pulls = imagePulls(context.images, now);
  const volumes = podVolumes({
    host,
    store,
    pod,
    directory: `${directory}/volumes`,
    memoryDirectory: `${context.memoryDirectory}/${uid}`,
    claims: context.claims,
    hostPathRoots: context.hostPathRoots,
    facts,
    tokenFor: podTokens(context, pod),
  });
  const running = runningContainers(host);

  function publish(): void {
    store.update("pods", namespace, podName, (current) => {
      if (current.metadata.uid !== uid || !isPod(current)) return current;
      const status = podStatus(current, life, { hostAddress: context.api.address, address, now: now() });
      return { ...current, status };
    });
  }

  function wake(at: number): void {
    cancelWake();
    if (!isRemoved) cancelWake = host.clock.after(Math.max(0, at - now()), step);
  }

  function step(): void {
    if (isRemoved || life.isOver) return;
    checkEnding();
    if (!life.isSetUp && life.ending === undefined) setUp();
    life = showBackOff(life, now(), `${podName}_${namespace}(${uid})`);
    const { start, lookAgainAt } = nextContainers(life, now());
    for (const name of start) {
      life = startContainer(life, name);
      const attempted = attempt(name).finally(() => attempts.delete(attempted));
      attempts.add(attempted);
    }
    const killAt = running.stop(toStop(life), graceMs());
    // Of an ending only its end is told.
    if (life.ending === undefined) publish();
    if (isDone()) {
      finish();
      return;
    }
    const { activeDeadlineSeconds } = pod.spec;
    const deadline =
      activeDeadlineSeconds === undefined || life.ending !== undefined
        ? undefined
        : life.startTime + activeDeadlineSeconds * 1000;
    const mountAt = life.isSetUp || life.ending !== undefined ? undefined : mount.retryAt;
    const times = [lookAgainAt, killAt, deadline, mountAt].filter((time) => time !== undefined);
    if (times.length > 0) wake(Math.min(...times));
  }

  function isDone(): boolean {
    const isQuiet = life.containers.every(({ state }) => state.is !== "running" && state.is !== "starting");
    return isQuiet && (life.ending !== undefined || isFinished(life));
  }

  function graceMs(): number {
    const grace = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
    return grace * 1000;
  }

  function checkEnding(): void {
    const { activeDeadlineSeconds } = pod.spec;
    if (pod.metadata.deletionTimestamp !== undefined) {
      life = endPod(life, { reason: undefined, message: undefined });
    } else if (
      activeDeadlineSeconds !== undefined &&
      now() >= life.startTime + activeDeadlineSeconds * 1000
    ) {
      const message = "Pod was active on the node longer than the specified deadline";
      if (life.ending === undefined) record({ type: "Normal", reason: "DeadlineExceeded", message });
      life = endPod(life, { reason: "DeadlineExceeded", message });
    }
  }

  function setUp(): void {
    if (now() < mount.retryAt) return;
    const problems = volumes.setUp();
    for (const message of problems) record({ type: "Warning", reason: "FailedMount", message });
    if (problems.length === 0) {
      address = names.join(pod, hostsFile);
      life = { ...life, isSetUp: address !== undefined };
      if (life.isSetUp) return;
      const message = "Failed to create pod sandbox: all addresses of the cluster are taken";
      record({ type: "Warning", reason: "FailedCreatePodSandBox", message });
    }
    const pauseMs =
      mount.pauseMs === 0 ? firstMountPauseMs : Math.min(mount.pauseMs * 2, longestMountPauseMs);
    mount = { pauseMs, retryAt: now() + pauseMs };
  }

  async function attempt(name: string): Promise<void> {
    const { initContainers = [], containers } = pod.spec;
    const container = [...initContainers, ...containers].find((candidate) => candidate.name === name);
    if (container === undefined) return;
    const list = initContainers.includes(container) ? "initContainers" : "containers";
    const fieldPath = `spec.${list}{${name}}`;
    const recordOf = (event: PodEvent) => record({ ...event, fieldPath });
    const pulled = await pulls.pull(container, recordOf);
    if (isRemoved || life.ending !== undefined || "reason" in pulled) {
      life = "reason" in pulled ? delayContainer(life, name, pulled) : cancelStart(life, name);
      return step();
    }
    runs += 1;
    const { image } = pulled;
    const runDirectory = `${directory}/runs/${name}-${runs}`;
    const log = logs.begin(name);
    const result = await startContainerProcess(context, {
      facts: facts(),
      container,
      volumes,
      hostsFile,
      directory: runDirectory,
      image,
      onOutput: log.write,
      record: recordOf,
    });
    if ("misconfigured" in result) {
      log.end();
      recordOf({ type: "Warning", reason: "Failed", message: `Error: ${result.misconfigured}` });
      const message = result.misconfigured;
      life = delayContainer(life, name, {
        reason: "CreateContainerConfigError",
        message,
        retryAt: now() + configRetryMs,
      });
      return step();
    }
    if (isRemoved && result.started) {
      result.container.signal("SIGKILL");
      await result.container.exited;
      return;
    }
    const id = `firesteel://${Buffer.from(host.random.bytes(32)).toString("hex")}`;
    if (!result.started) {
      log.end();
      const message = startErrorMessage(result.startError);
      recordOf({ type: "Warning", reason: "Failed", message: `Error: ${message}` });
      const end = { id, exitCode: 128, reason: "StartError", message, startedAt: 0, finishedAt: now() };
      life = endContainer(
        withContainer(life, name, () => ({ imageId: image.id })),
        name,
        end,
      );
      return step();
    }
    const startedAt = now();
    life = runContainer(life, name, { id, imageId: image.id, startedAt });
    recordOf({ type: "Normal", reason: "Started", message: "Container started" });
    running.add(name, result.container, recordOf);
    void result.container.exited.then((exit) => {
      log.end();
      running.delete(name);
      const failure = exit.startError === undefined ? undefined : startErrorMessage(exit.startError);
      const message = failure ?? lastMessage(container, name, runDirectory, exit.code);
      host.files.remove(runDirectory);
      const reason =
        failure !== undefined
          ? "StartError"
          : exit.outOfMemory
            ? "OOMKilled"
            : exit.code === 0
              ? "Completed"
              : "Error";
      life = endContainer(life, name, {
        id,
        exitCode: exit.code,
        reason,
        ...(message === "" ? {} : { message }),
        startedAt,
        finishedAt: now(),
      });
      if (isRemoved) return;
      if (life.ending === undefined) publish();
      wake(now());
    });
    publish();
    wake(now());
  }

  function lastMessage(
    { terminationMessagePolicy }: { terminationMessagePolicy?: string },
    name: string,
    runDirectory: string,
    code: number,
  ): string {
    const written = Buffer.from(host.files.readBytes(`${runDirectory}/${terminationLog}`) ?? "");
    if (written.length > 0) return written.subarray(0, 4096).toString("utf8");
    return terminationMessagePolicy === "FallbackToLogsOnError" && code !== 0 ? logs.tail(name, 2048) : "";
  }

  function finish(): void {
    cancelWake();
    if (life.ending?.reason === undefined && life.ending !== undefined) life = giveUpWaiting(life, now());
    giveBack();
    life = { ...life, isOver: true };
    publish();
    if (pod.metadata.deletionTimestamp !== undefined) endObject();
  }

  function giveBack(): void {
    names.leave(uid);
    volumes.remove();
    host.files.remove(`${directory}/runs`);
  }

  /** Without grace left, the store lets go of it. */
  function endObject(): void {
    store.update("pods", namespace, podName, (current) =>
      current.metadata.uid === uid && current.metadata.deletionTimestamp !== undefined
        ? { ...current, metadata: { ...current.metadata, deletionGracePeriodSeconds: 0 } }
        : current,
    );
  }

  publish();
  wake(now());
  return {
    update(changed) {
      const before = pod.metadata;
      pod = changed;
      const isDeletion =
        changed.metadata.deletionTimestamp !== before.deletionTimestamp ||
        changed.metadata.deletionGracePeriodSeconds !== before.deletionGracePeriodSeconds;
      if (!isDeletion) return;
      if (!life.isOver) {
        publish();
        wake(now());
      } else if (changed.metadata.deletionGracePeriodSeconds !== 0) {
        endObject();
      }
    },
    look() {
      mount = { ...mount, retryAt: 0 };
      for (const { name, state } of life.containers) {
        if (state.is === "waiting" && state.reason === "CreateContainerConfigError") {
          life = withContainer(life, name, () => ({ retryAt: 0 }));
        }
      }
      wake(now());
    },
    refresh: () => {
      if (life.isSetUp && !life.isOver) volumes.refresh();
    },
    readLog(request) {
      const container = life.containers.find(({ name }) => name === request.container);
      return container === undefined
        ? { status: 400, message: `container ${request.container} is not valid for pod ${podName}` }
        : logs.read(request, container);
    },
    async remove() {
      isRemoved = true;
      cancelWake();
      await Promise.all([running.kill(), ...attempts]);
      giveBack();
      host.files.remove(directory);
      events.forget(pod);
    },
  };
}

/** The running containers that are to end: side-cars after the others. */
function toStop(life: PodLife): readonly string[] {
  const isRunning = life.containers.filter(({ state }) => state.is === "running");
  const sidecars = isRunning.filter(({ role }) => role === "sidecar");
  const others = isRunning.filter(({ role }) => role !== "sidecar");
  if (life.ending !== undefined) return (others.length > 0 ? others : sidecars).map(({ name }) => name);
  return outcomeOf(life) === undefined ? [] : sidecars.map(({ name }) => name);
}

/** A container runtime's words around those of its parts. */
function startErrorMessage(startError: string): string {
  return `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ${startError}: unknown`;
}
