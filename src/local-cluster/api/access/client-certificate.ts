import type { User } from "./user.ts";

/** The certificate that a client has sent. */
export interface ClientCertificate {
  /** Whether it is valid now, signed by the cluster's authority, and for clients. */
  readonly isTrusted: boolean;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in hexadecimal digits. */
  readonly fingerprint: string;
}

/** Returns the user of a trusted certificate. Source: Kubernetes 1.35, "X.509 client certificates". */
export function certificateUser({ commonName, organizations, fingerprint }: ClientCertificate): User {
  return {
    name: commonName,
    uid: undefined,
    groups: [...organizations, "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  };
}
