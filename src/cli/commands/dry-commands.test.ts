import { load, loadAll } from "js-yaml";
import { describe, expect, test } from "vitest";
import type { TestFile } from "../../host/test-files.ts";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";

const submitArgs = [
  ...["--master", "k8s://https://api:6443", "--deploy-mode", "cluster", "--name", "golden"],
  ...["--class", "Main", "--conf", "spark.kubernetes.container.image=img:1"],
];

async function run(argv: readonly string[], files: Readonly<Record<string, TestFile>> = {}) {
  const now = Date.UTC(2026, 0, 2);
  const host = testHost({ argv, files, env: { SPARK_CONF_DIR: "/conf" }, cwd: "/w", now });
  const exit = await main(host);
  return { exit, out: host.outText(), error: host.errorText() };
}

describe("firesteel render", () => {
  test("prints each object with its role, in the order of creation", { tags: "long" }, async () => {
    const { exit, out } = await run(["render", ...submitArgs, "local:///a.jar"]);
    expect(exit).toBe(0);
    expect(out.match(/^# .*$|^kind: .*$/gm)).toEqual([
      "# Driver pod",
      "kind: Pod",
      "# Owned by the driver pod",
      "kind: Service",
      "# Owned by the driver pod",
      "kind: NetworkPolicy",
      "# Owned by the driver pod",
      "kind: ConfigMap",
      "# Executor 1, as the driver will create it; with other IDs in its names",
      "kind: Pod",
    ]);
    expect(loadAll(out)).toHaveLength(5);
  });

  test("prints the same objects for the same seed, and other IDs without one", async () => {
    const render = (...own: readonly string[]) =>
      run(["render", ...own, ...submitArgs, "/w/a.jar"], { "/w/a.jar": "" });
    const upload = ["--conf", "spark.kubernetes.file.upload.path=file:///up"];
    const seeded = await render("--seed", "s", ...upload);
    expect(seeded.out).toContain("# Uploaded first: /w/a.jar to file:///up/spark-upload-");
    expect((await render("--seed", "s", ...upload)).out).toBe(seeded.out);
    expect((await render("--seed", "t", ...upload)).out).not.toBe(seeded.out);
  });

  test("lists the files for the staging server, and prints no token", async () => {
    const server = ["--staging", "server", "--conf", "spark.firesteel.staging.server=https://s"];
    const image = ["--conf", "spark.firesteel.staging.initContainer.image=init:1"];
    const { out } = await run(["render", "--show-secrets", ...server, ...image, ...submitArgs, "/w/a.jar"], {
      "/w/a.jar": "",
    });
    expect(out).toContain(
      "# Sent to the staging server before, which then provides the bundle's ID and token: /w/a.jar\n",
    );
    expect(out).toMatch(/name: firesteel-localize\n/);
    expect(out).toMatch(/^ {2}token: ''$/m);
  });

  test("prints the selected objects as one JSON list", async () => {
    const { out } = await run(["render", "-o", "json", "--only", "executor,Service", ...submitArgs, "local:///a.jar"]);
    const list = JSON.parse(out);
    expect(list.items.map(({ kind }: { kind: string }) => kind)).toEqual(["Service", "Pod"]);
    expect((await run(["render", "--only", "x", ...submitArgs, "local:///a.jar"])).error).toContain(
      "Invalid value 'x' for --only; allowed: driver, resources, executor, or a kind such as Service.",
    );
  });

  test("hides the data of Secrets by default", async () => {
    const token = ["--conf", "spark.kubernetes.authenticate.driver.oauthToken=t0p-secret"];
    const render = (...own: readonly string[]) =>
      run(["render", "--only", "Secret", ...own, ...submitArgs, ...token, "local:///a.jar"]);
    expect(load((await render()).out)).toMatchObject({
      data: { "oauth-token": "(hidden; use --show-secrets)" },
    });
    expect(load((await render("--show-secrets")).out)).toMatchObject({
      data: { "oauth-token": "dDBwLXNlY3JldA==" },
    });
  });

  test("uses the executors' template, and reports executors that the driver cannot create", async () => {
    const template = "spec: {containers: [{name: custom}], priorityClassName: low}";
    const conf = ["--conf", "spark.kubernetes.executor.podTemplateFile=/t.yml"];
    const { out } = await run(["render", "--only", "executor", ...submitArgs, ...conf, "local:///a.jar"], {
      "/t.yml": template,
    });
    expect(load(out)).toMatchObject({ spec: { priorityClassName: "low", containers: [{ name: "custom" }] } });
    const wrong = ["--conf", "spark.kubernetes.executor.terminationGracePeriodSeconds=x"];
    const { exit, out: objects, error } = await run(["render", ...submitArgs, ...wrong, "local:///a.jar"]);
    expect([exit, loadAll(objects).length]).toEqual([1, 4]);
    expect(error).toContain("spark.kubernetes.executor.terminationGracePeriodSeconds");
  });

  test("rejects an executor without an image", async () => {
    const ownImage = submitArgs.map((arg) => arg.replace("kubernetes.container", "kubernetes.driver.container"));
    const { error } = await run(["render", ...ownImage, "local:///a.jar"]);
    expect(error).toContain("Must specify the executor container image"); // SUBMIT_ERR_EXECUTOR_IMAGE_MISSING
  });

  test("rejects an executor whose request exceeds its limit", async () => {
    const conf = ["--conf", "spark.kubernetes.executor.limit.cores=500m"];
    const { exit, error } = await run(["render", ...submitArgs, ...conf, "local:///a.jar"]);
    expect([exit, error]).toEqual([
      1,
      "Error: The executor cpu request (1) should be less than or equal to cpu limit (500m)\n" +
        "Hint: Set spark.kubernetes.executor.limit.cores to 1 or more, or lower spark.kubernetes.executor.request.cores.\n", // SUBMIT_ERR_EXECUTOR_CPU_LIMIT
    ]);
  });

  test("renders for the embedded cluster without a start", async () => {
    const argv = ["render", "--master", "k8s://embedded", "--deploy-mode", "cluster", "local:///opt/pi.py"];
    const { exit, out } = await run(argv);
    expect(exit).toBe(0);
    expect(loadAll(out)[0]).toMatchObject({ spec: { serviceAccountName: "spark" } });
  });

  test("reports all problems of a submission, and arguments without a submission", async () => {
    const { exit, error } = await run(["render", ...submitArgs, "--conf", "spark.driver.cores=0", "local:///a.jar"]);
    expect(exit).toBe(1);
    expect(error).toBe(
      'Error: Driver cores must be a positive number\nHint: Change spark.driver.cores from "0" to a number such as 2.\n',
    );
    expect((await run(["render", "--kill", "ns:pod"])).error).toContain(
      "These arguments do not describe a submission.",
    ); // SUBMIT_ERR_NOTHING_TO_SUBMIT
  });
});

describe("firesteel explain", () => {
  const files = { "/conf/spark-defaults.conf": "# comment\nspark.driver.memory 2g\n" };

  test("prints the origin of the setting that determines a field", { tags: "long" }, async () => {
    const argv = ["explain", "--field", "spec.containers[0].resources.limits", "--only", "driver", ...submitArgs];
    const { exit, out } = await run([...argv, "local:///a.jar"], files);
    expect(exit).toBe(0);
    expect(out.replace(/^Pod\/.*$/m, "Pod")).toBe(
      [
        "Pod",
        "  spec.containers[spark-kubernetes-driver].resources.limits.memory: 2432Mi",
        "      BasicDriverFeatureStep",
        "      spark.driver.memory=2g from /conf/spark-defaults.conf:2",
        "      primary resource",
        "      defaults: spark.kubernetes.memoryOverheadFactor=0.1, spark.driver.memoryOverheadFactor=0.1, spark.driver.minMemoryOverhead=384m, spark.driver.memoryOverhead is not set",
        "",
      ].join("\n"),
    );
  });

  test("prints JSON with --json", { tags: "long" }, async () => {
    const argv = ["explain", "--json", "--field", "spark.submit.deployMode", ...submitArgs, "local:///a.jar"];
    const { fields } = JSON.parse((await run(argv)).out);
    expect(fields).toMatchObject([
      {
        part: "resource",
        path: "data[spark.properties][spark.submit.deployMode]",
        value: "cluster",
        steps: ["ConfMap"],
        causes: [{ kind: "setting", name: "spark.submit.deployMode", value: "cluster", from: "--deploy-mode" }],
      },
    ]);
  });

  test("prints no secrets", { tags: "long" }, async () => {
    const secret = ["--conf", "spark.kubernetes.driverEnv.DB_PASSWORD=t0p-secret", "local:///a.jar"];
    for (const own of [[], ["--json"]]) {
      const { out } = await run(["explain", ...own, ...submitArgs, ...secret]);
      expect(out).toContain("DB_PASSWORD");
      expect(out).not.toContain("t0p-secret");
    }
  });
});

describe("firesteel diff", () => {
  test("compares two command lines, with the exit codes of diff(1)", async () => {
    const same = await run(["diff", ...submitArgs, "local:///a.jar", "--", ...submitArgs, "local:///a.jar"]);
    expect(same).toEqual({ exit: 0, out: "", error: "" });
    const more = ["--driver-memory", "2g", "local:///a.jar"];
    const { exit, out } = await run(["diff", ...submitArgs, "local:///a.jar", "--", ...submitArgs, ...more]);
    expect(exit).toBe(1);
    expect(out).toBe(
      [
        "driver",
        "  ~ spec.containers[spark-kubernetes-driver].resources.limits.memory: 1408Mi → 2432Mi",
        "  ~ spec.containers[spark-kubernetes-driver].resources.requests.memory: 1408Mi → 2432Mi",
        "",
        "ConfigMap/conf-map",
        "  + data[spark.properties][spark.driver.memory]: 2g",
        "",
      ].join("\n"),
    );
  });

  test("compares two Spark lines", async () => {
    const { exit, out } = await run(["diff", "--with-spark-version", "4.1", ...submitArgs, "local:///a.jar"]);
    expect(exit).toBe(1);
    expect(out).toContain("NetworkPolicy/policy\n  - the whole object\n");
    expect(out).toContain("  ~ metadata.labels[spark-version]: 4.3.0 → 4.1.4\n");
  });

  test("prints JSON without secrets with --json", async () => {
    const secret = ["--conf", "spark.kubernetes.driverEnv.DB_PASSWORD=t0p-secret", "local:///a.jar"];
    const { out } = await run(["diff", "--json", ...submitArgs, "local:///a.jar", "--", ...submitArgs, ...secret]);
    expect(JSON.parse(out)).toEqual({
      same: false,
      changes: [
        {
          object: "driver",
          path: "spec.containers[spark-kubernetes-driver].env[DB_PASSWORD].value",
          new: "*********(redacted)",
        },
        {
          object: "ConfigMap/conf-map",
          path: "data[spark.properties][spark.kubernetes.driverEnv.DB_PASSWORD]",
          new: "*********(redacted)",
        },
      ],
    });
  });

  test.each([
    [["diff", ...submitArgs, "local:///a.jar"], "There is only one submission to compare."], // SUBMIT_ERR_DIFF_ONE_SIDE
    [["diff", "--with-spark-version", "2.4", ...submitArgs, "local:///a.jar"], "2.4"],
    [["diff", "--against", "pod", ...submitArgs, "local:///a.jar"], "Invalid value 'pod' for --against"],
    [["diff", ...submitArgs, "--foo", "--", ...submitArgs], "Unrecognized option: --foo"],
  ])("%j fails with 2", async (argv, message) => {
    const { exit, error } = await run(argv);
    expect([exit, error.includes(message)]).toEqual([2, true]);
  });
});

test.each(["render", "explain", "diff"])("firesteel %s --help prints usage", async (command) => {
  const { exit, out } = await run([command, "--help"]);
  expect([exit, out.split("\n")[0]?.startsWith(`Usage: firesteel ${command} [options] `)]).toEqual([0, true]);
});
