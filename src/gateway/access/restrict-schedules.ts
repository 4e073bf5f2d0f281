import { allPermissions, type GatewayAction, type Permissions, requirePermission } from "../model/permissions.ts";
import type { ScheduleName, Schedules } from "../model/schedules.ts";

/**
 * Returns the schedules as a client may see and change them, with the permissions for applications of their namespaces. What it may not
 * read does not exist for it. Methods throw PermissionError.
 */
export function restrictSchedules(schedules: Schedules, permissions: Permissions): Schedules {
  if (permissions === allPermissions) return schedules;
  const isVisible = ({ namespace }: ScheduleName) => permissions.allows("read", namespace);
  const permitted = <T>(action: GatewayAction, { namespace }: ScheduleName, act: () => Promise<T>): Promise<T> => {
    requirePermission(permissions, action, namespace);
    return act();
  };
  return {
    create: (schedule) =>
      permitted("submit", schedule, () => schedules.create({ ...schedule, ownerGroups: permissions.groups })),
    get(name) {
      if (!permissions.canReadSome) requirePermission(permissions, "read", undefined);
      return isVisible(name) ? schedules.get(name) : undefined;
    },
    list: () => (permissions.canReadSome ? schedules.list().filter(({ record }) => isVisible(record)) : []),
    setSuspended: (name, isSuspended, { user }) => {
      const by = { user, groups: permissions.groups };
      return permitted("submit", name, () => schedules.setSuspended(name, isSuspended, by));
    },
    // It kills the applications that run.
    remove: (name, by) =>
      isVisible(name) ? permitted("kill", name, () => schedules.remove(name, by)) : Promise.resolve(false),
  };
}
