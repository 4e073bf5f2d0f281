import type { Container } from "../../kube/types.ts";
import type { RunningContainer } from "../sandbox/sandbox.ts";
import type { CheckResult, CheckTarget } from "./checks/check.ts";
import { type Hook, runHook } from "./checks/hook.ts";
import { type ProbeKind, startProbing } from "./checks/start-probing.ts";
import type { PodEvent } from "./pod-events.ts";
import { endHook, withRunning } from "./pod-runtime-state.ts";
import type { PodWorkerState } from "./pod-worker-state.ts";

interface StartedContainer {
  readonly container: Container;
  readonly run: RunningContainer;
  readonly record: (event: PodEvent) => void;
  /** Ms since 1970. */
  readonly startedAt: number;
}

/** Hooks and probes of a running container. */
interface ContainerSupervision {
  /** Resolves when its postStart hook has ended and its status shows it as running, or when it has ended. */
  readonly postStartDone: Promise<void>;
  /** Returns the error of its postStart hook, if it failed. */
  readonly hookError: () => string | undefined;
  /** Stops the probes after the container has ended. */
  readonly end: () => void;
}

/** Runs a container's hooks and probes, and records their results in its pod's runtime state. */
export function superviseContainer(workerState: PodWorkerState, started: StartedContainer): ContainerSupervision {
  const { container, run, record, startedAt } = started;
  const { name, lifecycle = {} } = container;
  const { clock } = workerState.context.host;
  const { connect } = workerState.context.network;
  const target: CheckTarget = { clock, spec: container, container: run, address: workerState.address ?? "", connect };
  let stopProbes = () => {};
  let hasEnded = false;
  let hookError: string | undefined;
  const { preStop, postStart } = lifecycle;
  const hook = async () => {
    if (preStop === undefined) return;
    const { isOk } = await runHook(target, preStop);
    if (isOk !== true) record({ type: "Warning", reason: "FailedPreStopHook", message: "PreStopHook failed" });
  };
  workerState.running.add(name, { container: run, record, hook: preStop && hook });

  async function runPostStart(): Promise<void> {
    if (postStart !== undefined) {
      const result = await Promise.race([runHook(target, postStart), run.exited.then(() => undefined)]);
      if (hasEnded || result === undefined) return;
      if (result.isOk === true) workerState.runtime = endHook(workerState.runtime, name);
      else return failStart(result, postStart);
    }
    stopProbes = startProbing({
      ...{ target, startedAt },
      onFailure: (kind, result) => recordProbeFailure(workerState, started, kind, result),
      onThresholdReached: (kind, isOk) => applyProbeResult(workerState, started, kind, isOk),
    });
    workerState.publish();
  }

  // The status shows the previous state until the container has ended.
  function failStart(result: CheckResult, failed: Hook): void {
    record({ type: "Warning", reason: "FailedPostStartHook", message: "PostStartHook failed" });
    hookError = describeHookError(workerState, name, failed, result);
    const terminationCause = { message: "FailedPostStartHook", graceMs: undefined };
    workerState.runtime = withRunning(workerState.runtime, name, { terminationCause });
    workerState.requestSync();
  }

  return {
    postStartDone: runPostStart(),
    hookError: () => hookError,
    end() {
      hasEnded = true;
      stopProbes();
    },
  };
}

function describeHookError(
  { pod }: PodWorkerState,
  name: string,
  hook: Hook,
  { output, exitCode }: CheckResult,
): string {
  const { name: podName, namespace, uid } = pod.metadata;
  const subject = `for Container "${name}" in Pod "${podName}_${namespace}(${uid})" failed - error:`;
  if (hook.exec === undefined) return `HTTP lifecycle hook (${hook.httpGet?.path ?? ""}) ${subject} ${output}`;
  const command = (hook.exec.command ?? []).join(" ");
  const error = exitCode === undefined ? output : `command '${command}' exited with ${exitCode}: ${output}`;
  return `Exec lifecycle hook ([${command}]) ${subject} ${error}, message: ${JSON.stringify(output)}`;
}

function recordProbeFailure(
  workerState: PodWorkerState,
  { record }: StartedContainer,
  kind: ProbeKind,
  { isOk, output }: CheckResult,
): void {
  if (kind !== "Readiness" && workerState.runtime.termination !== undefined) return;
  const what = isOk === undefined ? "probe errored and resulted in unknown state" : "probe failed";
  record({ type: "Warning", reason: "Unhealthy", message: `${kind} ${what}: ${output}` });
}

function applyProbeResult(
  workerState: PodWorkerState,
  { container }: StartedContainer,
  kind: ProbeKind,
  isOk: boolean,
): void {
  const { name } = container;
  if (kind === "Readiness") workerState.runtime = withRunning(workerState.runtime, name, { isReady: isOk });
  else if (!isOk) terminateAfterProbe(workerState, container, kind);
  else if (kind === "Startup") workerState.runtime = withRunning(workerState.runtime, name, { isStarted: true });
  workerState.publish();
  workerState.requestSync();
}

/**
 * Terminates a container that failed its startup or liveness probe; the pod's restart policy decides about a restart.
 */
function terminateAfterProbe(workerState: PodWorkerState, container: Container, kind: "Startup" | "Liveness"): void {
  if (workerState.runtime.termination !== undefined) return;
  const { name, restartPolicy, startupProbe, livenessProbe } = container;
  const isRestarted = restartPolicy === "Always" || workerState.runtime.restartPolicy !== "Never";
  const isLast = workerState.runtime.containers.every(
    ({ name: other, state }) => other === name || state.is !== "running",
  );
  const restartNote = isRestarted ? ", will be restarted" : "";
  const failure = `Container ${name} failed ${kind.toLowerCase()} probe${restartNote}`;
  // If no other container of the pod runs, the kubelet stops the whole pod and reports that instead.
  const message = !isRestarted && isLast ? `Stopping container ${name}` : failure;
  const seconds = (kind === "Startup" ? startupProbe : livenessProbe)?.terminationGracePeriodSeconds;
  const graceMs = seconds === undefined ? undefined : seconds * 1000;
  workerState.runtime = withRunning(workerState.runtime, name, { terminationCause: { message, graceMs } });
}
