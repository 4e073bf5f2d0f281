import { behaviorsOf } from "../../conf/behaviors.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { orThrow } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { sparkLog } from "../../host/log.ts";
import { queryMasters, type RestCall, type RestOutcome, readinessCall } from "./rest-call.ts";
import { restClient } from "./rest-client.ts";
import { type SendRequest, sendOverNetwork } from "./rest-exchange.ts";
import type { RestGateway } from "./rest-gateway.ts";
import { inconclusiveError } from "./rest-operations.ts";

/** Operations on a master itself, named as in its protocol. */
export const administrations = ["readyz", "killall", "clear"] as const;

/** Name of an operation on a master. */
export type Administration = (typeof administrations)[number];

/** Call of each operation, and the description of its result. */
const operations: Readonly<Record<Administration, readonly [RestCall, string]>> = {
  readyz: [readinessCall, "ready for submissions"],
  killall: [
    { method: "POST", path: "killall", expects: "KillAllSubmissionResponse" },
    "all drivers are being terminated",
  ],
  clear: [
    { method: "POST", path: "clear", expects: "ClearResponse" },
    "completed drivers and applications were cleared",
  ],
};

interface AdministrationCall {
  readonly host: Host;
  /** As written, e.g. `spark://10.0.0.1:6066`. */
  readonly master: string;
  readonly conf: SparkConf;
  /** @default over the network */
  readonly send?: SendRequest;
}

/**
 * Runs an operation on the leading master, and prints the result to stdout. Masters support this since Spark 4.0; Spark's
 * client does not.
 *
 * @throws SubmitError with the response of each master if none has run the operation
 */
export async function administer(
  what: Administration,
  { host, master, conf, send = sendOverNetwork }: AdministrationCall,
): Promise<void> {
  const log = sparkLog(host, "WARN");
  const client = orThrow(restClient({ host, master, conf, log, send, behaviors: behaviorsOf({}) }));
  const [call, done] = operations[what];
  const leading = leaderOf(await queryMasters(client, readinessCall));
  if (what !== "readyz") leaderOf(await queryMasters({ ...client, gateways: [leading] }, call));
  host.stdout.write(`${leading.name}: ${done}\n`);
}

/** Returns the leading master. A standby is not ready, and would clear nothing. */
function leaderOf(outcome: RestOutcome): RestGateway {
  if (outcome.gateway === undefined) throw inconclusiveError(outcome);
  return outcome.gateway;
}
