import type { Issue } from "../../errors/issue.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { Interruption } from "../interruption.ts";
import { hasEnded, hasStarted, logDriver } from "./driver-report.ts";
import type { RestClient } from "./rest-call.ts";
import { fetchStatus, killDriver, logger } from "./rest-operations.ts";
import type { RestResponse } from "./rest-response.ts";

/** Driver to wait for, and time limits. */
export interface Waiting {
  readonly client: RestClient;
  readonly id: string;
  /** Last status that was reported. */
  readonly seen: RestResponse | undefined;
  readonly interrupted: Pick<Interruption, "signal" | "received">;
  /** In ms from now; 0: unlimited. */
  readonly startTimeoutMs: number;
  readonly runTimeoutMs: number;
  readonly killOnInterrupt: boolean;
}

/** Outcome of the wait. */
export type DriverEnd =
  | { readonly kind: "ended"; readonly response: RestResponse }
  /** The master does not know the driver any more. */
  | { readonly kind: "unknown" }
  | {
      readonly kind: "givenUp";
      readonly why: TimeLimit;
      readonly limitMs: number;
      readonly kill: KillAttempt;
    }
  | {
      readonly kind: "interrupted";
      readonly signal: "SIGINT" | "SIGTERM";
      /** `undefined` if no kill was attempted. */
      readonly kill: KillAttempt | undefined;
    };

/** Time limit that expired. */
export type TimeLimit = "startTimeout" | "runTimeout";

/** Result of a kill, and the problems. */
export interface KillAttempt {
  readonly isKilled: boolean;
  readonly problems: readonly Issue[];
}

const intervalMs = 1000;
/** Number of tolerated responses without the driver, because a new leader recovers its drivers gradually. */
const maxFailures = 60;
/** Interval between two warnings. */
const warningIntervalMs = 60_000;

/** Waits until a driver ends, a time limit expires, or the user interrupts. Tolerates changes and failures of masters. */
export async function awaitDriver(waiting: Waiting): Promise<DriverEnd> {
  const { client, id, interrupted } = waiting;
  const { clock, log } = client;
  const startMs = clock.monotonic();
  let seen = waiting.seen;
  let misses = 0;
  let lastWarningMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    if (seen !== undefined && hasEnded(seen)) return { kind: "ended", response: seen };
    const limit = brokenLimit(waiting, seen, clock.monotonic() - startMs);
    if (limit !== undefined) return { kind: "givenUp", ...limit, kill: await tryKill(client, id) };
    await clock.sleep(intervalMs, { signal: interrupted.signal });
    const received = interrupted.received();
    if (received !== undefined) {
      const kill = waiting.killOnInterrupt ? await tryKill(client, id) : undefined;
      return { kind: "interrupted", signal: received, kill };
    }
    const { response, gateway, problems } = await fetchStatus(client, id, interrupted.signal);
    if (gateway !== undefined && response !== undefined) {
      if (hasChanged(seen, response)) logDriver(log, id, response);
      seen = response;
      misses = 0;
    } else if (response?.type === "SubmissionStatusResponse" && response.message === undefined) {
      misses += 1;
      if (misses > maxFailures) return { kind: "unknown" };
    } else if (!interrupted.signal.aborted && clock.monotonic() - lastWarningMs >= warningIntervalMs) {
      lastWarningMs = clock.monotonic();
      for (const { message, hint } of problems) log("WARN", logger, `${message}. ${hint ?? ""}`);
    }
  }
}

function hasChanged(seen: RestResponse | undefined, response: RestResponse): boolean {
  return seen?.driverState !== response.driverState || seen?.workerId !== response.workerId;
}

function brokenLimit(
  { startTimeoutMs, runTimeoutMs }: Waiting,
  seen: RestResponse | undefined,
  elapsedMs: number,
): { readonly why: TimeLimit; readonly limitMs: number } | undefined {
  if (runTimeoutMs > 0 && elapsedMs >= runTimeoutMs) return { why: "runTimeout", limitMs: runTimeoutMs };
  const waits = seen === undefined || !hasStarted(seen);
  if (waits && startTimeoutMs > 0 && elapsedMs >= startTimeoutMs) {
    return { why: "startTimeout", limitMs: startTimeoutMs };
  }
  return undefined;
}

async function tryKill(client: RestClient, id: string): Promise<KillAttempt> {
  try {
    const { response, gateway, problems } = await killDriver(client, id);
    return { isKilled: gateway !== undefined && response?.success === true, problems };
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    return { isKilled: false, problems: error.issues };
  }
}
