import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import type { KubeResource, Pod } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import { withStagedDependencies } from "./stage-dependencies.ts";
import type { Staging } from "./staging.ts";

/** What is staged, and who looks at it. */
export interface StagingCall {
  readonly host: Host;
  readonly log: Log;
  readonly driver: DriverConf;
  /** As planned; those that only staging can complete are not complete. */
  readonly resources: readonly KubeResource[];
  readonly strict: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Stages the local dependencies of a driver in the way that was chosen, and creates it. */
export async function withStaging(call: StagingCall, create: Parameters<Staging>[0]): Promise<Pod> {
  const { host, log, driver, resources, strict, signal } = call;
  const { uploads, localized } = driver.staged;
  if (localized === undefined)
    return withStagedDependencies({ host, log, uploads, strict, signal }, () => create(resources));
  const { withStagedBundle } = await import("./staged-bundle.ts");
  return withStagedBundle({ ...call, localized }, create);
}
