import type { Issue } from "../../errors/issue.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { Interruption } from "../interruption.ts";
import type { WaitOptions } from "../wait-options.ts";
import { hasEnded, hasStarted, logDriver } from "./driver-report.ts";
import { logger, type RestClient } from "./rest-call.ts";
import { fetchStatus, killDriver } from "./rest-operations.ts";
import type { RestResponse } from "./rest-response.ts";

/** A created driver. Its time limits begin now. */
interface AwaitedDriver extends Pick<WaitOptions, "startTimeoutMs" | "runTimeoutMs" | "killOnInterrupt"> {
  readonly client: RestClient;
  readonly id: string;
  /** Last status that was reported. */
  readonly seen: RestResponse | undefined;
  readonly interrupted: Pick<Interruption, "signal" | "received">;
}

/** Outcome of the wait for a driver. */
export type DriverEnd =
  | { readonly kind: "ended"; readonly response: RestResponse }
  /** The master does not know the driver any more. */
  | { readonly kind: "unknown" }
  | ({ readonly kind: "timedOut"; readonly kill: KillAttempt } & ExpiredLimit)
  | {
      readonly kind: "interrupted";
      readonly signal: "SIGINT" | "SIGTERM";
      /** `undefined` if no kill was attempted. */
      readonly kill: KillAttempt | undefined;
    };

interface ExpiredLimit {
  readonly why: "startTimeout" | "runTimeout";
  readonly limitMs: number;
}

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
export async function awaitDriver(driver: AwaitedDriver): Promise<DriverEnd> {
  const { client, id, interrupted } = driver;
  const { clock, log } = client;
  const startMs = clock.monotonic();
  let { seen } = driver;
  let misses = 0;
  let lastWarningMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    if (seen !== undefined && hasEnded(seen)) return { kind: "ended", response: seen };
    const limit = expiredLimit(driver, seen, clock.monotonic() - startMs);
    if (limit !== undefined) return { kind: "timedOut", ...limit, kill: await tryKill(client, id) };
    await clock.sleep(intervalMs, { signal: interrupted.signal });
    const received = interrupted.received();
    if (received !== undefined) {
      const kill = driver.killOnInterrupt ? await tryKill(client, id) : undefined;
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

function expiredLimit(
  { startTimeoutMs, runTimeoutMs }: AwaitedDriver,
  seen: RestResponse | undefined,
  elapsedMs: number,
): ExpiredLimit | undefined {
  const isExpired = (limitMs: number) => limitMs > 0 && elapsedMs >= limitMs;
  if (isExpired(runTimeoutMs)) return { why: "runTimeout", limitMs: runTimeoutMs };
  const isWaiting = seen === undefined || !hasStarted(seen);
  return isWaiting && isExpired(startTimeoutMs) ? { why: "startTimeout", limitMs: startTimeoutMs } : undefined;
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
