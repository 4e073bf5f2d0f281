import { messageOf } from "../../errors/message-of.ts";
import type { ServerLog } from "../../http/server-log.ts";

type Entry = Readonly<Record<string, unknown>>;

/** Calls `act`, and logs one entry with its result, whether it succeeds or not. @throws what `act` throws */
export type Audit = <T>(entry: Entry, act: () => Promise<T>, resultOf: (value: T) => Entry) => Promise<T>;

/** Creates the writer of an audit log. */
export function auditor(log: ServerLog): Audit {
  return async (entry, act, resultOf) => {
    try {
      const value = await act();
      log("INFO", "audit", { ...entry, ...resultOf(value) });
      return value;
    } catch (error) {
      log("INFO", "audit", { ...entry, result: "failed", reason: messageOf(error) });
      throw error;
    }
  };
}
