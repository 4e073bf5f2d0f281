import type { Host } from "../../../host/host.ts";
import { localizingFiles, localizingNames } from "../../../plan/localizing-names.ts";
import type { Carried, CarryCall } from "../carry.ts";
import { deliver } from "./push/deliver.ts";

/** Sends the files of a driver into its waiting init container, whose one-time secret nobody else learns. */
export async function carryByPush(call: CarryCall): Promise<Carried> {
  const secret = oneTimeSecret(call.host);
  const name = localizingNames(call.driver).secret;
  return {
    data: { [`Secret/${name}`]: { [localizingFiles.token]: Buffer.from(secret).toString("base64") } },
    deliver: (pod) => deliver({ ...call, secret }, pod),
    // There is nothing outside the cluster.
    withdraw: async () => [],
    close() {},
  };
}

/** As long as that of Spark's first client for Kubernetes: 128 characters. */
function oneTimeSecret({ random }: Host): string {
  return Array.from({ length: 4 }, () => random.uuid().replaceAll("-", "")).join("");
}
