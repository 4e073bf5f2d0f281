import type { Issue } from "../../../errors/issue.ts";
import { hasCode, isSubmitError } from "../../../errors/submit-error.ts";
import type { Clock } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { hasStarted } from "../watch/driver-end.ts";
import type { LatestPod } from "../watch/latest-pod.ts";

/** Why a driver is ended by us. */
export type TerminationReason =
  /** Its container had not started in time. */
  | { readonly kind: "startTimeout"; readonly limitMs: number }
  /** It had not ended in time. */
  | { readonly kind: "runTimeout"; readonly limitMs: number }
  /** It will not start until somebody changes something. */
  | { readonly kind: "unrecoverable" };

/** A driver that was ended by us, or goes on because that was refused. */
export interface Termination {
  readonly why: TerminationReason;
  readonly driver: "deleted" | "running";
  /** What refused to let it be deleted. */
  readonly left: readonly Issue[];
}

/** The right to end a driver. */
export interface DriverTerminator {
  /** Deletes the driver. Done once; and without a run limit, never to a driver that has begun. */
  readonly terminate: (why: TerminationReason) => Promise<void>;
  /** Waits for an answer to the deletion, which its effect may overtake. */
  readonly settled: () => Promise<void>;
  readonly outcome: () => Termination | undefined;
  /** Aborts when the end of the driver is not to be waited for any longer. */
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

/** Whose end it is, and what is known of it. */
export interface DriverTerminatorCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly container: string;
  readonly latest: LatestPod;
}

// Longer than a driver's usual grace period, so that its last words are heard.
const farewellMs = 60_000;
const attempts = 5;
const logger = "Client";

/** Has done nothing yet. */
export function driverTerminator(call: DriverTerminatorCall): DriverTerminator {
  const controller = new AbortController();
  let outcome: Termination | undefined;
  let underWay: Promise<void> | undefined;
  let cancel = () => {};
  const end = async (why: TerminationReason) => {
    try {
      const deletion = await deleteDriver(call, { ifBegun: why.kind === "runTimeout" });
      if (deletion === "begun") underWay = undefined;
      else outcome = { why, driver: "deleted", left: [] };
    } catch (error) {
      if (!isSubmitError(error)) throw error;
      outcome = { why, driver: "running", left: error.issues };
      return controller.abort();
    }
    if (outcome === undefined) return;
    call.log("WARN", logger, `The driver is deleted: ${reasonText[why.kind]}.`);
    cancel = call.clock.after(farewellMs, () => controller.abort());
  };
  return {
    terminate(why) {
      underWay ??= end(why);
      return underWay;
    },
    settled: async () => underWay,
    outcome: () => outcome,
    signal: controller.signal,
    stop: () => cancel(),
  };
}

const reasonText = {
  startTimeout: "it has not started in time",
  runTimeout: "it has not ended in time",
  unrecoverable: "it will not start until something is changed",
} as const;

/** Deletes exactly what was looked at: a driver that begins in this very moment has changed, and is looked at again. */
async function deleteDriver(
  { client, container, latest }: DriverTerminatorCall,
  { ifBegun }: { ifBegun: boolean },
): Promise<"deleted" | "begun"> {
  const type = resourceTypes.pod;
  for (let attempt = 1; ; attempt += 1) {
    const { namespace = "", name = "", uid, resourceVersion } = latest.get().metadata ?? {};
    const target = { type, namespace, name, ...(uid !== undefined && { uid }) };
    if (!ifBegun && hasStarted(latest.get(), container)) return "begun";
    const isExact = !ifBegun && (resourceVersion ?? "") !== "" && attempt < attempts;
    try {
      await client.delete({
        ...target,
        ...(isExact && resourceVersion !== undefined && { resourceVersion }),
      });
      return "deleted";
    } catch (error) {
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT") || attempt > attempts) throw error;
      const now = await client.get<Pod>(target).catch(() => undefined);
      // A later pod of the same name is none of ours.
      if (now === undefined ? !isExact : now.metadata?.uid !== uid) return "deleted";
      if (now !== undefined) latest.set(now);
    }
  }
}
