import type { DriverConf } from "../../plan/driver-conf.ts";
import type { LocalizedDependencies } from "../../plan/localized-dependencies.ts";
import type { Contribution } from "../step.ts";
import { contributePush } from "./push.ts";
import { contributeRemote } from "./remote.ts";
import { contributeS3 } from "./s3.ts";
import { contributeSecrets } from "./secret.ts";
import { contributeServer } from "./server.ts";

/** Contributions of the transports to the driver, without the mount of the volume `firesteel-deps`, which each transport adds. */
export const contributions: Readonly<
  Record<LocalizedDependencies["transport"], (driver: DriverConf, localized: LocalizedDependencies) => Contribution>
> = {
  secret: contributeSecrets,
  server: contributeServer,
  s3: contributeS3,
  push: contributePush,
  remote: contributeRemote,
};
