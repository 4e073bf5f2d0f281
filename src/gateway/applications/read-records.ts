import { messageOf } from "../../errors/message-of.ts";
import type { ApplicationRecord } from "../model/application.ts";
import type { ApplicationsScope } from "./scope.ts";

/**
 * Reads the records that a gateway continues, and removes those of requests that were repeated.
 *
 * @throws SubmitError if the records cannot be read
 */
export async function readRecords({ store, log }: ApplicationsScope): Promise<readonly ApplicationRecord[]> {
  const records = await store.list();
  const repeated = repeatedRecords(records);
  // It is found and ignored again at the next start.
  for (const { key } of repeated)
    await store.remove(key).catch((error: unknown) => {
      log("WARN", "A record cannot be removed.", { key, reason: messageOf(error) });
    });
  return records.filter((record) => !repeated.has(record));
}

/**
 * Returns the records whose requests clients have repeated successfully with their idempotency keys: they were stored although the API
 * reported a failure, so no client knows them.
 *
 * @param records in the order of acceptance
 */
export function repeatedRecords(records: readonly ApplicationRecord[]): ReadonlySet<ApplicationRecord> {
  const latest = new Map<string, ApplicationRecord>();
  const repeated = new Set<ApplicationRecord>();
  for (const record of records) {
    const { protocol, owner, idempotencyKey, isRemoved } = record;
    if (idempotencyKey === undefined || isRemoved === true) continue;
    const request = JSON.stringify([protocol, owner, idempotencyKey]);
    const earlier = latest.get(request);
    if (earlier !== undefined && isUntouched(earlier)) repeated.add(earlier);
    latest.set(request, record);
  }
  return repeated;
}

function isUntouched({ appId, end, killed, attempt }: ApplicationRecord): boolean {
  return appId === undefined && end === undefined && killed === undefined && attempt === 1;
}
