import type { Host } from "../../../host/host.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { KubeResource } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { parseRecord, parseScheduleRecord } from "../parse-record.ts";
import type { RecordStores } from "../record-store.ts";
import type { SecretRecordsCall } from "../secret-records.ts";
import { databaseRecords } from "./database-records.ts";
import { groupCommit } from "./group-commit.ts";
import { closeDatabase, type DatabaseCall, openDatabase } from "./open-database.ts";

/** Dependencies of the records of a gateway in a database. */
interface DatabaseStoresCall
  extends Pick<DatabaseCall, "directory">,
    Pick<SecretRecordsCall, "client" | "namespace" | "gateway" | "onUnreadable"> {
  readonly host: DatabaseCall["host"] & Pick<Host, "clock">;
  /** Master URL of the cluster. */
  readonly master: string;
}

/** The embedded cluster can end with each gateway. The next gateway continues the records in a new one. */
const embeddedMaster = /^k8s:\/\/embedded(\/|$)/;

/** Keeps the records of a gateway in a database. @throws SubmitError `SUBMIT_ERR_GATEWAY_STORE` */
export async function openDatabaseStores(call: DatabaseStoresCall): Promise<RecordStores> {
  const { host, client, directory, namespace, gateway, master, onUnreadable } = call;
  const namespaceUid = embeddedMaster.test(master) ? undefined : await fetchUid(client, namespace);
  const owner = { gateway: `${namespace}/${gateway}`, namespaceUid };
  const opened = await openDatabase({ host, directory, owner });
  const { database, path } = opened;
  const commits = groupCommit({ database, path, clock: host.clock });
  const scope = { ...opened, commits, onUnreadable };
  const applications = databaseRecords(scope, { table: "applications", parse: parseRecord });
  const nextId = database.prepare("SELECT next_id FROM gateway").pluck();
  const reservation = database.prepare("UPDATE gateway SET next_id = next_id + ?");
  return {
    applications: {
      ...applications,
      list: async () => [...(await applications.list())].sort((a, b) => a.number - b.number),
      reserveIds: (count) =>
        commits.write(() => {
          const [first] = nextId.all();
          reservation.run(count);
          return Number(first);
        }),
    },
    schedules: databaseRecords(scope, { table: "schedules", parse: parseScheduleRecord }),
    // One process at a time can write to the database.
    removeLate: async () => [],
    async close() {
      commits.close();
      closeDatabase(database);
    },
  };
}

/** Returns the UID of a namespace; `undefined` if it cannot be read now. */
async function fetchUid(client: KubeClient, name: string): Promise<string | undefined> {
  try {
    const { metadata } = await client.withoutRetries().get<KubeResource>({ type: resourceTypes.namespace, name });
    return metadata.uid;
  } catch {
    // Without permission, or without the API, for which the gateway waits.
    return undefined;
  }
}
