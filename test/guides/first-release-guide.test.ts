import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { issueCertificate } from "../acceptance/issue-certificate.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { authority } from "../acceptance/tls-submission.ts";
import { available } from "../requirements.ts";
import { packClasses } from "../spark/application/application.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { alone, startStaging } from "../staging/staging-program.ts";
import { describeWith } from "../test-with.ts";

/** The settings that all commands of the user guide of 2017 have. */
const shared = [
  ...["--deploy-mode", "cluster", "--kubernetes-namespace", "default"],
  ...["--conf", "spark.kubernetes.driver.docker.image=kubespark/spark-driver"],
  ...["--conf", "spark.kubernetes.executor.docker.image=kubespark/spark-executor"],
];
const staged = [
  ...["--class", "org.apache.spark.examples.SparkPi", ...shared],
  ...["--conf", "spark.executor.instances=5", "--conf", "spark.app.name=spark-pi"],
  ...["--conf", "spark.kubernetes.initcontainer.docker.image=kubespark/spark-init"],
];

/** Of a server that the submitter reaches at the address, and pods by the name. */
const certificates = issueCertificate({
  ...{ name: "server", names: ["127.0.0.1", "host.firesteel.internal"], issuer: authority },
});

describeWith("a Java compiler")("the commands of the user guide of 2017", {}, () => {
  const home = mkdtempSync(join(tmpdir(), "firesteel-guide-"));
  const jar = join(home, "examples", "jars", "spark-examples.jar");
  beforeAll(() => {
    const { home: installed } = available(sparkOf("4.3"));
    // A Spark of its own with the examples: of links where the file system allows.
    const copy = (how: string) => execFileSync("cp", [how, `${installed}/.`, home], { stdio: "ignore" });
    try {
      copy("-al");
    } catch {
      copy("-a");
    }
    chmodSync(home, 0o755);
    mkdirSync(join(home, "examples", "jars"), { recursive: true });
    packClasses(join(home, "examples", "jars"), {
      ...{ sources: ["SparkPi.java", "GroupByTest.java"], jar: "spark-examples.jar", classPath: `${home}/jars/*` },
      // Too large for a Secret.
      texts: { "data.txt": randomBytes(600_000).toString("hex") },
    });
  });

  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const cluster = sparkCluster([], () => ({ SPARK_HOME: home }));

  test("compute Pi with the jar of the image", async () => {
    const { exit, stdout, stderr } = await cluster.submit(
      ...staged,
      "local:///opt/spark/examples/jars/spark-examples.jar",
    );
    expect(stdout, stderr).toMatch(/^Pi is roughly 3\.141/m);
    expect(exit).toBe(0);
  });

  test("send a jar through the staging server", async () => {
    const { port } = await startStaging(alone);
    const uri = ["--conf", `spark.kubernetes.resourceStagingServer.uri=http://127.0.0.1:${port}`];
    const { exit, stdout, stderr } = await cluster.submit(...staged, ...uri, jar);
    expect(stdout, stderr).toMatch(/^Pi is roughly 3\.141/m);
    expect(stderr).toContain("through the staging server");
    expect(exit).toBe(0);
  });

  test("send a jar through the staging server with TLS", async () => {
    const directory = temporaryDirectory();
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const tls = [
      "--tls-cert",
      file("cert.pem", certificates.certificate),
      "--tls-key",
      file("key.pem", certificates.key),
    ];
    const { port } = await startStaging([...alone, ...tls]);
    const settings = [
      ...["--conf", `spark.kubernetes.resourceStagingServer.uri=https://127.0.0.1:${port}`],
      ...["--conf", "spark.ssl.kubernetes.resourceStagingServer.enabled=true"],
      ...[
        "--conf",
        `spark.ssl.kubernetes.resourceStagingServer.clientCertPem=${file("ca.pem", authority.certificate)}`,
      ],
    ];
    const { exit, stdout, stderr } = await cluster.submit(...staged, ...settings, jar);
    expect(stdout, stderr).toMatch(/^Pi is roughly 3\.141/m);
    expect(stderr).toContain("through the staging server");
    expect(exit).toBe(0);
  });

  test("allocate executors dynamically, without the shuffle service", async () => {
    const { exit, stdout, stderr } = await cluster.submit(
      ...["--class", "org.apache.spark.examples.GroupByTest", "--conf", "spark.app.name=group-by-test", ...shared],
      ...["--conf", "spark.dynamicAllocation.enabled=true", "--conf", "spark.shuffle.service.enabled=true"],
      ...["--conf", "spark.kubernetes.shuffle.namespace=default"],
      ...["--conf", "spark.kubernetes.shuffle.labels=app=spark-shuffle-service,spark-version=2.2.0"],
      ...["local:///opt/spark/examples/jars/spark-examples.jar", "10", "400000", "2"],
    );
    expect(stdout, stderr).toMatch(/^400000 groups$/m);
    expect(stderr).toContain(
      "spark.shuffle.service.enabled is replaced by spark.dynamicAllocation.shuffleTracking.enabled",
    );
    expect(exit).toBe(0);
  });
});
