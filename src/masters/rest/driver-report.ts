import type { Log } from "../../host/log.ts";
import { logger } from "./rest-operations.ts";
import type { RestResponse } from "./rest-response.ts";

/** States after which nothing comes any more. Source: Spark DriverState; the dispatcher of Mesos. */
const finalStates = ["FINISHED", "FAILED", "KILLED", "ERROR", "NOT_FOUND"];

/** States in which nothing of the driver has run yet. */
const waitingStates = ["SUBMITTED", "QUEUED"];

/** Whether a driver has ended. */
export function hasEnded({ driverState }: RestResponse): boolean {
  return driverState !== undefined && finalStates.includes(driverState);
}

/** Whether a driver has begun, or ended without. */
export function hasStarted({ driverState }: RestResponse): boolean {
  return driverState !== undefined && !waitingStates.includes(driverState);
}

/** Whether a driver has ended as it should. */
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
