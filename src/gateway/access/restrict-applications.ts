import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import type { GatewayApplication } from "../model/application.ts";
import type { Applications } from "../model/applications.ts";
import { allPermissions, type GatewayAction, type Permissions, requirePermission } from "../model/permissions.ts";

/**
 * Returns the applications as a client may see and change them. What it may not read does not exist for it, and has no log for a
 * client that may not read logs. Methods throw PermissionError.
 */
export function restrictApplications(applications: Applications, permissions: Permissions): Applications {
  if (permissions === allPermissions) return applications;
  const isVisible = ({ record }: GatewayApplication) => permissions.allows("read", record.namespace);
  const logged = (application: GatewayApplication) =>
    permissions.allows("readLog", application.record.namespace) ? application : withoutLog(application);
  const shown = (application: GatewayApplication | undefined) => {
    if (!permissions.canReadSome) requirePermission(permissions, "read", undefined);
    if (application === undefined || !isVisible(application)) return undefined;
    return logged(application);
  };
  /** Calls `act` if the action is permitted for an application, and also if it does not exist. */
  const permitted = async <T>(action: GatewayAction, key: string, act: () => Promise<T>): Promise<T> => {
    const namespace = applications.get(key)?.record.namespace;
    if (namespace !== undefined) requirePermission(permissions, action, namespace);
    return act();
  };
  return {
    async submit(application) {
      const namespace = application.submission.settings[namespaceEntry.key] || undefined;
      requirePermission(permissions, "submit", namespace);
      const result = await applications.submit({ ...application, ownerGroups: permissions.groups });
      const isAccepted = result.kind === "accepted" || result.kind === "repeated";
      return isAccepted ? { ...result, application: logged(result.application) } : result;
    },
    find: (protocol, id) => shown(applications.find(protocol, id)),
    findByName: (protocol, name) => shown(applications.findByName(protocol, name)),
    get: (key) => shown(applications.get(key)),
    *list() {
      if (!permissions.canReadSome) return;
      for (const application of applications.list()) {
        const visible = shown(application);
        if (visible !== undefined) yield visible;
      }
    },
    kill: (key, by) => permitted("kill", key, () => applications.kill(key, by)),
    remove: (key, by) => permitted("kill", key, () => applications.remove(key, by)),
    retry: (key, by) => permitted("submit", key, () => applications.retry(key, by)),
    readLog: (key, range) => permitted("readLog", key, () => applications.readLog(key, range)),
    followLog: (key, from, signal) => permitted("readLog", key, () => applications.followLog(key, from, signal)),
    readReport: (key, range) => permitted("readLog", key, () => applications.readReport(key, range)),
    readReportTail: (key, count) => permitted("readLog", key, () => applications.readReportTail(key, count)),
    onChange(listener) {
      const known = new Set<string>();
      for (const application of applications.list()) if (isVisible(application)) known.add(application.record.key);
      return applications.onChange((key, application) => {
        if (application === undefined ? !known.delete(key) : !isVisible(application)) return;
        if (application !== undefined) known.add(key);
        listener(key, application === undefined ? undefined : shown(application));
      });
    },
  };
}

/** Removes the lines of logs that an application contains. */
function withoutLog(application: GatewayApplication): GatewayApplication {
  const { end, ...record } = application.record;
  if (end === undefined) return { ...application, submissionLog: [] };
  const { logTail: _, submissionLog: __, ...shownEnd } = end;
  return { ...application, record: { ...record, end: shownEnd }, submissionLog: [] };
}
