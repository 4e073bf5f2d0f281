import type { StopSignal } from "../../errors/stop-signal.ts";
import { SubmitError } from "../../errors/submit-error.ts";
import { logger, queryMasters, type RestClient, type RestOutcome } from "./rest-call.ts";

/** Creates a driver. `body`: output of `printCreateRequest`. */
export function createDriver(client: RestClient, body: string, signal?: StopSignal): Promise<RestOutcome> {
  client.log("INFO", logger, `Submitting a request to launch an application in ${client.master}.`);
  const expects = "CreateSubmissionResponse";
  return queryMasters(client, { method: "POST", path: "create", body, isOnce: true, expects, signal });
}

/** Fetches the state of a driver. */
export function fetchStatus(client: RestClient, id: string, signal?: StopSignal): Promise<RestOutcome> {
  const path = `status/${pathSegment(client, id)}`;
  return queryMasters(client, { method: "GET", path, expects: "SubmissionStatusResponse", signal });
}

/** Kills a driver. Only the leading master knows drivers, so any of its responses is conclusive. */
export function killDriver(client: RestClient, id: string): Promise<RestOutcome> {
  client.log("INFO", logger, `Submitting a request to kill submission ${id} in ${client.master}.`);
  return queryMasters(client, {
    ...{ method: "POST", path: `kill/${pathSegment(client, id)}`, expects: "KillSubmissionResponse" },
    isConclusive: ({ message }) => message?.startsWith("Current state is not alive") !== true,
  });
}

/** Returns an ID as a segment of a path: encoded, or unchanged as Spark sends it. */
function pathSegment({ behaviors }: RestClient, id: string): string {
  return behaviors.restIds === "spark" ? id : encodeURIComponent(id);
}

/** Builds the error for a call without a conclusive response, with the reason of each master. */
export function inconclusiveError({ problems }: Pick<RestOutcome, "problems">): Error {
  const [first, ...others] = problems;
  if (first === undefined) throw new Error("A call without a conclusive response has no problems.");
  return new SubmitError([first, ...others]);
}
