import { messageOf } from "../errors/message-of.ts";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { KeytabLogin } from "../kerberos/kerberos-session.ts";
import { type HttpConnections, httpConnections } from "../net/http-connections.ts";
import { shortUserName } from "../values/auth-to-local.ts";
import type { HadoopConf } from "../values/hadoop-conf.ts";
import { type HadoopUser, simpleUserName } from "./hadoop-call.ts";
import { isSecure } from "./security.ts";

/** Authentication to Hadoop's servers. */
export interface HadoopAccess {
  readonly user: HadoopUser;
  /** With Kerberos, they authenticate. */
  readonly connections: HttpConnections;
  /** Removes the tickets of a keytab, and closes the connections unless the caller has opened them. */
  readonly close: () => void;
}

interface AccessChoice {
  readonly conf: HadoopConf;
  /** @default a pool of its own, which `close` closes */
  readonly connections?: HttpConnections | undefined;
  /** Keys for Kerberos. @default the user's tickets */
  readonly login?: KeytabLogin | undefined;
  /** User to act for. */
  readonly proxied?: string | undefined;
}

/**
 * Identifies the user to Hadoop: by name, or by Kerberos if the configuration requires it.
 *
 * Rejects with SUBMIT_ERR_KERBEROS_LOGIN, SUBMIT_ERR_KERBEROS_MISSING, SUBMIT_ERR_KERBEROS_USER, SUBMIT_ERR_FILE_UNREADABLE.
 */
export async function openAccess(host: Host, choice: AccessChoice): Promise<HadoopAccess> {
  const { conf, login, proxied } = choice;
  if (!isSecure(conf)) return { user: { name: simpleUserName(host), proxied }, ...opened(host, choice) };
  const { openKerberos } = await import("../kerberos/open-kerberos.ts");
  const { negotiatingConnections } = await import("../kerberos/negotiating-connections.ts");
  const session = await openKerberos(host, login);
  try {
    const user = { name: userNameOf(host, session.principal, conf), proxied, authentication: "kerberos" } as const;
    const { connections, close } = opened(host, choice);
    const closeAll = () => {
      session.close();
      close();
    };
    return { user, connections: negotiatingConnections(connections, session), close: closeAll };
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Returns the connections, and how they are closed. */
function opened({ clock }: Host, choice: AccessChoice): Pick<HadoopAccess, "connections" | "close"> {
  if (choice.connections !== undefined) return { connections: choice.connections, close: () => {} };
  const connections = httpConnections({ clock });
  return { connections, close: connections.close };
}

/** Returns the short name of a principal. @throws SUBMIT_ERR_KERBEROS_USER */
export function userNameOf(host: Host, principal: string, conf: HadoopConf): string {
  const rules = conf.get("hadoop.security.auth_to_local") ?? "DEFAULT";
  const refuse = (reason: string) => submitError("SUBMIT_ERR_KERBEROS_USER", { principal, reason });
  let name: string | undefined;
  try {
    name = shortUserName(principal, rules, defaultRealm(host));
  } catch (error) {
    throw refuse(messageOf(error));
  }
  if (name === undefined) throw refuse("no rule of hadoop.security.auth_to_local applies");
  return name;
}

/** Returns the default realm of krb5.conf; `undefined` if there is none. */
function defaultRealm({ env, files }: Host): string | undefined {
  for (const path of (env["KRB5_CONFIG"] || "/etc/krb5.conf").split(":")) {
    try {
      const [, realm] = /^\s*default_realm\s*=\s*(\S+)/m.exec(files.readText(path) ?? "") ?? [];
      if (realm !== undefined) return realm;
    } catch {
      // Kerberos skips files that it cannot read, too.
    }
  }
  return undefined;
}
