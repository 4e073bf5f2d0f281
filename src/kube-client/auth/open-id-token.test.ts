import { createServer } from "node:https";
import { afterEach, describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import { type TestHost, testHost } from "../../host/test-host.ts";
import { readText } from "../lines.ts";
import { sparkBehaviors } from "../test-behaviors.ts";
import { loopbackCertificate, testKey } from "../test-certificate.ts";
import { type AccessBehaviors, kubectlBehaviors } from "./access-behaviors.ts";
import type { Account } from "./account.ts";
import { readUserAccount } from "./user-account.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const now = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Returns an ID token that expires in a number of seconds. */
function idToken(seconds: number, name = "jane"): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part({ sub: name, exp: now / 1000 + seconds })}.signature`;
}

type IssuerResponse = (form: URLSearchParams, authorization: string | undefined) => readonly [number, object];

/** An issuer on a socket, and the requests to its token endpoint. */
async function issuer(respond: IssuerResponse) {
  const requests: string[] = [];
  const server = createServer({ cert: loopbackCertificate, key: testKey }, async (request, response) => {
    const { port } = Object(server.address());
    if (request.url === "/idp/.well-known/openid-configuration") {
      return response.end(JSON.stringify({ token_endpoint: `https://localhost:${port}/token?x=1` }));
    }
    if (request.url !== "/token?x=1") return response.writeHead(404).end();
    const text = await readText(request, 1e6);
    requests.push(`${request.headers.authorization} ${text}`);
    const [status, body] = respond(new URLSearchParams(text), request.headers.authorization);
    return response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return { requests, url: `https://localhost:${Object(server.address()).port}/idp/` };
}

function kubeconfig(config: Readonly<Record<string, string>>): string {
  const lines = Object.entries(config).map(([key, value]) => `        ${key}: ${value}`);
  return `# kept comment
current-context: x
contexts: [{name: x, context: {user: u}}]
users:
- name: u
  user:
    auth-provider:
      name: oidc
      config:
${lines.join("\n")}
- name: other
  user: {token: "0123"} # a number-like token
`;
}

function configOf(url: string, more: Readonly<Record<string, string>>) {
  return {
    "idp-issuer-url": url,
    "client-id": "kube",
    "idp-certificate-authority-data": Buffer.from(loopbackCertificate).toString("base64"),
    ...more,
  };
}

function userOf(text: string, behaviors = kubectlBehaviors) {
  const host = testHost({
    env: { KUBECONFIG: "/kube/link" },
    files: { "/kube/config": { content: text, mode: 0o600 }, "/kube/link": { link: "config" } },
    now,
  });
  return { host, read: (refused?: Account) => readAs(host, behaviors, refused) };
}

function readAs(host: TestHost, behaviors: AccessBehaviors, refused?: Account) {
  const traits = {
    ...{ mergesKubeconfigs: true, unknownContextFallsBack: true, kubeconfigMayTrustAll: true },
    failingExecPluginStops: false,
  };
  const access = { kind: "user", settingPrefix: "p", trustCertificates: false, behaviors, traits } as const;
  return readUserAccount(host, access, { server: new URL("https://api:6443"), refused, log: () => {} });
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  return isSubmitError(error) ? `${error.code} ${error.message}` : "none";
}

describe("a user of OpenID Connect", () => {
  test("uses the id-token while it is valid", async () => {
    const token = idToken(3600);
    const { read } = userOf(kubeconfig(configOf("https://nobody.test", { "id-token": token })));
    expect(await read()).toMatchObject({ token, validUntil: now + 3_590_000 });
  });

  test("gets a new id-token, which is saved in the kubeconfig without other changes", async () => {
    const [old, fresh] = [idToken(5), idToken(3600)];
    const { url, requests } = await issuer(() => [200, { id_token: fresh, refresh_token: "refresh-token-number-2" }]);
    const text = kubeconfig(
      configOf(url, {
        "id-token": old,
        "refresh-token": "refresh-token-number-1",
        "client-secret": "s&cret",
      }),
    );
    const { host, read } = userOf(text);
    expect((await read()).token).toBe(fresh);
    const basic = Buffer.from("kube:s%26cret").toString("base64");
    expect(requests).toEqual([`Basic ${basic} grant_type=refresh_token&refresh_token=refresh-token-number-1`]);
    expect(host.files.readText("/kube/config")).toBe(
      text.replace(old, fresh).replace("refresh-token-number-1", "refresh-token-number-2"),
    );
    expect(host.files.info("/kube/config")?.mode).toBe(0o600);
    expect(host.files.list("/kube")).toEqual(["config", "link"]);
    expect((await read()).token).toBe(fresh);
    expect(requests).toHaveLength(1);
  });

  test("gets an id-token if the file has none; other values keep their types", async () => {
    const fresh = idToken(3600);
    const { url } = await issuer(() => [200, { id_token: fresh }]);
    const { host, read } = userOf(kubeconfig(configOf(url, { "refresh-token": "r1" })));
    await read();
    const written = host.files.readText("/kube/config") ?? "";
    expect(written).toContain(`id-token: ${fresh}`);
    expect(written).toContain("refresh-token: r1");
    expect(written).toMatch(/token: ['"]0123['"]/);
  });

  test("refreshes once for concurrent calls, and again when the server rejects the token", async () => {
    let number = 0;
    const { url, requests } = await issuer(() => {
      number += 1;
      return [200, { id_token: idToken(3600, `n${number}`) }];
    });
    const { read } = userOf(kubeconfig(configOf(url, { "refresh-token": "r" })));
    const [first, second] = await Promise.all([read(), read()]);
    expect(first.token).toBe(second.token);
    expect(requests).toHaveLength(1);
    expect((await read(first)).token).toBe(idToken(3600, "n2"));
  });

  test("keeps the tokens in memory if the file cannot be written", async () => {
    const { url, requests } = await issuer(() => [200, { id_token: idToken(3600), refresh_token: "r2" }]);
    const { host, read } = userOf(kubeconfig(configOf(url, { "refresh-token": "r1" })));
    const files = {
      ...host.files,
      write() {
        throw new Error("EROFS");
      },
    };
    const readOnly = { ...host, files };
    const first = await readAs(readOnly, kubectlBehaviors);
    expect((await readAs(readOnly, kubectlBehaviors)).token).toBe(first.token);
    expect(requests).toHaveLength(1);
    await readAs(readOnly, kubectlBehaviors, first);
    expect(requests[1]).toContain("refresh_token=r2");
    expect(await read()).toBeDefined();
  });

  test("sends the client in the body for an issuer that requires it", async () => {
    const fresh = idToken(3600);
    const { url } = await issuer((form) =>
      form.get("client_secret") === "s" ? [200, { id_token: fresh }] : [401, { error: "invalid_client" }],
    );
    const { read } = userOf(kubeconfig(configOf(url, { "refresh-token": "r", "client-secret": "s" })));
    expect((await read()).token).toBe(fresh);
  });

  test.each([
    ["a rejection", 400, { error: "invalid_grant", error_description: "s3cret" }, "responded with 400 (invalid_grant)"],
    ["a server error", 503, { message: "s3cret" }, "responded with 503 to the refresh token"],
    [
      "an id_token with a line break",
      200,
      { id_token: "s3cret\nx: y" },
      "gave an id_token that HTTP headers do not allow",
    ],
    ["no id_token", 200, { access_token: "s3cret" }, "gave no id_token"],
  ])("reports %s without secrets", async (_, status, body, expected) => {
    const { url } = await issuer(() => [status, body]);
    const config = configOf(url, { "refresh-token": "s3cret-refresh", "client-secret": "s3cret" });
    const message = await failureOf(userOf(kubeconfig(config)).read());
    expect(message).toMatch(/^SUBMIT_ERR_KUBE_AUTH_PROVIDER The auth-provider oidc of the kubeconfig's user u/);
    expect(message).toContain(expected);
    expect(message).not.toContain("s3cret");
  });

  test.each<[string, (url: string) => readonly [number, string], string]>([
    ["a missing document", () => [404, "{}"], "responded with 404 and no token_endpoint"],
    ["a document that is not JSON", () => [200, "<html>"], "responded with 200 and no token_endpoint"],
    ["2 MB", () => [200, "x".repeat(2_000_000)], "responded with 200 and no token_endpoint"],
    ["an invalid endpoint", () => [200, '{"token_endpoint":"::"}'], "responded with 200 and no token_endpoint"],
    [
      "an endpoint without TLS",
      (url) => [200, JSON.stringify({ token_endpoint: url.replace("https:", "http:") })],
      "named a token_endpoint without TLS",
    ],
  ])("reports an issuer whose configuration is %s, and sends no token", async (_, respond, expected) => {
    const requested: string[] = [];
    const server = createServer(
      { cert: loopbackCertificate, key: testKey },
      ({ method, url = "", headers }, response) => {
        requested.push(`${method} ${url}`);
        const [status, body] = respond(`https://${headers.host}`);
        response.writeHead(status).end(body);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    const config = configOf(`https://localhost:${Object(server.address()).port}`, {
      "refresh-token": "s3cret-refresh",
    });
    const message = await failureOf(userOf(kubeconfig(config)).read());
    expect(message).toContain(expected);
    expect(message).not.toContain("s3cret");
    expect(requested).toEqual(["GET /.well-known/openid-configuration"]);
  });

  test("requires a trusted issuer, a client and a refresh-token", async () => {
    const { url } = await issuer(() => [200, {}]);
    const of = (config: Readonly<Record<string, string>>) => failureOf(userOf(kubeconfig(config)).read());
    expect(await of({ "idp-issuer-url": url, "client-id": "k", "refresh-token": "r" })).toMatch(
      /cannot be asked: self[- ]signed certificate/,
    );
    expect(await of({ "id-token": idToken(-1) })).toContain("must be given");
    expect(await of({ ...configOf(url, {}), "id-token": idToken(-1) })).toContain("there is no refresh-token");
  });

  test("keeps the old token with Spark's behavior", async () => {
    const config = { "id-token": idToken(-1), "access-token": "left" };
    expect((await userOf(kubeconfig(config), sparkBehaviors).read()).token).toBe("left");
  });
});

describe("a user of a cloud's old provider", () => {
  const gcp = (config: string) =>
    `{current-context: x, contexts: [{name: x, context: {user: u}}], users: [{name: u, user: {auth-provider: {name: gcp, config: {${config}}}}}]}`;

  test("uses the saved token while it is valid", async () => {
    expect((await userOf(gcp("access-token: t, expiry: '2026-01-02T04:00:00Z'")).read()).token).toBe("t");
    expect((await userOf(gcp("access-token: t")).read()).token).toBe("t");
    const message = await failureOf(userOf(gcp("access-token: t, expiry: '2026-01-01T00:00:00Z'")).read());
    expect(message).toContain("has expired");
    expect(await failureOf(userOf(gcp("")).read())).toContain("no longer run");
    expect((await userOf(gcp("access-token: t, expiry: '2026-01-01T00:00:00Z'"), sparkBehaviors).read()).token).toBe(
      "t",
    );
  });
});
