/** Access data of a cluster's administrator. */
export interface Access {
  readonly name: string;
  readonly url: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly token: string;
}

/** A kubeconfig with one cluster, as YAML. */
export function printKubeconfig({ name, url, certificateAuthority, token }: Access): string {
  const authority = Buffer.from(certificateAuthority).toString("base64");
  return `apiVersion: v1
kind: Config
clusters:
- name: ${name}
  cluster:
    server: ${url}
    certificate-authority-data: ${authority}
contexts:
- name: ${name}
  context:
    cluster: ${name}
    user: ${name}
    namespace: default
current-context: ${name}
users:
- name: ${name}
  user:
    token: ${token}
`;
}
