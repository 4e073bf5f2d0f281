import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KubeResource } from "../../src/kube/types.ts";
import { apiNamespaces, type TestNamespace } from "./api-namespaces.ts";
import type { RecordedRequest } from "./fault-proxy.ts";
import { type Outcome, run, temporaryDirectory } from "./programs.ts";

/** Values that only their place of use may show. */
const secrets = {
  submissionToken: "planted-01-x7q",
  driverToken: "planted-02-x7q",
  keyStorePassword: "planted-03-x7q",
  s3aKey: "planted-04-x7q",
  awsKey: "planted-05-x7q",
  awsToken: "planted-06-x7q",
  proxyPassword: "planted-07-x7q",
  repositoryPassword: "planted-08-x7q",
  fileUrlPassword: "planted-09-x7q",
  argumentPassword: "planted-10-x7q",
  javaOption: "planted-11-x7q",
  mavenPassword: "planted-12-x7q",
} as const;

/** Secrets that authenticate the submitting client: no object in the cluster may have them. */
const ownSecrets = [
  ...[secrets.submissionToken, secrets.awsKey, secrets.awsToken, secrets.proxyPassword],
  secrets.mavenPassword,
];

const settings = [
  `spark.kubernetes.authenticate.submission.oauthToken=${secrets.submissionToken}`,
  `spark.kubernetes.authenticate.driver.oauthToken=${secrets.driverToken}`,
  `spark.ssl.keyStorePassword=${secrets.keyStorePassword}`,
  `spark.hadoop.fs.s3a.secret.key=${secrets.s3aKey}`,
];

/** Creates a home directory with Maven's settings and a properties file. */
function newHome(): string {
  const home = temporaryDirectory();
  writeFileSync(join(home, "spark.conf"), `spark.hadoop.fs.azure.account.key ${secrets.s3aKey}\n`);
  writeFileSync(join(home, "app.py"), "print(1)\n");
  return home;
}

function environment(home: string, more: Readonly<Record<string, string>>) {
  return {
    ...{ HOME: home, XDG_CACHE_HOME: join(home, "cache"), TMPDIR: join(home) },
    ...{ AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: secrets.awsKey, AWS_SESSION_TOKEN: secrets.awsToken },
    SPARK_SUBMIT_OPTS: `-Dserver.password=${secrets.javaOption}`,
    ...more,
  };
}

/** Expects no secret in the output of a program and in the files that it has left. */
function expectNoSecrets({ stdout, stderr }: Outcome, home: string): void {
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !["spark.conf", "settings.xml"].includes(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  for (const [name, secret] of Object.entries(secrets)) {
    for (const [location, text] of [
      ["stdout", stdout],
      ["stderr", stderr],
      ...files.map((text) => ["a file", text] as const),
    ]) {
      expect(
        text.includes(secret),
        `${name} in ${location}: ${text.slice(Math.max(0, text.indexOf(secret) - 200))}`,
      ).toBe(false);
    }
  }
}

function expectNoSecretsIn(objects: readonly KubeResource[]): void {
  for (const object of objects) {
    const text = JSON.stringify(object);
    const forbidden = [...ownSecrets, ...(object.kind === "Secret" ? [] : [secrets.driverToken])];
    for (const secret of forbidden) {
      const encoded = Buffer.from(secret).toString("base64");
      expect(
        text.includes(secret) || text.includes(encoded),
        `${secret} in ${object.kind} ${object.metadata.name}`,
      ).toBe(false);
    }
  }
}

const rejecting = (status: 403 | 500) => (visit: RecordedRequest) =>
  visit.method === "POST" && /\/pods(\?|$)/.test(visit.path)
    ? { status, message: "rejected", reason: "Forbidden" }
    : "pass";

describe.each([{}, { FIRESTEEL_STRICT: "1" }])("no secret leaves its place, with environment %j:", (mode) => {
  const api = apiNamespaces(`secrets${Object.keys(mode).length}`);

  async function submit(space: TestNamespace, more: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const home = newHome();
    const args = [
      ...[...space.args, ...settings.flatMap((setting) => ["--conf", setting])],
      ...["--properties-file", join(home, "spark.conf")],
      ...["--files", `https://user:${secrets.fileUrlPassword}@files.test/data.txt`],
      ...more,
      ...["local:///opt/app.py", "--password", secrets.argumentPassword, `--db.password=${secrets.argumentPassword}`],
    ];
    const outcome = await run("spark-submit", args, { env: environment(home, { ...mode, ...env }) });
    expectNoSecrets(outcome, home);
    expectNoSecretsIn(await space.objects());
    return outcome;
  }

  // Spark prints arguments and some keys; see the row about --verbose in docs/compatibility.md.
  const options = "FIRESTEEL_STRICT" in mode ? [[[]]] : [[["--verbose"]], [[]]];
  test.each(options)("a submission with %j", async (more) => {
    expect(await submit(await api.create(), more)).toMatchObject({ exit: 0 });
  });

  test.each([403, 500] as const)("a submission that the API rejects with %i", async (status) => {
    const { exit } = await submit(await api.create(rejecting(status)), [
      "--conf",
      "spark.kubernetes.submission.requestTimeout=2000",
    ]);
    expect(exit).toBe(1);
  });

  test("a submission through a proxy that does not respond", async () => {
    const proxy = `http://user:${secrets.proxyPassword}@127.0.0.1:9`;
    const args = ["--master", "k8s://https://api.test:6443"];
    const { exit } = await submit(await api.create(), args, { HTTPS_PROXY: proxy, https_proxy: proxy });
    expect(exit).toBe(1);
  });

  test("a submission with invalid settings", async () => {
    const { exit } = await submit(await api.create(), [
      ...["--conf", "spark.executor.memory=lots", "--conf", "spark.executor.instances=many"],
      ...[
        "--conf",
        `spark.kubernetes.driver.volumes.what.x.mount.path=${secrets.s3aKey}`.replace(secrets.s3aKey, "/x"),
      ],
    ]);
    expect(exit).toBe(1);
  });

  test.each([
    ["driver", 0],
    // Strict mode leaves packages to the driver, as Spark does.
    ["submission", "FIRESTEEL_STRICT" in mode ? 0 : 1],
  ])("packages that the %s resolves from a repository with a password", async (resolver, exit) => {
    const repositories = ["--repositories", `http://user:${secrets.repositoryPassword}@127.0.0.1:9/maven`];
    const chosen = ["--conf", `spark.firesteel.packages.resolver=${resolver}`];
    const outcome = await submit(await api.create(), ["--packages", "g:a:1", ...repositories, ...chosen], {
      DEFAULT_ARTIFACT_REPOSITORY: `http://user:${secrets.mavenPassword}@127.0.0.1:9/central`,
    });
    expect(outcome.exit, outcome.stderr).toBe(exit);
  });

  test.each(["render", "explain"])("firesteel %s", async (command) => {
    const home = newHome();
    const space = await api.create();
    const args = [command, ...space.args, ...settings.flatMap((setting) => ["--conf", setting]), "local:///app.py"];
    const outcome = await run("firesteel", args, { env: environment(home, mode) });
    expect(outcome.exit, outcome.stderr).toBe(0);
    for (const secret of ownSecrets) expect(outcome.stdout + outcome.stderr).not.toContain(secret);
  });
});
