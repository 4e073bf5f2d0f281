import type { StopSignal } from "../../errors/stop-signal.ts";
import { queryMasters, type RestCall, type RestClient, type RestOutcome } from "./rest-call.ts";

/** Returns an ID for a path: encoded, or unchanged as Spark sends it. */
function segment({ behaviors }: RestClient, id: string): string {
  return behaviors.restIds === "spark" ? id : encodeURIComponent(id);
}

/** Creates a driver. `body`: output of `printCreateRequest`. */
export function createDriver(client: RestClient, body: string, signal?: StopSignal): Promise<RestOutcome> {
  const call: RestCall = {
    ...{ method: "POST", path: "create", body, isOnce: true, signal },
    ...{ expects: "CreateSubmissionResponse", isConclusive: ({ success }) => success },
  };
  client.log("INFO", logger, `Submitting a request to launch an application in ${client.master}.`);
  return queryMasters(client, call);
}

/** Fetches the state of a driver. */
export function fetchStatus(client: RestClient, id: string, signal?: StopSignal): Promise<RestOutcome> {
  return queryMasters(client, {
    ...{ method: "GET", path: `status/${segment(client, id)}`, signal },
    ...{ expects: "SubmissionStatusResponse", isConclusive: ({ success }) => success },
  });
}

/** Kills a driver. Only the leading master knows drivers, so any of its responses is conclusive. */
export function killDriver(client: RestClient, id: string): Promise<RestOutcome> {
  client.log("INFO", logger, `Submitting a request to kill submission ${id} in ${client.master}.`);
  return queryMasters(client, {
    ...{ method: "POST", path: `kill/${segment(client, id)}` },
    expects: "KillSubmissionResponse",
    isConclusive: ({ message }) => !isFromStandby(message),
  });
}

/** Kills all drivers. */
export function killAllDrivers(client: RestClient): Promise<RestOutcome> {
  return queryMasters(client, {
    ...{ method: "POST", path: "killall" },
    ...{ expects: "KillAllSubmissionResponse", isConclusive: ({ success }) => success },
  });
}

/** Clears completed drivers and applications. */
export function clearEnded(client: RestClient): Promise<RestOutcome> {
  return queryMasters(client, {
    ...{ method: "POST", path: "clear" },
    ...{ expects: "ClearResponse", isConclusive: ({ success }) => success },
  });
}

/** Checks whether a master accepts submissions. */
export function fetchReadiness(client: RestClient): Promise<RestOutcome> {
  return queryMasters(client, {
    ...{ method: "GET", path: "readyz" },
    ...{ expects: "ReadyzResponse", isConclusive: ({ success }) => success },
  });
}

/** Logger of these lines in Spark. */
export const logger = "RestSubmissionClient";

function isFromStandby(message: string | undefined): boolean {
  return message?.startsWith("Current state is not alive") === true;
}
