import type { Host } from "../host/host.ts";
import { kubectlBehaviors } from "./auth/access-behaviors.ts";
import type { UserAccess } from "./auth/user-access.ts";
import type { KubeClient } from "./client.ts";
import { connect } from "./connect.ts";

const requestTimeoutMs = 10_000;

type Credentials = Omit<UserAccess, "kind" | "trustCertificates" | "behaviors" | "traits">;

/** API that a server of this project uses, and where warnings go. */
interface ServerAccess {
  /** URL of the API. */
  readonly server: string;
  readonly credentials: Credentials;
  readonly log: (level: "WARN" | "ERROR", text: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * Creates a client for a server that runs in a cluster or beside it, with the credentials of its settings, its service account or
 * its kubeconfig. Repeats no request: servers try again themselves.
 *
 * @throws the errors of `connect`
 */
export async function connectServer(
  host: Pick<Host, "env"> & Parameters<typeof connect>[0],
  { server, credentials, log }: ServerAccess,
): Promise<KubeClient> {
  const client = await connect(host, {
    server,
    log: (level, logger, text) => {
      if (level !== "INFO") log(level, text, { logger });
    },
    ...{ requestTimeoutMs, connectionTimeoutMs: requestTimeoutMs },
    access: {
      ...credentials,
      ...{ kind: "user", trustCertificates: false, behaviors: kubectlBehaviors },
      traits: {
        mergesKubeconfigs: true,
        unknownContextFallsBack: false,
        kubeconfigMayTrustAll: true,
        failingExecPluginStops: true,
      },
    },
  });
  return client.withoutRetries();
}
