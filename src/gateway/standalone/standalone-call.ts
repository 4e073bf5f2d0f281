import type { SparkVersion } from "../../conf/spark-version.ts";
import type { Clock } from "../../host/host.ts";
import type { Applications } from "../model/applications.ts";

/** Dependencies of the protocol. */
export interface StandaloneCall {
  readonly applications: Applications;
  readonly clock: Pick<Clock, "now">;
  /** Version of the master that the gateway behaves as. */
  readonly version: SparkVersion;
  /** Key of the tokens that clients need; `undefined` if they need none. */
  readonly tokenKey: Uint8Array | undefined;
  /** Whether submissions are accepted. */
  readonly isReady: () => boolean;
}
