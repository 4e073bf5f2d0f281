import { submitError } from "../../../errors/submit-error.ts";
import type { Pod } from "../../../kube/types.ts";

/** Label of the driver pods of Spark Connect servers. Its value is the port of the server in the pod. */
export const connectServerLabel = "firesteel.dev/connect-server";

/** Returns the port of a Spark Connect server; `undefined` if the driver is not one. */
export function connectPortOf({ metadata }: Pod): number | undefined {
  const port = metadata?.labels?.[connectServerLabel];
  return port === undefined ? undefined : Number(port);
}

/** Returns the ID of a Spark Connect server. @throws SUBMIT_ERR_CONNECT_SERVER_REQUIRED if the driver is another application */
export function requireConnectServer(driver: Pod): string {
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const id = `${namespace}:${name}`;
  if (connectPortOf(driver) === undefined) throw submitError("SUBMIT_ERR_CONNECT_SERVER_REQUIRED", { id });
  return id;
}
