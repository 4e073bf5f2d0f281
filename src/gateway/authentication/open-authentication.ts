import type { Host } from "../../host/host.ts";
import { type ServerLog, serverLog } from "../../http/server-log.ts";
import { accessReviews } from "../../kube-client/access-reviews.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { kubernetesPermissions } from "../access/kubernetes-permissions.ts";
import { type Authenticate, type Authorize, withoutAuthentication } from "../http/authenticate.ts";
import { servicePaths } from "../http/service-protocol.ts";
import { allPermissions } from "../model/permissions.ts";
import type { GatewaySettings } from "../settings.ts";
import { basicAuthentication } from "./basic.ts";
import { certificateAuthentication } from "./client-certificate.ts";
import { passwordFile } from "./password-file.ts";
import { tokenAuthentication } from "./token.ts";

interface AuthenticationCall {
  readonly host: Host;
  /** Client of the cluster that reviews tokens and permissions. */
  readonly client: KubeClient;
  readonly settings: Pick<GatewaySettings, "authentication" | "tls" | "namespace" | "namespaces">;
}

/** Authentication and permissions of clients. */
export interface ClientAccess {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
}

/** Lifetimes of reviews: a client sends many requests, and a revoked permission ends soon. */
const cacheTimes = { acceptedMs: 10_000, deniedMs: 2_000 };

/** Opens the authentication of all protocols. @throws SubmitError SUBMIT_ERR_GATEWAY_PASSWORD_FILE */
export function openAuthentication(call: AuthenticationCall): ClientAccess {
  const { authenticate, authorize } = openMode(call);
  const hasCertificates = call.settings.tls?.clientAuthorities !== undefined;
  return {
    authenticate: hasCertificates
      ? certificateAuthentication(authenticate, servicePaths)
      : (authenticate ?? withoutAuthentication),
    authorize,
  };
}

function openMode({ host, client, settings }: AuthenticationCall) {
  const { authentication, namespace, namespaces = [namespace] } = settings;
  const log: ServerLog = serverLog(host);
  const everything: Authorize = async ({ user, groups }) =>
    groups.length === 0 ? allPermissions : { ...allPermissions, user, groups };
  switch (authentication.kind) {
    case "none":
    case "certificate":
      return { authenticate: undefined, authorize: everything };
    case "htpasswd": {
      const users = passwordFile(host, authentication.passwordFile, log);
      const authenticate = basicAuthentication({ random: host.random, users, openPaths: servicePaths });
      return { authenticate, authorize: everything };
    }
    case "kubernetes": {
      const reviews = accessReviews(client, host.clock, cacheTimes);
      const verify = async (token: string) => {
        const user = await reviews.authenticate(token);
        return user === undefined || user.name === "" ? undefined : { ...user, user: user.name };
      };
      return {
        authenticate: tokenAuthentication({ verify, openPaths: servicePaths, log }),
        authorize: kubernetesPermissions({ reviews, namespaces }),
      };
    }
  }
}
