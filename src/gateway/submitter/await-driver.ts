import type { Clock } from "../../host/host.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications } from "../model/applications.ts";

interface DriverWait {
  readonly clock: Pick<Clock, "after">;
  readonly timeoutMs: number;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/**
 * Waits until an application has a driver pod, or has ended.
 *
 * @returns the application, also after the timeout; `undefined` if it was removed
 */
export function awaitDriver(
  applications: Applications,
  key: string,
  { clock, timeoutMs, signal }: DriverWait,
): Promise<GatewayApplication | undefined> {
  return new Promise((resolve) => {
    const finish = () => {
      stopListening();
      cancelTimeout();
      signal.removeEventListener("abort", finish);
      resolve(applications.get(key));
    };
    const stopListening = applications.onChange((changed, application) => {
      if (changed === key && isDecided(application)) finish();
    });
    const cancelTimeout = clock.after(timeoutMs, finish);
    signal.addEventListener("abort", finish);
    if (signal.aborted || isDecided(applications.get(key))) finish();
  });
}

function isDecided(application: GatewayApplication | undefined): boolean {
  if (application === undefined) return true;
  const { driver, record } = application;
  return record.end !== undefined || (driver !== undefined && record.appId !== undefined);
}
