import type { Host } from "../../host/host.ts";
import { type ServerLog, serverLog } from "../../http/server-log.ts";
import { accessReviews } from "../../kube-client/access-reviews.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { kubernetesPermissions } from "../access/kubernetes-permissions.ts";
import { type Authenticate, type Authorize, withoutAuthentication } from "../http/authenticate.ts";
import type { HttpProtocol } from "../http/gateway-request.ts";
import { type AddressSettings, publicUrl } from "../http/public-url.ts";
import { allPermissions } from "../model/permissions.ts";
import { openSealedValues } from "../secrets/sealed-values.ts";
import type { GatewaySettings } from "../settings.ts";
import { basicAuthentication } from "./basic.ts";
import { certificateAuthentication } from "./client-certificate.ts";
import { passwordFile } from "./password-file.ts";
import { tokenAuthentication } from "./token.ts";

interface AuthenticationCall {
  readonly host: Host;
  /** Client of the cluster that reviews tokens and permissions. */
  readonly client: KubeClient;
  readonly settings: AccessSettings;
}

type AccessSettings = Pick<
  GatewaySettings,
  "authentication" | "isImpersonating" | "tls" | "namespace" | "namespaces" | "sessionKeyFile"
> &
  AddressSettings;

/** Authentication and permissions of clients. */
export interface ClientAccess {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  /** Pages with which browsers log in; `undefined` if they need none. */
  readonly login?: HttpProtocol | undefined;
}

interface OpenMode extends Omit<ClientAccess, "authenticate"> {
  /** `undefined`: the mode has none of its own. */
  readonly authenticate: Authenticate | undefined;
}

/** Lifetimes of reviews: a client sends many requests, and a revoked permission ends soon. */
const cacheTimes = { acceptedMs: 10_000, deniedMs: 2_000 };

/** Opens the authentication of all protocols. @throws SubmitError SUBMIT_ERR_GATEWAY_PASSWORD_FILE, SUBMIT_ERR_GATEWAY_FILE */
export async function openAuthentication(call: AuthenticationCall): Promise<ClientAccess> {
  const { authenticate, authorize, login } = await openMode(call);
  const hasCertificates = call.settings.tls?.clientAuthorities !== undefined;
  return {
    authenticate: hasCertificates ? certificateAuthentication(authenticate) : (authenticate ?? withoutAuthentication),
    ...{ authorize, login },
  };
}

async function openMode({ host, client, settings }: AuthenticationCall): Promise<OpenMode> {
  const { authentication, namespace, namespaces = [namespace] } = settings;
  const log: ServerLog = serverLog(host);
  const reviews = accessReviews(client, host.clock, cacheTimes);
  const everything: Authorize = async ({ user, groups }) =>
    groups.length === 0 ? allPermissions : { ...allPermissions, user, groups };
  switch (authentication.kind) {
    case "none":
    case "certificate":
      return { authenticate: undefined, authorize: everything };
    case "htpasswd": {
      const users = passwordFile(host, authentication.passwordFile, log);
      const authenticate = basicAuthentication({ random: host.random, users });
      return { authenticate, authorize: everything };
    }
    case "kubernetes": {
      const verify = async (token: string) => {
        const user = await reviews.authenticate(token);
        return user === undefined || user.name === "" ? undefined : { ...user, user: user.name };
      };
      return {
        authenticate: tokenAuthentication({ verify, schemes: ["Bearer", "Basic"], log }),
        authorize: kubernetesPermissions({ reviews, namespaces }),
      };
    }
    case "oidc": {
      const { openOidc } = await import("./open-oidc.ts");
      const sealed = openSealedValues(host, settings.sessionKeyFile);
      const call = {
        host,
        settings: authentication,
        sealed,
        publicUrl: publicUrl(settings),
        log,
      };
      const { authenticate, protocol } = openOidc(call);
      const authorize = settings.isImpersonating ? kubernetesPermissions({ reviews, namespaces }) : everything;
      return { authenticate, authorize, login: protocol };
    }
  }
}
