import type { Clock } from "../../host/host.ts";
import type { Rejection } from "./gateway-request.ts";

/** Limits of the requests of each user; `undefined` for any number. Clients without authentication are one user. */
export interface RequestLimits {
  /** Requests per second, and as many at once. */
  readonly userRate?: number | undefined;
  /** Requests at the same time, including streams. */
  readonly userConcurrent?: number | undefined;
}

/** Result of the limits for a request. */
type Admission =
  /** `release` must be called when the request ends. */
  { readonly ok: true; readonly release: () => void } | { readonly ok: false; readonly rejection: Rejection };

/** Applies limits to the request of a user. */
export type AdmitRequest = (user: string | undefined) => Admission;

/** Requests of a user that are still available, at a time. */
interface Budget {
  readonly atMs: number;
  readonly count: number;
}

const maxBudgets = 10_000;

/** Returns the function that applies limits to requests. */
export function requestLimits(clock: Pick<Clock, "monotonic">, limits: RequestLimits): AdmitRequest {
  const running = new Map<string, number>();
  const budgets = new Map<string, Budget>();
  const { userRate, userConcurrent } = limits;
  return (user = "") => {
    const count = running.get(user) ?? 0;
    if (userConcurrent !== undefined && count >= userConcurrent)
      return tooMany(`A user may send ${userConcurrent} requests at the same time.`, 1);
    if (userRate !== undefined) {
      const nowMs = clock.monotonic();
      const available = availableAt(budgets.get(user), userRate, nowMs);
      if (available < 1)
        return tooMany(`A user may send ${userRate} requests per second.`, Math.ceil((1 - available) / userRate));
      if (budgets.size >= maxBudgets) removeFull(budgets, userRate, nowMs);
      budgets.set(user, { atMs: nowMs, count: available - 1 });
    }
    running.set(user, count + 1);
    return { ok: true, release: () => release(running, user) };
  };
}

function release(running: Map<string, number>, user: string): void {
  const count = (running.get(user) ?? 0) - 1;
  if (count > 0) running.set(user, count);
  else running.delete(user);
}

function availableAt(budget: Budget | undefined, rate: number, nowMs: number): number {
  return budget === undefined ? rate : Math.min(rate, budget.count + ((nowMs - budget.atMs) / 1000) * rate);
}

/** Removes the budgets of users who have sent nothing for a time. */
function removeFull(budgets: Map<string, Budget>, rate: number, nowMs: number): void {
  for (const [user, budget] of budgets) if (availableAt(budget, rate, nowMs) >= rate) budgets.delete(user);
}

function tooMany(message: string, retryAfterSeconds: number): Admission {
  return { ok: false, rejection: { status: 429, message, headers: { "retry-after": String(retryAfterSeconds) } } };
}
