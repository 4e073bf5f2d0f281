import type { Host } from "../../host/host.ts";
import type { Account } from "./account.ts";

/**
 * Reads access data from the variables KUBERNETES_….
 *
 * Source: Spark's Kubernetes client library, its configuration by environment.
 */
export function readEnvironment(env: Host["env"]): Account {
  // An empty variable says nothing.
  const given = (name: string) => env[name] || undefined;
  const user = given("KUBERNETES_AUTH_BASIC_USERNAME");
  const other = given("KUBERNETES_IMPERSONATE_USERNAME");
  const groups = (given("KUBERNETES_IMPERSONATE_GROUP") ?? "").split(",").filter((group) => group !== "");
  return {
    namespace: given("KUBERNETES_NAMESPACE"),
    authority: [{ data: given("KUBERNETES_CERTS_CA_DATA"), file: given("KUBERNETES_CERTS_CA_FILE") }],
    certificate: [
      { data: given("KUBERNETES_CERTS_CLIENT_DATA"), file: given("KUBERNETES_CERTS_CLIENT_FILE") },
    ],
    key: [
      { data: given("KUBERNETES_CERTS_CLIENT_KEY_DATA"), file: given("KUBERNETES_CERTS_CLIENT_KEY_FILE") },
    ],
    keyPassphrase: given("KUBERNETES_CERTS_CLIENT_KEY_PASSPHRASE"),
    token: given("KUBERNETES_AUTH_TOKEN"),
    basic: user === undefined ? undefined : { user, password: given("KUBERNETES_AUTH_BASIC_PASSWORD") ?? "" },
    impersonation: other === undefined ? undefined : { user: other, groups, extra: {} },
    trustsAll: isTrue(given("KUBERNETES_TRUST_CERTIFICATES")),
    ignoresHostName: isTrue(given("KUBERNETES_DISABLE_HOSTNAME_VERIFICATION")),
  };
}

/** Whether a variable that switches a source of accounts off does not. */
export function isAllowed(text: string | undefined): boolean {
  return text?.trim().toLowerCase() !== "false";
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === "true";
}
