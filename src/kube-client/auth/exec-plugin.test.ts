import { describe, expect, test } from "vitest";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { TestChild } from "../../host/test-children.ts";
import { type TestHostOptions, testHost } from "../../host/test-host.ts";
import { kubectlBehaviors, sparkBehaviors } from "../test-behaviors.ts";
import type { Account } from "./account.ts";
import type { UserAccess } from "./user-access.ts";
import { readUserAccount } from "./user-account.ts";

const group = "client.authentication.k8s.io";

/** A kubeconfig in /kube whose user is known by a program. */
function kubeconfig(exec: object = {}, user: object = {}): string {
  const plugin = { apiVersion: `${group}/v1`, command: "plugin", interactiveMode: "Never", ...exec };
  return JSON.stringify({
    "current-context": "x",
    contexts: [{ name: "x", context: { user: "u", cluster: "c" } }],
    clusters: [
      {
        name: "c",
        cluster: {
          "certificate-authority-data": "Q0E=",
          extensions: [{ name: `${group}/exec`, extension: { audience: 7, tags: ["a"] } }],
        },
      },
    ],
    users: [{ name: "u", user: { exec: plugin, ...user } }],
  });
}

function credential(status: object, version = "v1"): string {
  return JSON.stringify({ kind: "ExecCredential", apiVersion: `${group}/${version}`, status });
}

interface PluginCase extends TestHostOptions {
  readonly exec?: object;
  readonly user?: object;
  readonly access?: Partial<UserAccess>;
  readonly play?: (child: TestChild) => void;
}

function userOf({ exec, user, access, play = () => {}, ...rest }: PluginCase = {}) {
  const host = testHost({
    env: { PATH: "/bin:/opt/bin", KUBECONFIG: "/kube/config", ...rest.env },
    files: {
      "/kube/config": kubeconfig(exec, user),
      "/opt/bin/plugin": { content: "", mode: 0o755 },
      "/kube/tools/plugin": { content: "", mode: 0o755 },
      "/bin/plugin": "not for running",
    },
    spawn: play,
    ...(rest.terminal === undefined ? {} : { terminal: rest.terminal }),
  });
  const logged: string[] = [];
  const read = (refused?: Account) =>
    readUserAccount(
      host,
      {
        ...{ kind: "user", settingPrefix: "p", trustCertificates: false, behaviors: kubectlBehaviors },
        traits: {
          ...{ mergesKubeconfigs: true, unknownContextFallsBack: true, kubeconfigMayTrustAll: true },
          failingExecPluginStops: false,
        },
        ...access,
      },
      { server: new URL("https://api:6443"), refused, log: (_, __, text) => logged.push(text) },
    );
  return { host, logged, read };
}

function answering(output: string, code = 0, error = "") {
  return (child: TestChild) => {
    child.write(1, output);
    child.write(2, error);
    child.exit(code);
  };
}

async function failureOf(plugin: PluginCase) {
  const error: unknown = await userOf(plugin)
    .read()
    .catch((reason: unknown) => reason);
  if (!isSubmitError(error)) return { code: "none", message: "", hint: "" };
  return { code: error.code, message: error.message, hint: error.issues[0].hint };
}

describe("a credential program", () => {
  test("is found in PATH, receives the request, and returns a token", async () => {
    const { host, read } = userOf({
      exec: { args: ["get", "7"], env: [{ name: "PROFILE", value: "dev" }] },
      play: answering(credential({ token: "t" })),
    });
    expect((await read()).token).toBe("t");
    const [child] = host.children;
    expect(child).toMatchObject({ command: "/opt/bin/plugin", args: ["get", "7"] });
    expect(child?.options.env?.["PROFILE"]).toBe("dev");
    expect(child?.options.env?.["PATH"]).toBe("/bin:/opt/bin");
    expect(JSON.parse(child?.options.env?.["KUBERNETES_EXEC_INFO"] ?? "")).toEqual({
      kind: "ExecCredential",
      apiVersion: `${group}/v1`,
      spec: { interactive: false },
    });
  });

  test("with a slash in its name is relative to the kubeconfig, and receives cluster data if configured", async () => {
    const { host, read } = userOf({
      exec: { command: "tools/plugin", provideClusterInfo: true, apiVersion: `${group}/v1beta1` },
      play: answering(credential({ token: "t" }, "v1beta1")),
    });
    await read();
    expect(host.children[0]?.command).toBe("/kube/tools/plugin");
    const info = JSON.parse(host.children[0]?.options.env?.["KUBERNETES_EXEC_INFO"] ?? "");
    expect(info.spec.cluster).toEqual({
      server: "https://api:6443",
      "certificate-authority-data": "Q0E=",
      config: { audience: 7, tags: ["a"] },
    });
  });

  test("returns a certificate, also in YAML, which beats the kubeconfig's", async () => {
    const yaml = `kind: ExecCredential\napiVersion: ${group}/v1\nstatus:\n  clientCertificateData: "-----BEGIN C"\n  clientKeyData: "-----BEGIN K"\n`;
    const account = await userOf({ play: answering(yaml) }).read();
    expect(account).toMatchObject({
      certificate: [{ data: "-----BEGIN C" }],
      key: [{ data: "-----BEGIN K" }],
    });
  });

  test("runs once until its credential expires or is rejected", async () => {
    let number = 0;
    const { host, read } = userOf({
      play: (child) => {
        number += 1;
        const expirationTimestamp = number === 1 ? "2026-01-02T03:05:05Z" : undefined;
        answering(credential({ token: `t${number}`, expirationTimestamp }))(child);
      },
    });
    const first = await read();
    expect(first).toMatchObject({ token: "t1", validUntil: Date.UTC(2026, 0, 2, 3, 5, 5) });
    expect((await read()).token).toBe("t1");
    await host.advance(60_000);
    const second = await read();
    expect(second.token).toBe("t2");
    expect((await read(first)).token).toBe("t2");
    expect((await read(second)).token).toBe("t3");
    expect(host.children).toHaveLength(3);
  });

  test.each([{ user: { token: "t" } }, { user: { username: "u" } }, { user: { "client-certificate": "c" } }])(
    "is not run where the kubeconfig knows better: %o",
    async ({ user }) => {
      const { host, read } = userOf({ user });
      await read();
      expect(host.children).toEqual([]);
    },
  );

  test("beats the kubeconfig's token with Spark's behavior", async () => {
    const play = answering(credential({ token: "asked" }));
    const { read } = userOf({ user: { token: "t" }, access: { behaviors: sparkBehaviors }, play });
    expect((await read()).token).toBe("asked");
  });

  test("does not run if a setting has a token", async () => {
    const { host, read } = userOf({ access: { oauthToken: "set" } });
    expect((await read()).token).toBe("set");
    expect(host.children).toEqual([]);
  });

  test("may prompt only at a terminal", async () => {
    const play = answering(credential({ token: "t" }));
    const some = userOf({ terminal: true, exec: { interactiveMode: "IfAvailable" }, play });
    await some.read();
    expect(some.host.children[0]?.options).toMatchObject({ stdin: "inherit", stderr: "inherit" });
    const none = userOf({ exec: { interactiveMode: "IfAvailable" }, play });
    await none.read();
    expect(none.host.children[0]?.options).toMatchObject({ stdin: "ignore", stderr: "pipe" });
    expect((await failureOf({ exec: { interactiveMode: "Always" } })).message).toContain("stdin is not a terminal");
  });

  test("shows its stderr at a terminal, without control characters", async () => {
    const play = answering(credential({ token: "t" }), 0, "code ABC\u001b[2J\n");
    const { host, read } = userOf({ terminal: true, play });
    await read();
    expect(host.errorText()).toBe("code ABC\\u001b[2J\n");
  });
});

describe("a credential program that fails", () => {
  test("with a long output is reported in a moment", async () => {
    for (const stderr of [
      "a".repeat(1_000_000),
      "token".repeat(200_000),
      "://".repeat(300_000),
      "\r".repeat(1_000_000),
    ])
      expect((await failureOf({ play: answering("", 3, stderr) })).message.length).toBeLessThan(2500);
  });

  test("is reported with exit status and last lines, secrets redacted", async () => {
    const stderr = "one\ntwo\nthree\nfour\nfive\npassword=hunter2 Bearer abc.def\nenvsecret\n";
    const { code, message, hint } = await failureOf({
      exec: { env: [{ name: "X", value: "envsecret" }] },
      play: answering("", 3, stderr),
    });
    expect(code).toBe("SUBMIT_ERR_KUBE_AUTH_EXEC");
    expect(message).toBe(
      "The credential plugin plugin of the kubeconfig's user u ended with exit status 3: three / four / five / password=*********(redacted) Bearer *********(redacted) / *********(redacted)",
    );
    expect(hint).toContain("Run it yourself");
  });

  test("that is not installed reports how to install it", async () => {
    const missing = await failureOf({ exec: { command: "aws", installHint: "brew install aws\u001b" } });
    expect(missing.message).toMatch(/is not installed$/);
    expect(missing.hint).toBe("brew install aws\\u001b");
    expect((await failureOf({ exec: { command: "./no" } })).hint).toContain("Install it");
  });

  test("is ended after its time limit", async () => {
    const { host, read } = userOf();
    const failed = expect(read()).rejects.toThrow("did not end within 60 s");
    await host.settle(failed);
    expect(host.children[0]?.signals).toEqual(["SIGTERM"]);
  });

  test.each([
    [{}, credential({ token: "t" }, "v1beta1"), "responded with version client.authentication.k8s.io/v1beta1"],
    [{ apiVersion: `${group}/v1alpha1` }, "", "is asked in the version client.authentication.k8s.io/v1alpha1"],
    [{ apiVersion: "" }, "", "is asked in the version (none)"],
    [{ interactiveMode: "Sometimes" }, "", "unknown interactiveMode Sometimes"],
    [{}, "s3cret", "gave no ExecCredential"],
    [{}, credential({}), "gave neither token nor certificate"],
    [{}, credential({ clientKeyData: "s3cret" }), "gave only one of certificate and key"],
    [{}, credential({ token: "s3cret", expirationTimestamp: "soon" }), "is not a time: soon"],
    [{}, JSON.stringify({ kind: "ExecCredential", apiVersion: `${group}/v1` }), "without status"],
  ])("%o is rejected: %s", async (exec, output, problem) => {
    const { message } = await failureOf({ exec, play: answering(output) });
    expect(message).toContain(problem);
    expect(message).not.toContain("s3cret");
  });

  test("is ignored where Spark's client ignores it", async () => {
    const asSpark = (failingExecPluginStops: boolean, play: (child: TestChild) => void) =>
      userOf({
        access: {
          behaviors: sparkBehaviors,
          traits: {
            ...{ mergesKubeconfigs: true, unknownContextFallsBack: true, kubeconfigMayTrustAll: true },
            failingExecPluginStops,
          },
        },
        play,
      });
    const failing = answering("", 3, "nope");
    const passed = asSpark(false, failing);
    expect((await passed.read()).token).toBeUndefined();
    expect(passed.logged[0]).toContain("exit status 3: nope");
    await expect(asSpark(true, failing).read()).rejects.toThrow("exit status 3");
    const other = answering(credential({ token: "t" }, "v1alpha1"));
    expect((await asSpark(true, other).read()).token).toBeUndefined();
  });
});
