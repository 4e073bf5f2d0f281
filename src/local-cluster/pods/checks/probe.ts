import type { Container } from "../../../kube/types.ts";
import type { CheckResult, CheckTarget } from "./check.ts";
import { commandCheck } from "./command-check.ts";
import { grpcCheck } from "./grpc-check.ts";
import { httpCheck } from "./http-check.ts";
import { tcpCheck } from "./tcp-check.ts";

/** Probe in a container's spec. */
export type Probe = NonNullable<Container["livenessProbe"]>;

/** Probes a container once, with the probe's timeout. */
export function runProbe(target: CheckTarget, probe: Probe): Promise<CheckResult> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  const { exec, httpGet, tcpSocket, grpc } = probe;
  if (exec !== undefined) return commandCheck(target, exec.command ?? [], timeoutMs);
  if (httpGet !== undefined) return httpCheck(target, httpGet, timeoutMs);
  if (tcpSocket !== undefined) return tcpCheck(target, tcpSocket, timeoutMs);
  if (grpc !== undefined) return grpcCheck(target, grpc, timeoutMs);
  return Promise.resolve({ isOk: false, output: "missing probe handler" });
}

/** Number of consecutive probes with the same result. */
export interface ProbeCount {
  readonly isOk: boolean;
  readonly times: number;
}

/** Counts one more result; `outcome` is `undefined` until a threshold is reached. */
export function countProbe(
  { successThreshold = 1, failureThreshold = 3 }: Probe,
  before: ProbeCount | undefined,
  isOk: boolean,
): { readonly count: ProbeCount; readonly outcome: boolean | undefined } {
  const times = before?.isOk === isOk ? before.times + 1 : 1;
  const isThresholdReached = times >= (isOk ? successThreshold : failureThreshold);
  return { count: { isOk, times }, outcome: isThresholdReached ? isOk : undefined };
}
