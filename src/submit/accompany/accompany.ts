import type { SparkLineTraits } from "../../conf/spark-version.ts";
import type { Issue } from "../../errors/issue.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { DriverEnd } from "../watch/driver-end.ts";
import type { Interruption } from "../watch/interruption.ts";
import { latestPod } from "../watch/latest-pod.ts";
import { watchDriver } from "../watch/watch-driver.ts";
import { type GivenUp, givingUp } from "./give-up.ts";
import { keepTimeLimits, type TimeLimits } from "./time-limits.ts";

/** What the user wants while a driver is waited for. */
export interface WaitingWishes extends TimeLimits {
  /** Ms between two status lines; asked only when Spark asks, and may throw. */
  readonly reportIntervalMs: () => number;
  readonly logs: "none" | "driver" | "all";
  /** An interrupt deletes the driver. */
  readonly killOnInterrupt: boolean;
  /** A driver that cannot start is given up at once. */
  readonly failFast: boolean;
}

/** A driver that exists, and how it is waited for. */
export interface AccompanyCall {
  readonly host: Pick<Host, "clock" | "random" | "stdout" | "stderr">;
  readonly client: KubeClient;
  readonly log: Log;
  readonly interrupted: Interruption;
  readonly app: { readonly name: string; readonly id: string };
  readonly pod: Pod;
  /** Name of the driver's container. */
  readonly container: string;
  readonly traits: Pick<SparkLineTraits, "strayBraceInWaitingLine">;
  /** Exactly Spark's behaviour. */
  readonly strict: boolean;
  readonly wishes: WaitingWishes;
}

/** How the waiting ended. */
export type AccompaniedEnd =
  | DriverEnd
  /** We ended the driver, or tried to. */
  | ({ readonly kind: "givenUp"; readonly pod: Pod } & GivenUp)
  /** We were told to stop: the driver was deleted, or goes on without us. */
  | {
      readonly kind: "interrupted";
      readonly signal: "SIGINT" | "SIGTERM";
      readonly driver: "deleted" | "goesOn";
      /** What refused to let it be deleted. */
      readonly left: readonly Issue[];
    };

/**
 * Waits for a driver, and looks after it meanwhile: its limits, what is told of it, and what an interrupt does.
 *
 * @throws what `watchDriver` throws
 */
export async function accompanyDriver(call: AccompanyCall): Promise<AccompaniedEnd> {
  const { host, client, log, interrupted, container, wishes } = call;
  const { clock, random, stdout } = host;
  const latest = latestPod(call.pod);
  const over = new AbortController();
  const ending = givingUp({ client, clock, log, container, latest });
  keepTimeLimits(wishes, { clock, container, latest, giveUp: ending.giveUp, signal: over.signal });
  try {
    const end = await watchDriver({
      ...{ client, clock, random, log, container, latest },
      ...{ app: call.app, pod: call.pod, traits: call.traits, strict: call.strict },
      reportIntervalMs: wishes.reportIntervalMs,
      stdout: wishes.logs === "none" ? undefined : stdout,
      signal: AbortSignal.any([interrupted.signal, ending.signal]),
    });
    return await ownEnd(call, end, ending.outcome());
  } finally {
    over.abort();
    ending.stop();
  }
}

/** The end as we brought it about, if we did. */
async function ownEnd(
  call: AccompanyCall,
  end: DriverEnd,
  givenUp: GivenUp | undefined,
): Promise<AccompaniedEnd> {
  if (givenUp !== undefined && end.kind !== "succeeded") {
    return { kind: "givenUp", pod: end.pod, ...givenUp };
  }
  const signal = call.interrupted.received();
  if (end.kind !== "unknown" || signal === undefined) return end;
  if (!call.wishes.killOnInterrupt) return { kind: "interrupted", signal, driver: "goesOn", left: [] };
  const { namespace = "", name = "", uid } = end.pod.metadata ?? {};
  try {
    await call.client.delete({ type: resourceTypes.pod, namespace, name, ...(uid !== undefined && { uid }) });
    return { kind: "interrupted", signal, driver: "deleted", left: [] };
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    return { kind: "interrupted", signal, driver: "goesOn", left: error.issues };
  }
}
