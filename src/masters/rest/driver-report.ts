import type { Log } from "../../host/log.ts";
import { logger } from "./rest-call.ts";
import type { RestResponse } from "./rest-response.ts";

/** Final states. Source: Spark DriverState; the dispatcher of Mesos. */
const finalStates = ["FINISHED", "FAILED", "KILLED", "ERROR", "NOT_FOUND"];

/** States before the driver runs. */
const waitingStates = ["SUBMITTED", "QUEUED"];

/** Returns whether a driver has ended. */
export function hasEnded({ driverState }: RestResponse): boolean {
  return driverState !== undefined && finalStates.includes(driverState);
}

/** Returns whether a driver has started, or ended without starting. */
export function hasStarted({ driverState }: RestResponse): boolean {
  return driverState !== undefined && !waitingStates.includes(driverState);
}

/** Returns whether a driver has ended successfully. */
export function hasSucceeded({ driverState }: RestResponse): boolean {
  return driverState === "FINISHED";
}

/** Logs a driver's state, its worker and its error in Spark's format. */
export function logDriver(log: Log, id: string, response: RestResponse): void {
  const { driverState, workerId, workerHostPort, message } = response;
  if (driverState === undefined) log("ERROR", logger, `State of driver ${id} was not found!`);
  else log("INFO", logger, `State of driver ${id} is now ${driverState}.`);
  if (workerId !== undefined && workerHostPort !== undefined) {
    log("INFO", logger, `Driver is running on worker ${workerId} at ${workerHostPort}.`);
  }
  if (message !== undefined) log("ERROR", logger, message);
}
