import type { Host } from "../../host/host.ts";
import type { Account } from "./account.ts";

/**
 * Reads access data from the variables KUBERNETES_….
 *
 * Source: Spark's Kubernetes client library, its configuration by environment.
 */
export function readEnvironment(env: Host["env"]): Account {
  // An empty variable counts as unset.
  const variable = (name: string) => env[name] || undefined;
  const user = variable("KUBERNETES_AUTH_BASIC_USERNAME");
  const other = variable("KUBERNETES_IMPERSONATE_USERNAME");
  const groups = (variable("KUBERNETES_IMPERSONATE_GROUP") ?? "").split(",").filter((group) => group !== "");
  return {
    namespace: variable("KUBERNETES_NAMESPACE"),
    authority: [{ data: variable("KUBERNETES_CERTS_CA_DATA"), file: variable("KUBERNETES_CERTS_CA_FILE") }],
    certificate: [{ data: variable("KUBERNETES_CERTS_CLIENT_DATA"), file: variable("KUBERNETES_CERTS_CLIENT_FILE") }],
    key: [
      {
        data: variable("KUBERNETES_CERTS_CLIENT_KEY_DATA"),
        file: variable("KUBERNETES_CERTS_CLIENT_KEY_FILE"),
      },
    ],
    keyPassphrase: variable("KUBERNETES_CERTS_CLIENT_KEY_PASSPHRASE"),
    token: variable("KUBERNETES_AUTH_TOKEN"),
    basic: user === undefined ? undefined : { user, password: variable("KUBERNETES_AUTH_BASIC_PASSWORD") ?? "" },
    impersonation: other === undefined ? undefined : { user: other, groups, extra: {} },
    trustsAll: isTrue(variable("KUBERNETES_TRUST_CERTIFICATES")),
    ignoresHostName: isTrue(variable("KUBERNETES_DISABLE_HOSTNAME_VERIFICATION")),
  };
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === "true";
}
