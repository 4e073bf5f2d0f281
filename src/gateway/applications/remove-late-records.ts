import { messageOf } from "../../errors/message-of.ts";
import type { ApplicationsScope } from "./scope.ts";

/** Removes the records that an earlier process has requested, and that were stored late: their clients got no response. */
export async function removeLateRecords({ store, log }: ApplicationsScope): Promise<void> {
  try {
    for (const key of await store.removeLate()) log("INFO", "A record that was stored late is removed.", { key });
  } catch (error) {
    log("WARN", "Records that were stored late cannot be removed.", { reason: messageOf(error) });
  }
}
