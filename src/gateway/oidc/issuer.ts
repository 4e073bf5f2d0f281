import { createRemoteJWKSet, type JWTVerifyGetKey, customFetch as keysFetch } from "jose";
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  None,
} from "openid-client";
import type { IssuerFetch } from "./issuer-fetch.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** An issuer whose metadata are known. */
export interface Issuer {
  /** Metadata and the client. */
  readonly configuration: Configuration;
  /** Finds the key of a token's signature. */
  readonly keys: JWTVerifyGetKey;
}

interface IssuerCall {
  readonly settings: Pick<OidcSettings, "issuer" | "clientId">;
  readonly clientSecret: string | undefined;
  readonly fetch: IssuerFetch;
}

const timeoutSeconds = 10;
/** Time after which the issuer's keys are read again. A token with an unknown key makes them be read earlier, once a second. */
const [maxKeyAgeMs, keyIntervalMs] = [600_000, 1_000];

/**
 * Returns a function that finds the issuer. The first call reads its metadata, and the next ones if that failed.
 *
 * The function rejects with an Error if the issuer does not respond, or is not the issuer of the settings.
 */
export function issuerOf(call: IssuerCall): () => Promise<Issuer> {
  let found: Promise<Issuer> | undefined;
  return () => {
    if (found !== undefined) return found;
    found = discover(call);
    found.catch(() => {
      found = undefined;
    });
    return found;
  };
}

async function discover({ settings, clientSecret, fetch }: IssuerCall): Promise<Issuer> {
  const server = new URL(settings.issuer);
  const isPlain = server.protocol === "http:";
  const authentication = clientSecret === undefined ? None() : secretAuthentication(clientSecret);
  const configuration = await discovery(server, settings.clientId, undefined, authentication, {
    ...{ timeout: timeoutSeconds, [customFetch]: fetch },
    execute: isPlain ? [allowInsecureRequests] : [],
  });
  const { jwks_uri: keysUrl } = configuration.serverMetadata();
  if (keysUrl === undefined) throw new Error(`${settings.issuer} names no jwks_uri`);
  if (!isPlain && new URL(keysUrl).protocol !== "https:")
    throw new Error(`${settings.issuer} names a jwks_uri without TLS`);
  const keys = createRemoteJWKSet(new URL(keysUrl), {
    ...{ cacheMaxAge: maxKeyAgeMs, cooldownDuration: keyIntervalMs, timeoutDuration: timeoutSeconds * 1000 },
    [keysFetch]: fetch,
  });
  return { configuration, keys };
}

/** Sends the secret in the way that the issuer supports. Source: OpenID Connect Discovery 1.0, 3: Basic is the default. */
function secretAuthentication(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...others) => {
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...others);
  };
}
