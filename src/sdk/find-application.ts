import { behaviorsOf } from "../conf/behaviors.ts";
import { issuesOf } from "../errors/issue.ts";
import { orThrow, throwIssues } from "../errors/submit-error.ts";
import { findDriver } from "../masters/kubernetes/applications/find-driver.ts";
import { selectDrivers } from "../masters/kubernetes/operations/driver-selection.ts";
import { parseSubmissionId } from "../values/identity.ts";
import type { Application } from "./application.ts";
import type { Session } from "./session.ts";
import { type AnyFiresteelOptions, toCommandLine } from "./to-invocation.ts";

/**
 * Finds an application in the namespace of its ID, else of the client.
 *
 * @throws SUBMIT_ERR_LIBRARY_OPTION, SUBMIT_ERR_SUBMISSION_ID_…, SUBMIT_ERR_DRIVER_MISSING, SUBMIT_ERR_DRIVER_AMBIGUOUS, SUBMIT_ERR_KUBE_…
 */
export async function findApplication(
  session: Session,
  options: AnyFiresteelOptions,
  id: string,
): Promise<Application> {
  const { commandLine, issues } = toCommandLine(options);
  const parsed = parseSubmissionId(id);
  throwIssues([...issues, ...issuesOf(parsed)]);
  const { cluster, conf, namespace } = await (await session.clusters()).find(commandLine);
  const client = { defaultNamespace: namespace };
  const sources = { client, conf, behaviors: behaviorsOf({}), action: "status" } as const;
  const pod = await findDriver(cluster.client, selectDrivers(orThrow(parsed), sources));
  return session.follow({ cluster, pod, commandLine });
}
