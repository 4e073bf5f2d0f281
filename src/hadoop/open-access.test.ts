import { describe, expect, test } from "vitest";
import type { ChildScript } from "../host/test-children.ts";
import { type TestHostOptions, testHost } from "../host/test-host.ts";
import { hadoopConf } from "../values/hadoop-conf.ts";
import { openAccess } from "./open-access.ts";
import { testWeb } from "./test-web.ts";

const secure = { "hadoop.security.authentication": "KERBEROS" };
const login = { principal: "ann@EXAMPLE.COM", keytab: "/k" };

/** Programs of a machine, each with its exit code and output. */
function programs(
  outputs: Readonly<Record<string, readonly [code: number, stdout: string, stderr?: string]>>,
): ChildScript {
  return (child) => {
    const output = outputs[child.command];
    if (output === undefined) return "missing";
    const [code, stdout, stderr = ""] = output;
    child.write(1, stdout);
    child.write(2, stderr);
    child.exit(code);
    return undefined;
  };
}

const curl = [0, "curl 8\nFeatures: GSS-API SPNEGO\n"] as const;

function open(
  options: TestHostOptions,
  choice: { site?: Readonly<Record<string, string>>; login?: typeof login; proxied?: string } = {},
) {
  const { site = secure, ...rest } = choice;
  const host = testHost({ user: { name: "tester", uid: 7 }, ...options });
  const conf = hadoopConf(new Map(Object.entries(site)), { env: {}, system: {} });
  return {
    host,
    access: host.settle(openAccess(host, { conf, connections: testWeb(() => ({})).connections, ...rest })),
  };
}

describe("access to Hadoop", () => {
  test("sends the name of the user without Kerberos", async () => {
    const { access } = open({ env: { HADOOP_USER_NAME: "ann" } }, { site: {}, proxied: "bob" });
    expect((await access).user).toEqual({ name: "ann", proxied: "bob" });
    expect((await open({}, { site: {} }).access).user.name).toBe("tester");
  });

  test("with Kerberos is that of the ticket", async () => {
    const klist = [0, "Ticket cache: KCM:7\nDefault principal: ann/admin@EXAMPLE.COM\n"] as const;
    const { access } = open({ env: { KRB5CCNAME: "KCM:7" }, spawn: programs({ curl, klist }) });
    expect((await access).user).toMatchObject({ name: "ann", authentication: "kerberos" });
  });

  test("with a keytab gets tickets into a directory of its own, which it removes", async () => {
    const { host, access } = open({ files: { "/k": "K" }, spawn: programs({ curl, kinit: [0, ""] }) }, { login });
    const opened = await access;
    expect(opened.user.name).toBe("ann");
    const kinit = host.children.find(({ command, args }) => command === "kinit" && args.includes("-k"));
    expect(kinit?.args).toEqual(["-k", "-t", "/k", "ann@EXAMPLE.COM"]);
    const [, directory = ""] = /^FILE:(.*)\/tickets$/.exec(kinit?.options.env?.["KRB5CCNAME"] ?? "") ?? [];
    expect(host.files.info(directory)?.kind).toBe("directory");
    opened.close();
    expect(host.files.info(directory)).toBeUndefined();
  });

  test.each<
    [string, TestHostOptions, { site?: Readonly<Record<string, string>>; login?: typeof login }, string, string]
  >([
    ["neither package nor programs", {}, {}, "SUBMIT_ERR_KERBEROS_MISSING", "nor its replacement, curl"],
    [
      "a curl without Kerberos",
      { files: { "/k": "K" }, spawn: programs({ curl: [0, "curl 8\nFeatures: IPv6\n"] }) },
      { login },
      "SUBMIT_ERR_KERBEROS_MISSING",
      "nor its replacement, kinit and curl",
    ],
    ["no ticket", { spawn: programs({ curl }) }, {}, "SUBMIT_ERR_KERBEROS_LOGIN", "No credentials cache found."],
    [
      "a keytab that the KDC does not accept",
      {
        files: { "/k": "K" },
        spawn: programs({
          curl,
          kinit: [
            1,
            "",
            "kinit: Client 'ann@EXAMPLE.COM' not found in Kerberos database while getting initial credentials",
          ],
        }),
      },
      { login },
      "SUBMIT_ERR_KERBEROS_LOGIN",
      "failed for ann@EXAMPLE.COM: Client 'ann@EXAMPLE.COM' not found in Kerberos database",
    ],
    [
      "a missing keytab",
      {},
      { login },
      "SUBMIT_ERR_FILE_UNREADABLE",
      "the Kerberos keytab: /k (No such file or directory)",
    ],
    [
      "a principal without a rule",
      {
        files: { "/k": "K", "/etc/krb5.conf": "[libdefaults]\n  default_realm = OTHER.COM\n" },
        spawn: programs({ curl, kinit: [0, ""] }),
      },
      { login },
      "SUBMIT_ERR_KERBEROS_USER",
      "The principal ann@EXAMPLE.COM has no user name: no rule of hadoop.security.auth_to_local applies.",
    ],
    [
      "a malformed rule",
      { files: { "/k": "K" }, spawn: programs({ curl, kinit: [0, ""] }) },
      { login, site: { ...secure, "hadoop.security.auth_to_local": "RULE:x" } },
      "SUBMIT_ERR_KERBEROS_USER",
      '"RULE:x" is not a rule',
    ],
  ])("is rejected with %s", async (_, options, choice, code, message) => {
    const { host, access } = open(options, choice);
    await expect(access).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(host.files.list(host.files.temporaryRoot) ?? []).toEqual([]);
  });
});
