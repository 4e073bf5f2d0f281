import { firesteelArchive } from "../../conf/entries/firesteel.ts";
import { waitAppCompletion } from "../../conf/entries/watching.ts";
import { resourceTypeOf, resourceTypes } from "../../kube/resources.ts";
import { driverPermissions } from "../../setup/permissions.ts";
import { parseArchiveLocation } from "../../values/archive-location.ts";
import type { PlannedSubmission } from "../submission.ts";
import type { ApiAction } from "./access-reviews.ts";

/** An action that a part of the application takes; without an optional one, the application still runs. */
export interface NeededAction extends ApiAction {
  readonly isRequired: boolean;
}

/** Lists the calls that this submission makes. */
export function submitterActions({ namespace, conf, objects }: PlannedSubmission): readonly NeededAction[] {
  const isWaiting = conf.read(waitAppCompletion);
  const watches = isWaiting.ok && isWaiting.value;
  const created = objects.filter(({ part }) => part !== "executor" && part !== "executorResource");
  const types = new Map([
    ["Pod", resourceTypes.pod],
    ...created.map(({ object }) => [object.kind, resourceTypeOf(object)] as const),
  ]);
  const actions = [...types.values()].flatMap(({ group, plural: resource, kind }) => [
    // An apply is a patch that needs `create` for a new object.
    ...(kind === "Pod" ? ["create"] : ["create", "patch"]).map((verb) => ({ verb, group, resource, isRequired: true })),
    { verb: "delete", group, resource, isRequired: false },
  ]);
  const following = ["get", "list", "watch"].map((verb) => ({
    verb,
    group: "",
    resource: "pods",
    isRequired: watches,
  }));
  const archive = conf.read(firesteelArchive);
  const isOnClaim =
    watches && archive.ok && archive.value !== undefined && parseArchiveLocation(archive.value)?.kind === "claim";
  // A session over a WebSocket needs `get`, and since Kubernetes 1.35 also `create`.
  const sessions = (isOnClaim ? ["create", "get"] : []).map((verb) => ({
    ...{ verb, group: "", resource: "pods/exec", isRequired: false },
  }));
  const log = { verb: "get", group: "", resource: "pods/log", isRequired: false };
  return [...actions, ...following, ...sessions, log].map((action) => ({ ...action, namespace }));
}

/** Calls without which a driver cannot get executors. The others clean up at its end. */
const required: readonly string[] = ["pods create", "pods get", "pods list", "pods watch", "configmaps create"];

/** Lists the calls that the driver makes. */
export function driverActions({ namespace, objects }: PlannedSubmission): readonly NeededAction[] {
  const createsClaims = objects.some(({ part }) => part === "executorResource");
  return driverPermissions.flatMap(({ group, resource, verbs }) =>
    verbs.map((verb): NeededAction => {
      const isClaim = createsClaims && resource === "persistentvolumeclaims" && verb === "create";
      return { verb, group, resource, namespace, isRequired: isClaim || required.includes(`${resource} ${verb}`) };
    }),
  );
}
