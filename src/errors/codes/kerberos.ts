import { define } from "../error-code-entry.ts";
import { exceptionClasses } from "./exception-classes.ts";

function loginHint(reason: string): string {
  if (/expired/i.test(reason)) return "Get a new ticket: kinit. Or use a keytab: --principal PRINCIPAL --keytab FILE";
  if (/clock skew/i.test(reason))
    return "Set the clocks: that of this machine, of the KDC and of the server may differ by 5 minutes at most.";
  if (/KDC|resolve/i.test(reason) && !/not found in/i.test(reason))
    return "Check kdc of the realm in krb5.conf (KRB5_CONFIG, else /etc/krb5.conf), and that its port can be reached.";
  if (/server .*not found|unknown server/i.test(reason))
    return "Use the host name of the server's principal HTTP/HOST in the configured addresses, not its address or an alias.";
  if (/client .*not found|client principal|Preauthentication|Key table|keytab/i.test(reason))
    return "Check that the keytab has current keys of the principal: klist -k -t FILE";
  return "Get a ticket: kinit. Or use a keytab: --principal PRINCIPAL --keytab FILE";
}

/** Codes about Kerberos: logins and delegation tokens. */
export const kerberosCodes = {
  SUBMIT_ERR_KERBEROS_LOGIN: define<{ of: string; reason: string }>({
    kind: "environment",
    text: ({ of, reason }) => `The Kerberos login failed for ${of}: ${reason}.`,
    hint: ({ reason }) => loginHint(reason),
  }),
  SUBMIT_ERR_KERBEROS_MISSING: define<{ reason: string; missing: readonly string[] }>({
    kind: "environment",
    text: ({ reason, missing }) =>
      `Hadoop requires Kerberos, and this machine has neither the npm package kerberos nor its replacement, ${missing.join(" and ")}: ${reason}.`,
    hint: () =>
      "Install the package beside Firesteel: npm install kerberos. Or install programs, e.g. apt-get install krb5-user curl; the curl must support SPNEGO.",
  }),
  SUBMIT_ERR_KERBEROS_USER: define<{ principal: string; reason: string }>({
    kind: "setting",
    text: ({ principal, reason }) => `The principal ${principal} has no user name: ${reason}.`,
    hint: () => "Correct hadoop.security.auth_to_local in core-site.xml.",
  }),
  SUBMIT_ERR_KERBEROS_TOKENS: define<{ service: string; key: string }>({
    kind: "setting",
    text: ({ service, key }) =>
      `The driver needs a delegation token of ${service} (${key}), which only Java programs can obtain.`,
    hint: ({ service }) =>
      `Give the driver a keytab, with which it obtains the token: --principal PRINCIPAL --keytab FILE. If the application does not use ${service}: --conf spark.security.credentials.${service}.enabled=false`,
  }),
  SUBMIT_ERR_KEYTAB_INCOMPLETE: define<{ missing: string }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.illegalArgument,
    text: () => "requirement failed: Both principal and keytab must be defined, or neither.",
    hint: ({ missing }) => `Set ${missing}, or remove the other setting.`,
  }),
  SUBMIT_ERR_KEYTAB_PRINCIPAL: define<{ principal: string; path: string; found: readonly string[] }>({
    kind: "setting",
    text: ({ principal, path, found }) =>
      `The keytab ${path} has no keys of ${principal}, but of ${found.slice(0, 5).join(", ") || "no principal"}.`,
    hint: () => "Correct --principal, or specify another file with --keytab.",
  }),
  SUBMIT_ERR_KERBEROS_RENEWER: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    text: () => "Can't get Master Kerberos principal for use as renewer.",
    hint: () => "Set yarn.resourcemanager.principal in yarn-site.xml: the ResourceManager renews the tokens.",
  }),
};
