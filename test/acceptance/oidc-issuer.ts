import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import Provider from "oidc-provider";
import { onTestFinished } from "vitest";

/** A running provider of OpenID Connect. Everyone can log in, with any password. */
export interface OidcIssuer {
  readonly url: string;
  /** Registers the client `gateway`, whose secret is `s3cret`, with the address to which a login returns. */
  readonly register: (redirectUrl: string) => Promise<void>;
  /** Replaces the keys with which it signs. */
  readonly rotateKeys: () => Promise<void>;
  /** Lets the provider issue an access token as a JWT for an audience; its user is `gateway`. */
  readonly issueToken: (audience: string) => Promise<string>;
  /** Signs other claims with the key of the provider. */
  readonly sign: (claims: Readonly<Record<string, unknown>>, expiresInSeconds: number) => Promise<string>;
  readonly publicKey: () => JWK;
  /** Lets the provider close all connections instead of responding, or respond again. */
  readonly setDown: (isDown: boolean) => void;
}

interface IssuerOptions {
  /** Certificate and key as PEM. @default without TLS */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Groups of every user. */
  readonly groups?: readonly string[];
}

const secret = "s3cret";

/** Starts a provider on the loopback address. */
export async function startIssuer({ tls, groups = [] }: IssuerOptions = {}): Promise<OidcIssuer> {
  let handle: ReturnType<Provider["callback"]> | undefined;
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  let isUnavailable = false;
  server.on("request", (request, response) => {
    if (isUnavailable) request.socket.destroy();
    else void handle?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const url = `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  let redirectUrl = "http://127.0.0.1/unused";
  let key = await newKey();
  const open = () => {
    handle = provider({ url, key: key.privateJwk, redirectUrl, groups }).callback();
  };
  open();
  return {
    url,
    publicKey: () => key.publicJwk,
    setDown(isDown) {
      isUnavailable = isDown;
    },
    async register(redirect) {
      redirectUrl = redirect;
      open();
    },
    async rotateKeys() {
      key = await newKey();
      open();
    },
    async issueToken(audience) {
      const body = new URLSearchParams({ grant_type: "client_credentials", resource: `https://${audience}` });
      const authorization = `Basic ${Buffer.from(`gateway:${secret}`).toString("base64")}`;
      const response = await fetch(`${url}/token`, { method: "POST", body, headers: { authorization } });
      const [, token = ""] = /"access_token":"([^"]+)"/.exec(await response.text()) ?? [];
      return token;
    },
    sign: (claims, expiresInSeconds) =>
      new SignJWT({ iss: url, aud: "gateway", sub: "alice", ...claims })
        .setProtectedHeader({ alg: "RS256", kid: key.privateJwk.kid ?? "" })
        .setExpirationTime(Math.floor(Date.now() / 1000) + expiresInSeconds)
        .sign(key.privateKey),
  };
}

async function newKey() {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const names = { kid: crypto.randomUUID(), use: "sig", alg: "RS256" };
  return {
    privateKey,
    privateJwk: { ...(await exportJWK(privateKey)), ...names },
    publicJwk: { ...(await exportJWK(publicKey)), ...names },
  };
}

interface ProviderCall {
  readonly url: string;
  readonly key: JWK;
  readonly redirectUrl: string;
  readonly groups: readonly string[];
}

function provider({ url, key, redirectUrl, groups }: ProviderCall): Provider {
  return new Provider(url, {
    clients: [
      {
        ...{ client_id: "gateway", client_secret: secret, redirect_uris: [redirectUrl] },
        grant_types: ["authorization_code", "client_credentials"],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["cookie-key"] },
    scopes: ["openid", "profile", "email"],
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    findAccount: (_, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, preferred_username: id, groups: [...groups] }),
    }),
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource) => ({
          ...{ scope: "", audience: resource.slice("https://".length), accessTokenFormat: "jwt" },
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
}
