import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type DelegationToken, parseTokenIdentifier, parseTokenStorage } from "../../src/values/delegation-token.ts";
import { type Outcome, root, run } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith, requires, testWith } from "../test-with.ts";
import { fetchKerberosPackage } from "./fetch-peer.ts";
import { kerberosForTests } from "./kerberos-hadoop.ts";
import { expiredTicket, hadoopPrincipal, type KerberosRealm } from "./kerberos-realm.ts";
import { fileOf, keptContainers, type MiniHadoop } from "./mini-hadoop.ts";
import { interruptAtApi, remoteUrlsIn, submitToApi, tokensIn } from "./submit-to-api.ts";
import { defaultArgs, environmentOf, idIn } from "./yarn-applications.ts";

const spark = sparkOf("4.3");
const gssapi = fetchKerberosPackage();

const job = [
  "import sys",
  "from pyspark.sql import SparkSession",
  "spark = SparkSession.builder.getOrCreate()",
  'spark.range(100).write.mode("overwrite").csv(sys.argv[1])',
  'print("rows", spark.read.csv(sys.argv[1]).count())',
  "spark.stop()",
];

describeWith("the MIT KDC")("a realm with HDFS and YARN", {}, () => {
  const kerberos = kerberosForTests(spark, keptContainers);
  let realm: KerberosRealm;
  let hadoop: MiniHadoop;
  beforeEach(() => {
    realm = kerberos.realm();
    hadoop = kerberos.hadoop();
  });

  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    ...environmentOf(hadoop, available(spark)),
    ...kerberos.environment(more),
  });
  const withPackage = () => ({ NODE_PATH: join(available(gssapi).directory, "node_modules") });
  const yarnArgs = (args: readonly string[], { home } = available(spark)) => {
    const option = `-Djava.security.krb5.conf=${realm.configuration}`;
    const options = ["driver", "executor"].flatMap((role) => ["--conf", `spark.${role}.extraJavaOptions=${option}`]);
    return [...defaultArgs({ home }), ...options, ...args];
  };
  const submit = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
    run("spark-submit", yarnArgs(args), { env: environment(env) });
  const keytabArgs = (principal = "ann") => ["--principal", principal, "--keytab", realm.keytab("ann")];
  const jobFile = () => fileOf(hadoop.directory, "job.py", job.join("\n"));

  describe("an application on YARN reads and writes HDFS", () => {
    test.each([
      ["with a ticket, by curl", "ann", () => [], () => ({ KRB5CCNAME: realm.ticket("ann") })],
      ["with a keytab, by kinit and curl", "ann", () => keytabArgs(), () => ({})],
      ["as another user", "bob", () => ["--proxy-user", "bob"], () => ({ KRB5CCNAME: realm.ticket("ann") })],
    ] as const)("%s", async (_, user, args, env) => {
      const ended = await submit([...args(), jobFile(), `/user/${user}/out`], env());
      expect(ended.exit, ended.stderr).toBe(0);
      expect(ended.stderr).toMatch(new RegExp(`\n\t user: ${user}\n`));
      const appId = idIn(ended);
      expect(hadoop.logsOf(appId, "stdout")).toContain("rows 100\n");
      const [token] = tokensOf(hadoop, appId).filter(({ kind }) => kind === "HDFS_DELEGATION_TOKEN");
      expect(parseTokenIdentifier(token?.identifier ?? new Uint8Array())).toMatchObject({
        ...{ owner: user, renewer: hadoopPrincipal.replace(/\/.*/, "") },
      });
      expect(token?.service).toMatch(/^127\.0\.0\.1:\d+$/);
    });

    testWith(gssapi)("with a keytab, by the package kerberos", async () => {
      const ended = await submit([...keytabArgs(), jobFile(), "/user/ann/out"], withPackage());
      expect(ended.exit, ended.stderr).toBe(0);
    });
  });

  test.for(["4.3", "3.5"])("Apache's client of Spark %s starts the same container", async (line, context) => {
    requires(sparkOf(line))(context);
    const here = available(sparkOf(line));
    const env = { ...environment({ KRB5CCNAME: realm.ticket("ann") }), ...environmentOf(hadoop, here) };
    const args = yarnArgs(
      ["--conf", "spark.app.submitTime=1", fileOf(hadoop.directory, "none.py", "import sys\nsys.exit(3)\n")],
      here,
    );
    const firesteel = await run("spark-submit", args, { env });
    const javaOptions = `-Djava.security.krb5.conf=${realm.configuration}`;
    const apache = spawnSync(join(here.home, "bin", "spark-submit"), args, {
      ...{ encoding: "utf8", env: { ...process.env, ...env, SPARK_SUBMIT_OPTS: javaOptions } },
    });
    const started = (id: string) =>
      ["launch_container.sh", ...["conf", "dist_cache"].map((name) => `__spark_conf__/__spark_${name}__.properties`)]
        .flatMap((path) => hadoop.containerFile(id, path).split("\n"))
        .filter((line) => !line.startsWith("#") && !line.includes("LOCALIZATION_COUNTERS"))
        .map((line) => line.replaceAll(id.replace("application", ""), "_ID").replaceAll(/\b\d{13}\b/g, "TIME"))
        .map((line) => line.replaceAll(/\/filecache\/\d+\//g, "/filecache/").replace(/(\.sizes=.*),\d+$/, "$1"))
        .sort();
    expect(started(idIn(firesteel))).toEqual(started(idIn(apache)));
  });

  test.each([
    ["without a ticket", () => [], () => ({}), "No credentials cache found"],
    [
      "with an expired ticket",
      () => [],
      () => ({ KRB5CCNAME: expiredTicket(realm, "ann") }),
      "at localhost: Ticket expired.\nHint: Get a new ticket: kinit.",
    ],
    ["with a principal that the keytab does not have", () => keytabArgs("eve"), () => ({}), "no suitable keys for eve"],
    [
      "without a KDC",
      () => keytabArgs(),
      async () => ({ KRB5_CONFIG: await realm.withoutKdc() }),
      "Cannot contact any KDC for realm 'FIRESTEEL.TEST'.\nHint: Check kdc of the realm",
    ],
  ] as const)("a submission %s ends with one error and leaves nothing", async (_, args, env, message) => {
    const ended = await submit([...args(), jobFile(), "/user/ann/out"], await env());
    expect(ended).toMatchObject({ exit: 1 });
    expect(ended.stderr).toContain("Error: The Kerberos login failed for ");
    expect(ended.stderr).toContain(message);
    expect(ended.stderr.match(/Error:/g)).toHaveLength(1);
    expect(ended.stderr).not.toContain("Application ID is assigned");
  });

  test("a submission with a keytab that it cannot read ends with one error", async () => {
    for (const directory of [realm.directory, hadoop.directory]) chmodSync(directory, 0o755);
    for (const user of ["ann", "bob"]) chmodSync(realm.keytab(user), 0o600);
    const program = join(root, "dist", "bin", "spark-submit.cjs");
    const other = ["--reuid=1000", "--regid=1000", "--clear-groups", process.execPath, program];
    const args = yarnArgs([...keytabArgs(), jobFile(), "/user/ann/out"]);
    const { PATH } = process.env;
    // The user cannot read the distribution of the tests.
    const inImage = { PYSPARK_ARCHIVES_PATH: "local:/opt/pyspark.zip,local:/opt/py4j-src.zip" };
    const env = { PATH, ...kerberos.environment(), ...inImage, FIRESTEEL_SPARK_VERSION: available(spark).version };
    const { status, stderr } = spawnSync("setpriv", [...other, ...args], { encoding: "utf8", env });
    expect(status).toBe(1);
    expect(stderr).toMatch(/Error: Cannot read the file of .*keytab.* \(.*permission denied/i);
    expect(stderr.match(/Error:/g)).toHaveLength(1);
  });

  testWith("faketime")("a submission with another time ends with one error", async () => {
    const { stdout } = spawnSync("faketime", ["-f", "+20m", "printenv", "LD_PRELOAD"], { encoding: "utf8" });
    const fake = { LD_PRELOAD: stdout.trim(), FAKETIME: "+20m", DONT_FAKE_MONOTONIC: "1" };
    const ended = await submit([jobFile(), "/user/ann/out"], { KRB5CCNAME: realm.ticket("ann"), ...fake });
    expect(ended).toMatchObject({ exit: 1 });
    expect(ended.stderr).toContain("at localhost: Clock skew too great.\nHint: Set the clocks");
    expect(ended.stderr.match(/Error:/g)).toHaveLength(1);
  });

  test("a driver on Kubernetes gets tokens in a Secret, and its files from HDFS", async () => {
    const upload = ["--conf", "spark.kubernetes.file.upload.path=hdfs:///user/ann/up"];
    const submitted = await submitToApi([...upload, jobFile()], environment({ KRB5CCNAME: realm.ticket("ann") }));
    expect(submitted.exit, submitted.stderr).toBe(0);
    expect(submitted.stderr).toMatch(/Uploading file: \S+job\.py to dest: hdfs:\S+/);
    expect([...tokensIn(submitted)].map(([alias, { kind, service }]) => [alias === service, kind])).toEqual([
      [true, "HDFS_DELEGATION_TOKEN"],
    ]);
    const properties = JSON.stringify(submitted.objects.filter(({ kind }) => kind === "ConfigMap"));
    expect(properties).toContain("spark.hadoop.yarn.resourcemanager.principal=ann");
  });

  describe("the tokens of an interrupted submission are cancelled: those", () => {
    const remote = [
      "spark.firesteel.staging.remoteFiles=initContainer",
      "spark.firesteel.staging.initContainer.image=i",
    ];
    const args = () => [...remote.flatMap((setting) => ["--conf", setting]), "--files", "hdfs:///user/ann/remote.txt"];

    test.each([
      ["of the driver", () => [], () => ({ KRB5CCNAME: realm.ticket("ann") })],
      // A driver with a keytab gets no tokens.
      ["of the init container", () => keytabArgs(), () => ({})],
    ] as const)("%s", async (_, login, env) => {
      const file = fileOf(hadoop.directory, "remote.txt", "remote\n");
      kerberos.request("/user/ann/remote.txt?op=CREATE&overwrite=true", ["--fail", "--upload-file", file]);
      let url = "";
      const all = [...login(), ...args(), "local:///opt/job.py"];
      const { stderr, objects } = await interruptAtApi(all, environment(env()), async (created) => {
        [url = ""] = remoteUrlsIn(created);
        expect(await (await fetch(url)).text()).toBe("remote\n");
      });
      expect(objects, stderr).toEqual([]);
      const later = await fetch(url);
      expect([later.status, await later.text()]).toEqual([403, expect.stringContaining("InvalidToken")]);
    });
  });
});

/** Returns the tokens of a driver's container. */
function tokensOf({ directory }: MiniHadoop, appId: string): readonly DelegationToken[] {
  const suffix = `${appId.replace("application", "container")}_01_000001.tokens`;
  const path = readdirSync(directory, { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith(`/${suffix}`),
  );
  if (path === undefined) throw new Error(`${suffix} is not kept`);
  return [...parseTokenStorage(readFileSync(join(directory, path))).tokens.values()];
}
