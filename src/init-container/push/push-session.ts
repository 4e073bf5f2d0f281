import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../host/host.ts";
import type { PushedEntries } from "./pushed-entries.ts";

/** State of a push: one client sends all entries. */
export interface PushSession {
  readonly secret: string;
  readonly entries: PushedEntries;
  /** Path in front of the protocol's paths, or an empty text. */
  readonly basePath: string;
  /** ID of the client that owns the session; empty for a client without an ID. */
  client?: string;
  /** Request that is currently sending. */
  sending?: Sending;
  /** Whether a JSON request is being read into memory. */
  isReading?: boolean;
  /** Restarts the timeout of the client. */
  readonly renewTimeout: () => void;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
  readonly log: (text: string) => void;
  readonly clock: Pick<Clock, "after" | "monotonic">;
}

/** A request that is sending contents. */
export interface Sending {
  /** Aborts the request. Resolves when none of its bytes will be written any more. */
  readonly stop: () => Promise<void>;
}

/** Compares secrets in constant time. An absent or empty secret never matches. */
export function isSame(actual: string | readonly string[] | undefined, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(typeof actual === "string" ? actual : ""), digest(secret)) && actual !== "";
}
