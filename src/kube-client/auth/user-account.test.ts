import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import { testHost } from "../../host/test-host.ts";
import { kubectlBehaviors, sparkBehaviors } from "../test-behaviors.ts";
import type { UserAccess } from "./user-access.ts";
import { readUserAccount } from "./user-account.ts";

const home = "/home/tester";

const two = `
current-context: first
contexts:
- {name: first, context: {cluster: c1, user: u1, namespace: ctx-ns}}
- {name: second, context: {cluster: c2, user: u2}}
- {name: dangling, context: {cluster: nowhere, user: unknown}}
clusters:
- {name: c1, cluster: {server: "https://other:1", certificate-authority: ca.pem, insecure-skip-tls-verify: true}}
- name: c2
  cluster: {certificate-authority-data: Q0E=, tls-server-name: inside, proxy-url: "http://p:3128"}
users:
- {name: u1, user: {token: first-token, tokenFile: /never}}
- {name: u2, user: {client-certificate-data: Q0VSVA==, client-key: keys/k.pem, username: joe, password: 0123}}
`;

interface AccountCase {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly access?: Partial<UserAccess>;
}

async function account({ env = {}, files = { [`${home}/.kube/config`]: two }, access = {} }: AccountCase = {}) {
  const host = testHost({ env, files });
  const logged: string[] = [];
  const found = await readUserAccount(
    host,
    {
      kind: "user",
      settingPrefix: "p.authenticate",
      trustCertificates: false,
      behaviors: sparkBehaviors,
      traits: newTraits,
      ...access,
    },
    { server: new URL("https://api:6443"), log: (_, __, text) => logged.push(text) },
  );
  return { ...found, logged };
}

async function codeOf(input: AccountCase): Promise<string> {
  const error: unknown = await account(input).catch((reason: unknown) => reason);
  return isSubmitError(error) ? `${error.code} ${error.message}` : "none";
}

const newTraits = {
  mergesKubeconfigs: true,
  unknownContextFallsBack: true,
  kubeconfigMayTrustAll: true,
  failingExecPluginStops: false,
};

const oldTraits = {
  mergesKubeconfigs: false,
  unknownContextFallsBack: false,
  kubeconfigMayTrustAll: false,
  failingExecPluginStops: true,
};

describe("a kubeconfig", () => {
  test("returns the current context's namespace, authority and token; paths are relative to its directory", async () => {
    const found = await account();
    expect(found).toMatchObject({ namespace: "ctx-ns", token: "first-token", trustsAll: true });
    expect(found.authority?.at(-1)?.file).toBe(`${home}/.kube/ca.pem`);
    expect(found.basic).toBeUndefined();
  });

  test("returns the requested context: certificates, a password that looks like a number, and a proxy", async () => {
    const found = await account({ access: { context: "second" } });
    expect(found).toMatchObject({
      basic: { user: "joe", password: "0123" },
      trustsAll: false,
    });
    expect(found).toMatchObject({ proxy: "http://p:3128", token: undefined, namespace: undefined });
    expect(found.certificate?.at(-1)?.data).toBe("Q0VSVA==");
    expect(found.key?.at(-1)?.file).toBe(`${home}/.kube/keys/k.pem`);
  });

  test("uses the current context for an unknown one, or none, depending on the release line", async () => {
    expect((await account({ access: { context: "nope" } })).token).toBe("first-token");
    expect((await account({ access: { context: "nope", traits: oldTraits } })).token).toBeUndefined();
    expect((await account({ access: { context: "dangling" } })).token).toBeUndefined();
  });

  test("of several files is merged, the first wins; older lines read only the first and log that", async () => {
    const files = {
      "/a": "{contexts: [{name: x, context: {user: u}}], users: [{name: u, user: {token: from-a}}]}",
      "/b": "{current-context: x, users: [{name: u, user: {token: from-b}}]}",
    };
    const env = { KUBECONFIG: "/a:/b::/missing" };
    expect((await account({ files, env })).token).toBe("from-a");
    const old = await account({ files, env, access: { traits: oldTraits } });
    expect(old.token).toBeUndefined();
    expect(old.logged).toEqual([
      "Found multiple Kubernetes config files [[/a, /b, /missing]], using the first one: [/a]. If not desired file, please change it by doing `export KUBECONFIG=/path/to/kubeconfig` on Unix systems or `$Env:KUBECONFIG=/path/to/kubeconfig` on Windows.",
    ]);
  });

  test("does not affect trust in the oldest line", async () => {
    expect((await account({ access: { traits: oldTraits } })).trustsAll).toBe(false);
    expect((await account({ access: { traits: oldTraits, trustCertificates: true } })).trustsAll).toBe(true);
  });

  test("that is invalid is named, without its secrets", async () => {
    const env = { KUBECONFIG: "/k" };
    expect(await codeOf({ env, files: { "/k": "users: [{token: s3cret" } })).toMatch(
      /^SUBMIT_ERR_KUBE_CONFIG Cannot use the kubeconfig \/k(?!.*s3cret)/,
    );
    expect(await codeOf({ env, files: { "/k": "just text" } })).toContain("it is not a mapping");
  });

  test("must have the requested context, except with Spark's behavior", async () => {
    const kubectl = (access: Partial<UserAccess> = {}) => ({
      access: { ...access, behaviors: kubectlBehaviors },
    });
    expect(await codeOf(kubectl({ context: "nope" }))).toBe(
      "SUBMIT_ERR_KUBE_CONTEXT Cannot use the kubeconfig's context nope: no file has it.",
    );
    expect(await codeOf(kubectl({ context: "dangling" }))).toMatch(/no file has its cluster nowhere\.$/);
    expect((await account(kubectl())).token).toBe("first-token");
    const none = await account({
      ...kubectl(),
      env: { KUBECONFIG: "/k" },
      files: { "/k": "contexts: [{name: x, context: {}}]" },
    });
    expect(none.token).toBeUndefined();
    expect(none.logged[0]).toContain("choose one with spark.kubernetes.context: x.");
  });

  test("may name a token file, which is read each time and beats the inline token", async () => {
    const env = { KUBECONFIG: "/dir/k" };
    const text = (token: string) =>
      `{current-context: x, contexts: [{name: x, context: {user: u}}], users: [{name: u, user: {${token} tokenFile: tok}}]}`;
    const files = { "/dir/k": text(""), "/dir/tok": "from-file\n" };
    expect((await account({ env, files, access: { behaviors: kubectlBehaviors } })).token).toBe("from-file");
    expect((await account({ env, files })).token).toBeUndefined();
    const set = { behaviors: kubectlBehaviors, oauthToken: "set" };
    expect((await account({ env, files, access: set })).token).toBe("set");
    const lost = { "/dir/k": text("token: here,") };
    expect((await account({ env, files: lost, access: { behaviors: kubectlBehaviors } })).token).toBe("here");
    expect(await codeOf({ env, files: { "/dir/k": text("") }, access: { behaviors: kubectlBehaviors } })).toMatch(
      /^SUBMIT_ERR_KUBE_AUTH_FILE .*\/dir\/tok/,
    );
  });

  test("may name a user to impersonate; a group without a user is rejected", async () => {
    const env = { KUBECONFIG: "/k" };
    const files = (as: string) => ({
      "/k": `{current-context: x, contexts: [{name: x, context: {user: u}}], users: [{name: u, user: {token: t, ${as}}}]}`,
    });
    const all = files("as: jane, as-uid: 7, as-groups: [dev, ops], as-user-extra: {Scopes/A: [r, w]}");
    expect((await account({ env, files: all, access: { behaviors: kubectlBehaviors } })).impersonation).toEqual({
      user: "jane",
      uid: "7",
      groups: ["dev", "ops"],
      extra: { "Scopes/A": ["r", "w"] },
    });
    expect((await account({ env, files: all })).impersonation).toBeUndefined();
    const other = { ...env, KUBERNETES_IMPERSONATE_USERNAME: "joe", KUBERNETES_IMPERSONATE_GROUP: "a,b" };
    expect((await account({ env: other, files: all, access: { behaviors: kubectlBehaviors } })).impersonation).toEqual({
      user: "joe",
      groups: ["a", "b"],
      extra: {},
    });
    expect(await codeOf({ env, files: files("as-groups: [dev]"), access: { behaviors: kubectlBehaviors } })).toContain(
      "but no as",
    );
  });
});

describe("an account", () => {
  test("is the pod's if there is no kubeconfig", async () => {
    const directory = "/var/run/secrets/kubernetes.io/serviceaccount";
    const files = {
      [`${directory}/token`]: "sa-token\n",
      [`${directory}/namespace`]: "sa-ns",
      [`${directory}/ca.crt`]: "CA",
    };
    const found = await account({ files });
    expect(found).toMatchObject({ token: "sa-token", namespace: "sa-ns" });
    expect(found.authority?.at(-1)?.file).toBe(`${directory}/ca.crt`);
    const env = { KUBERNETES_AUTH_TRYSERVICEACCOUNT: "false" };
    expect((await account({ files, env })).token).toBeUndefined();
  });

  test("is overridden by the environment, and that by settings", async () => {
    const env = {
      KUBERNETES_AUTH_TOKEN: "env-token",
      KUBERNETES_NAMESPACE: "env-ns",
      KUBERNETES_CERTS_CA_FILE: "/env-ca",
      KUBERNETES_TRUST_CERTIFICATES: "true",
      KUBERNETES_AUTH_BASIC_USERNAME: "",
    };
    const found = await account({ env });
    expect(found).toMatchObject({
      token: "env-token",
      namespace: "env-ns",
      trustsAll: true,
      basic: undefined,
    });
    const set = await account({ env, access: { oauthToken: "set", caCertFile: "/set-ca" } });
    expect(set.token).toBe("set");
    expect(set.authority?.map(({ file }) => file)).toEqual(["/set-ca", "/env-ca", `${home}/.kube/ca.pem`]);
    expect((await account({ env: { KUBERNETES_AUTH_TRYKUBECONFIG: "false" } })).token).toBeUndefined();
    const alone = await account({ env, access: { caCertFile: "/set-ca", behaviors: kubectlBehaviors } });
    expect(alone.authority).toEqual([{ file: "/set-ca" }]);
    const inherited = await account({ access: { behaviors: kubectlBehaviors, context: "second" } });
    expect(inherited.authority).toEqual([{ data: "Q0E=", file: undefined }]);
  });

  test("reads a token file with or without its last newline, and rejects a missing file, and a token as well as a file", async () => {
    const files = { "/tok": "filetoken\n" };
    expect((await account({ files, access: { oauthTokenFile: "/tok" } })).token).toBe("filetoken\n");
    const trimmed = await account({ files, access: { oauthTokenFile: "/tok", behaviors: kubectlBehaviors } });
    expect(trimmed.token).toBe("filetoken");
    expect(await codeOf({ access: { oauthTokenFile: "/none" } })).toMatch(/^SUBMIT_ERR_KUBE_AUTH_FILE .*\/none/);
    expect(await codeOf({ files, access: { oauthTokenFile: "/tok", oauthToken: "t" } })).toBe(
      "SUBMIT_ERR_KUBE_AUTH_CONFLICT requirement failed: Cannot specify OAuth token through both a file p.authenticate.oauthTokenFile and a value p.authenticate.oauthToken.",
    );
  });
});
