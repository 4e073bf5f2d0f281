import { hasCode, messageOf } from "../../errors/submit-error.ts";
import type { Clock } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { type LeaseCalls, type LeaseName, leaseCalls } from "../../kube-client/lease.ts";

interface LeadershipCall extends LeaseName {
  /** Client without retries. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: ServerLog;
  /** Unique name of this process. */
  readonly holder: string;
  /** Stops waiting for the lease, or releases it. */
  readonly signal: AbortSignal;
}

/** The leadership of one process among those with the same lease. */
export interface Leadership {
  /** Whether no other process can hold the lease now, as far as the clock of this one shows: also after it was suspended. */
  readonly isLeading: () => boolean;
  /** Resolves when the lease was not renewed in time: another process can lead from now on. Never resolves after a release. */
  readonly lost: Promise<void>;
  /** Lets another process lead at once. */
  readonly release: () => Promise<void>;
}

/** Times of client-go's leader election. */
const times = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2000 };

/**
 * Waits until this process holds a Lease, and renews it from then on.
 *
 * @param onWaiting called with the present holder, when it changes
 * @returns `undefined` if the signal aborted before
 */
export async function leadByLease(
  call: LeadershipCall,
  onWaiting: (holder: string) => void,
): Promise<Leadership | undefined> {
  const { clock, signal, log } = call;
  const lease = leaseCalls({ ...call, durationMs: times.durationMs });
  let waitedFor: string | undefined;
  while (!signal.aborted) {
    const startedMs = clock.monotonic();
    try {
      const other = await lease.acquire(signal);
      if (other === undefined) return lead(call, lease, startedMs);
      if (other !== waitedFor) onWaiting(other);
      waitedFor = other;
    } catch (error) {
      // Another process was faster.
      if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT"))
        log("WARN", "The lease of the gateway cannot be read or taken.", { reason: messageOf(error) });
    }
    await clock.sleep(times.retryMs, { signal });
  }
  return undefined;
}

/** @param acquiredMs monotonic time before the lease was acquired */
function lead({ clock, log, signal }: LeadershipCall, lease: LeaseCalls, acquiredMs: number): Leadership {
  const released = new AbortController();
  let renewedMs = acquiredMs;
  let isLost = false;
  const remainingMs = () => renewedMs + times.renewDeadlineMs - clock.monotonic();
  /** Returns `false` if another process holds the lease. */
  const renewOnce = async (): Promise<boolean> => {
    const startedMs = clock.monotonic();
    // An API that does not respond must not keep this process from giving up in time.
    const timeout = new AbortController();
    const cancelTimeout = clock.after(remainingMs(), () => timeout.abort());
    try {
      const isRenewed = await lease.renew(AbortSignal.any([signal, timeout.signal]));
      if (isRenewed) renewedMs = startedMs;
      return isRenewed;
    } catch (error) {
      log("WARN", "The lease of the gateway cannot be renewed.", { reason: messageOf(error) });
      return true;
    } finally {
      cancelTimeout();
    }
  };
  const renew = async () => {
    while (!released.signal.aborted) {
      await clock.sleep(Math.min(times.retryMs, remainingMs()), { signal: released.signal });
      if (released.signal.aborted) break;
      // A process that was suspended does not renew a lease that another one may have held meanwhile.
      if (remainingMs() > 0 && (await renewOnce()) && remainingMs() > 0) continue;
      isLost = true;
      return;
    }
    return new Promise<void>(() => {});
  };
  return {
    isLeading: () => !isLost && !released.signal.aborted && remainingMs() > 0,
    lost: renew(),
    async release() {
      released.abort();
      await lease.release(AbortSignal.timeout(times.retryMs));
    },
  };
}
