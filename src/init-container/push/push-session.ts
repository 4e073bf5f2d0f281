import { createHash, timingSafeEqual } from "node:crypto";
import type { PushedEntries } from "./pushed-entries.ts";

/** The one application that a waiting init container takes. */
export interface PushSession {
  readonly secret: string;
  readonly entries: PushedEntries;
  /** The client that has it. */
  client?: string;
  /** The connection that sends now. */
  sending?: Sending;
  /** Whether somebody sends a request that is held in memory. */
  isReading?: boolean;
  /** Something came from it. */
  readonly moved: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
  readonly say: (text: string) => void;
}

/** A connection that sends. */
export interface Sending {
  /** Resolves when nothing more of it is written. */
  readonly stop: () => Promise<void>;
}

/** Takes as long for any wrong secret. */
export function isSame(given: string | readonly string[] | undefined, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(typeof given === "string" ? given : ""), digest(secret)) && given !== "";
}
