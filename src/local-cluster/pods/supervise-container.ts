import type { Container } from "../../kube/types.ts";
import type { RunningContainer } from "../sandbox/sandbox.ts";
import type { CheckResult, CheckTarget } from "./checks/check.ts";
import { type Hook, runHook } from "./checks/hook.ts";
import { type ProbeKind, startProbing } from "./checks/start-probing.ts";
import type { PodEvent } from "./pod-events.ts";
import { endHook, withRunning } from "./pod-runtime-state.ts";
import type { PodWorkerState } from "./pod-worker-state.ts";

/** A container that has just started. */
export interface StartedContainer {
  readonly container: Container;
  readonly run: RunningContainer;
  readonly record: (event: PodEvent) => void;
  /** Ms since 1970. */
  readonly startedAt: number;
}

/** Hooks and probes of a running container. */
export interface ContainerSupervision {
  /** Resolves when its postStart hook has ended and its status shows it as running, or when it has ended. */
  readonly postStartDone: Promise<void>;
  /** Returns the error of its postStart hook, if it failed. */
  readonly hookError: () => string | undefined;
  /** Stops the probes after the container has ended. */
  readonly end: () => void;
}

/** Runs a container's hooks and probes, and records their results in its pod's runtime state. */
export function superviseContainer(work: PodWorkerState, started: StartedContainer): ContainerSupervision {
  const { container, run, record, startedAt } = started;
  const { name, lifecycle = {} } = container;
  const { clock } = work.context.host;
  const target: CheckTarget = { clock, spec: container, container: run, address: work.address ?? "" };
  let stopProbes = () => {};
  let hasEnded = false;
  let hookError: string | undefined;
  const { preStop, postStart } = lifecycle;
  const hook = async () => {
    if (preStop === undefined) return;
    const { isOk } = await runHook(target, preStop);
    if (isOk !== true)
      record({ type: "Warning", reason: "FailedPreStopHook", message: "PreStopHook failed" });
  };
  work.running.add(name, { container: run, record, hook: preStop && hook });

  async function runPostStart(): Promise<void> {
    if (postStart !== undefined) {
      const result = await Promise.race([runHook(target, postStart), run.exited.then(() => undefined)]);
      if (hasEnded || result === undefined) return;
      if (result.isOk === true) work.runtime = endHook(work.runtime, name);
      else return failStart(result, postStart);
    }
    stopProbes = startProbing({
      ...{ target, startedAt },
      onFailure: (kind, result) => recordProbeFailure(work, started, kind, result),
      onThresholdReached: (kind, isOk) => applyProbeResult(work, started, kind, isOk),
    });
    work.publish();
  }

  // The status shows the previous state until the container has ended.
  function failStart(result: CheckResult, failed: Hook): void {
    record({ type: "Warning", reason: "FailedPostStartHook", message: "PostStartHook failed" });
    hookError = describeHookError(work, name, failed, result);
    const terminationCause = { message: "FailedPostStartHook", graceMs: undefined };
    work.runtime = withRunning(work.runtime, name, { terminationCause });
    work.requestSync();
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
  if (hook.exec === undefined)
    return `HTTP lifecycle hook (${hook.httpGet?.path ?? ""}) ${subject} ${output}`;
  const command = (hook.exec.command ?? []).join(" ");
  const error = exitCode === undefined ? output : `command '${command}' exited with ${exitCode}: ${output}`;
  return `Exec lifecycle hook ([${command}]) ${subject} ${error}, message: ${JSON.stringify(output)}`;
}

function recordProbeFailure(
  work: PodWorkerState,
  { record }: StartedContainer,
  kind: ProbeKind,
  { isOk, output }: CheckResult,
): void {
  if (kind !== "Readiness" && work.runtime.termination !== undefined) return;
  const what = isOk === undefined ? "probe errored and resulted in unknown state" : "probe failed";
  record({ type: "Warning", reason: "Unhealthy", message: `${kind} ${what}: ${output}` });
}

function applyProbeResult(
  work: PodWorkerState,
  { container }: StartedContainer,
  kind: ProbeKind,
  isOk: boolean,
): void {
  const { name } = container;
  if (kind === "Readiness") work.runtime = withRunning(work.runtime, name, { isReady: isOk });
  else if (!isOk) terminateAfterProbe(work, container, kind);
  else if (kind === "Startup") work.runtime = withRunning(work.runtime, name, { isStarted: true });
  work.publish();
  work.requestSync();
}

/**
 * Terminates a container that failed its startup or liveness probe; the pod's restart policy decides about a restart.
 */
function terminateAfterProbe(work: PodWorkerState, container: Container, kind: "Startup" | "Liveness"): void {
  if (work.runtime.termination !== undefined) return;
  const { name, restartPolicy, startupProbe, livenessProbe } = container;
  const isRestarted = restartPolicy === "Always" || work.runtime.restartPolicy !== "Never";
  const isLast = work.runtime.containers.every(
    ({ name: other, state }) => other === name || state.is !== "running",
  );
  const restartNote = isRestarted ? ", will be restarted" : "";
  const failure = `Container ${name} failed ${kind.toLowerCase()} probe${restartNote}`;
  // If no other container of the pod runs, the kubelet stops the whole pod and reports that instead.
  const message = !isRestarted && isLast ? `Stopping container ${name}` : failure;
  const seconds = (kind === "Startup" ? startupProbe : livenessProbe)?.terminationGracePeriodSeconds;
  const graceMs = seconds === undefined ? undefined : seconds * 1000;
  work.runtime = withRunning(work.runtime, name, { terminationCause: { message, graceMs } });
}
