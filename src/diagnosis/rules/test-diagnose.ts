import { diagnose } from "../diagnose.ts";
import { driverPod, ended, failedDriver, observe, waiting } from "../test-observation.ts";

/** Returns the cause and the message of the diagnosis of a driver whose container the runtime does not start. */
export function diagnoseStart(reason: string, message: string, spec = {}) {
  const containers = [{ name: "spark-kubernetes-driver", image: "spark:4.3.0", ...spec }];
  const state =
    reason === "StartError" || reason === "ContainerCannotRun"
      ? ended(128, { reason, message })
      : waiting(reason, message);
  const found = diagnose(observe({ driver: driverPod({ spec: { containers }, states: { main: state } }) }));
  return `${found?.cause}: ${found?.message}`;
}

/** Returns the cause and the message of the diagnosis of a failed driver with this log. */
export function diagnoseLog(log: string, exitCode = 1, properties: Readonly<Record<string, string>> = {}) {
  const found = diagnose(observe({ driver: failedDriver(log, exitCode), properties }));
  return `${found?.cause}: ${found?.message}`;
}
