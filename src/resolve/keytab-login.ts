import { resolve } from "node:path";
import { kerberosKeytab, kerberosPrincipal } from "../conf/entries/hadoop.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { Host } from "../host/host.ts";
import type { KeytabLogin } from "../kerberos/kerberos-session.ts";

/** Returns the keys for the login at submission; `undefined` without a keytab on this machine: then the user's tickets are used. */
export function keytabLogin({ cwd }: Pick<Host, "cwd">, conf: SparkConf): KeytabLogin | undefined {
  const [principal, keytab] = [conf.get(kerberosPrincipal), conf.get(kerberosKeytab)];
  if (principal === undefined || keytab === undefined || keytab.startsWith("local:")) return undefined;
  return { principal, keytab: resolve(cwd, keytab) };
}
