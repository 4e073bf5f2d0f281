import { driverPort } from "../../conf/entries/driver.ts";
import type { GatewayApplication, GatewayState } from "../model/application.ts";

/** Fields of a status response that describe a driver. */
export interface DriverStatus {
  readonly driverState: string;
  readonly message?: string | undefined;
  readonly workerId?: string | undefined;
  readonly workerHostPort?: string | undefined;
}

const states: Readonly<Record<GatewayState, string>> = {
  ...{ queued: "SUBMITTED", submitting: "SUBMITTED", pending: "SUBMITTED", running: "RUNNING" },
  ...{ succeeded: "FINISHED", failed: "FAILED", killed: "KILLED" },
};

/** Reasons of Kubernetes for a container that does not start although its node is known. */
const startProblem = /Err|BackOff|Invalid/;

/** Port of a driver on Kubernetes in cluster mode, unless a setting names another. */
const defaultDriverPort = "7078";

/**
 * Describes a driver in the protocol's terms. A driver that never ran has the state `ERROR`. `message` explains what is not the
 * result of the application's own code.
 */
export function driverStatus({ record, state, driver }: GatewayApplication): DriverStatus {
  const { end, podName, submission } = record;
  const isUnstarted = state === "failed" && end?.hasStarted === false;
  const port = submission.settings[driverPort.key] ?? defaultDriverPort;
  return {
    driverState: isUnstarted ? "ERROR" : states[state],
    message:
      state === "failed" ? failureMessage(end) : state === "pending" ? pendingMessage(driver?.reason) : undefined,
    ...(driver?.podAddress !== undefined && { workerId: podName, workerHostPort: `${driver.podAddress}:${port}` }),
  };
}

function failureMessage(end: GatewayApplication["record"]["end"]): string | undefined {
  // The container of an application that failed by itself has the reason "Error": the driver's log explains it.
  if (end?.hasStarted === true && (end.reason === undefined || end.reason === "Error")) return undefined;
  return end?.message ?? end?.reason;
}

function pendingMessage(reason: string | undefined): string | undefined {
  return reason !== undefined && startProblem.test(reason) ? `The driver cannot start yet: ${reason}.` : undefined;
}
