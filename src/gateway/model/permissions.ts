/** Actions on the applications of a namespace. */
export type GatewayAction = "submit" | "read" | "readLog" | "kill";

/** Permissions of a client. */
export interface Permissions {
  /** User for messages; `undefined` without authentication. */
  readonly user: string | undefined;
  /** @default none */
  readonly groups?: readonly string[];
  /** Returns whether an action is permitted in a namespace; `undefined` for that of applications that name none. */
  readonly allows: (action: GatewayAction, namespace: string | undefined) => boolean;
  /** Whether the client may read the applications of any namespace. */
  readonly canReadSome: boolean;
}

/** Permissions of clients that may do everything. */
export const allPermissions: Permissions = { user: undefined, allows: () => true, canReadSome: true };

/** A client may not do what it requested. */
export class PermissionError extends Error {
  readonly user: string | undefined;
  constructor(message: string, user: string | undefined) {
    super(message);
    this.user = user;
  }
}

const verbs: Readonly<Record<GatewayAction, string>> = {
  submit: "submit applications",
  read: "read applications",
  readLog: "read logs",
  kill: "kill applications",
};

/** Checks a permission. @throws PermissionError */
export function requirePermission(
  { user, allows }: Pick<Permissions, "user" | "allows">,
  action: GatewayAction,
  namespace: string | undefined,
): void {
  if (allows(action, namespace)) return;
  const where = namespace === undefined ? "" : ` in the namespace '${namespace}'`;
  throw new PermissionError(`User '${user ?? ""}' cannot ${verbs[action]}${where}.`, user);
}
