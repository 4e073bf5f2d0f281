import type { Pod } from "../../kube/types.ts";
import { withStagedDependencies } from "./stage-dependencies.ts";
import type { Staging, StagingCall } from "./staging.ts";

/** Stages the local dependencies of a driver in the way that was chosen, and creates it. */
export async function withStaging(call: StagingCall, create: Parameters<Staging>[0]): Promise<Pod> {
  const { host, log, driver, resources, strict, signal } = call;
  const { uploads, localized } = driver.staged;
  if (localized === undefined || localized.transport === "secret")
    return withStagedDependencies({ host, log, uploads, owner: driver, strict, signal }, () =>
      create(resources),
    );
  const { carry } = await import("./carry.ts");
  const { carriers } = await import("./transports/carriers.ts");
  return carry({ ...call, localized }, await carriers[localized.transport](), create);
}
