import { hasCode } from "../../errors/submit-error.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { findObject } from "../../kube-client/find-object.ts";
import type { ApplicationRecord } from "../model/application.ts";
import { parseRecord } from "./parse-record.ts";
import type { RecordStore } from "./record-store.ts";
import {
  decode,
  encode,
  type Secret,
  type SecretRecords,
  type SecretRecordsCall,
  secretRecords,
} from "./secret-records.ts";

const counterField = "next";
const type = resourceTypes.secret;

/** Keeps the records of applications as Secrets, and the next ID in one of its own. */
export function secretStore(call: SecretRecordsCall): RecordStore & SecretRecords<ApplicationRecord> {
  const { client, namespace, gateway } = call;
  const records = secretRecords(call, {
    ...{ secretType: "firesteel.dev/application", label: "firesteel.dev/gateway-record" },
    ...{ field: "application.json", parse: parseRecord },
  });
  return {
    ...records,
    list: async () => [...(await records.list())].sort((a, b) => a.number - b.number),
    async reserveIds(count) {
      const name = `${gateway}-ids`;
      for (;;) {
        const counter = await findObject<Secret>(client, { type, namespace, name });
        const first = Number(decode(counter?.data?.[counterField] ?? "") || "0");
        const data = { [counterField]: encode(String(first + count)) };
        try {
          if (counter === undefined) {
            const metadata = { name, namespace };
            await client.create<Secret>({
              type,
              namespace,
              object: { apiVersion: "v1", kind: "Secret", metadata, data },
            });
          } else {
            const { resourceVersion } = counter.metadata;
            await client.patch({ type, namespace, name, patch: { metadata: { resourceVersion }, data } });
          }
          return first;
        } catch (error) {
          // Another replica has reserved IDs meanwhile.
          if (!hasCode(error, "SUBMIT_ERR_KUBE_CONFLICT")) throw error;
        }
      }
    },
  };
}
