import type { ContractClient } from "./contract/contract-client.ts";

export interface Credentials {
  /** Token of the service account, valid for an hour. */
  readonly token: string;
  /** Certificate authority of the API, PEM in base64. */
  readonly authority: string;
}

/** Creates credentials of an existing service account. */
export async function accountCredentials(
  api: ContractClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Credentials> {
  const path = `/api/v1/namespaces/${namespace}`;
  const created = await api.call("POST", `${path}/serviceaccounts/${name}/token`, {
    spec: { expirationSeconds: 3600 },
  });
  const { body } = await api.call("GET", `${path}/configmaps/kube-root-ca.crt`);
  return {
    token: /"token":"([^"]+)"/.exec(created.text)?.[1] ?? "",
    authority: Buffer.from(body.data["ca.crt"] ?? "").toString("base64"),
  };
}

/** Prints a kubeconfig with an account's credentials. */
export function printKubeconfig(server: string, { token, authority }: Credentials): string {
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name: "u", user: { token } }],
  });
}
