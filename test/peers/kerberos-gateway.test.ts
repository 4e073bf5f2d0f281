import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { run } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { describeWith, requires } from "../test-with.ts";
import { fetchKerberosPackage } from "./fetch-peer.ts";
import { expiredTicket, type KerberosRealm, startRealm } from "./kerberos-realm.ts";

const gssapi = fetchKerberosPackage();
const packages = () => join(available(gssapi).directory, "node_modules");
const user = "ann@FIRESTEEL.TEST";

describeWith("the MIT KDC")("a REST gateway that requires Kerberos", { timeout: 120_000 }, () => {
  let realm: KerberosRealm;
  beforeAll(async () => {
    realm = await startRealm();
  });
  beforeEach((context) => requires(gssapi)(context));
  afterAll(() => realm?.stop());

  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    KRB5_CONFIG: realm.configuration,
    KRB5CCNAME: `FILE:${realm.directory}/none`,
    FIRESTEEL_SPARK_VERSION: "4.3.0",
    ...more,
  });

  async function startGateway(...args: readonly string[]) {
    const host = args[0] ?? "127.0.0.1";
    const env = {
      ...process.env,
      ...{ NODE_PATH: packages(), KRB5_CONFIG: realm.configuration, KRB5_KTNAME: realm.serverKeytab },
    };
    const program = join(import.meta.dirname, "negotiating-gateway.mjs");
    const child = spawn(process.execPath, [program, host, ...args.slice(1)], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill());
    let output = "";
    const port = await new Promise<string>((resolve) => {
      child.stdout.on("data", (chunk) => {
        output += chunk;
        const [, found] = /^port (\d+)$/m.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      });
    });
    const call = (args: readonly string[], env: Readonly<Record<string, string>>, name = "localhost") =>
      run("spark-submit", ["--master", `spark://${name}:${port}`, "--deploy-mode", "cluster", ...args], {
        env: environment(env),
      });
    const application = ["--conf", "spark.master.rest.enabled=true", "--class", "org.example.Main", "hdfs:///app.jar"];
    return {
      /** Lines of the accepted requests. */
      accepted: () => output.split("\n").filter((line) => line !== "" && !line.startsWith("port ")),
      operate: call,
      submit: (
        env: Readonly<Record<string, string>>,
        { args = [], name }: { args?: readonly string[]; name?: string } = {},
      ) => call([...args, ...application], env, name),
    };
  }

  const keytabArgs = () => ["--principal", "ann", "--keytab", realm.keytab("ann")];

  test("accepts a submission, its status and its end with a ticket, by curl", async () => {
    const { submit, operate, accepted } = await startGateway();
    const ticket = { KRB5CCNAME: realm.ticket("ann") };
    const submitted = await submit(ticket);
    expect(submitted.exit, submitted.stderr).toBe(0);
    const id = "driver-20260101000000-0000";
    for (const operation of ["--status", "--kill"]) {
      const { exit, stderr } = await operate([operation, id], ticket);
      expect(exit, stderr).toBe(0);
    }
    expect(accepted()).toEqual([
      `${user} POST /v1/submissions/create`,
      `${user} GET /v1/submissions/status/${id}`,
      `${user} GET /v1/submissions/status/${id}`,
      `${user} POST /v1/submissions/kill/${id}`,
    ]);
  });

  test("accepts a submission with a keytab, by kinit and curl", async () => {
    const { submit, accepted } = await startGateway();
    const { exit, stderr } = await submit({}, { args: keytabArgs() });
    expect(exit, stderr).toBe(0);
    expect(accepted()[0]).toBe(`${user} POST /v1/submissions/create`);
  });

  test("proves its identity to the package kerberos", async () => {
    const { submit, accepted } = await startGateway();
    const { exit, stderr } = await submit({ KRB5CCNAME: realm.ticket("ann"), NODE_PATH: packages() });
    expect(exit, stderr).toBe(0);
    expect(accepted()[0]).toBe(`${user} POST /v1/submissions/create`);
  });

  test("is not trusted with a forged proof", async () => {
    const { submit } = await startGateway("127.0.0.1", "forge");
    const { exit, stderr } = await submit({ KRB5CCNAME: realm.ticket("ann"), NODE_PATH: packages() });
    expect(exit).toBe(1);
    expect(stderr).toContain("at localhost: the server did not prove its identity: ");
    expect(stderr.match(/Error:/g)).toHaveLength(1);
  });

  describe("accepts nothing, and the submission ends with one error,", () => {
    test.each([
      ["without a ticket", () => ({}), "The Kerberos login failed for the ticket cache", "localhost"],
      [
        "with an expired ticket",
        () => ({ KRB5CCNAME: expiredTicket(realm, "ann") }),
        "at localhost: Ticket expired.",
        "localhost",
      ],
      ["with a ticket for another service", () => ({ KRB5CCNAME: realm.ticket("ann") }), "HTTP 401", "127.0.0.1"],
      [
        "without a principal of its host",
        () => ({ KRB5CCNAME: realm.ticket("ann") }),
        "Server HTTP/127.0.0.2@FIRESTEEL.TEST not found in Kerberos database",
        "127.0.0.2",
      ],
    ] as const)("%s", async (_, env, message, name) => {
      const { submit, accepted } = await startGateway(name === "127.0.0.2" ? name : "127.0.0.1");
      const { exit, stderr } = await submit(env(), { name });
      expect(exit).toBe(1);
      expect(stderr).toContain(message);
      expect(stderr.match(/Error:/g)).toHaveLength(1);
      expect(accepted()).toEqual([]);
    });
  });
});
