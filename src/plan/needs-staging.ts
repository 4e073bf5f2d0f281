import { stagingRemoteFiles } from "../conf/entries/localizing.ts";
import { planDependencies } from "./dependencies.ts";
import type { SubmitRequest } from "./submit-request.ts";

/**
 * Whether dependencies of a submission may have to be staged, according to its settings only. Most submissions need nothing of
 * what `staging.ts` loads.
 */
export function mayNeedStaging(request: SubmitRequest): boolean {
  const { application, lists } = planDependencies(request);
  const isLocal = [application, ...[...lists.values()].flat()].some((uri) => uri?.kind === "submitterLocal");
  return isLocal || request.conf.has(stagingRemoteFiles);
}
