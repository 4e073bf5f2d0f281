import type { RecordStores } from "./record-store.ts";
import { scheduleStore } from "./schedule-store.ts";
import type { SecretRecordsCall } from "./secret-records.ts";
import { secretStore } from "./secret-store.ts";

/** Keeps the records of a gateway as Secrets. */
export function secretStores(call: Omit<SecretRecordsCall, "signal">): RecordStores {
  const closed = new AbortController();
  const scope = { ...call, signal: closed.signal };
  const [applications, schedules] = [secretStore(scope), scheduleStore(scope)];
  return {
    applications,
    schedules,
    removeLate: async () => [...(await applications.removeLate()), ...(await schedules.removeLate())],
    async close() {
      closed.abort();
    },
  };
}
