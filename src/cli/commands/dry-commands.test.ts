import { load, loadAll } from "js-yaml";
import { describe, expect, test } from "vitest";
import { errorCodes } from "../../errors/codes.ts";
import type { TestFile } from "../../host/test-files.ts";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";

const words = [
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
  test("shows each object with what it is, in the order of making", async () => {
    const { exit, out } = await run(["render", ...words, "local:///a.jar"]);
    expect(exit).toBe(0);
    expect(out.match(/^# .*$|^kind: .*$/gm)).toEqual([
      "# The driver's pod",
      "kind: Pod",
      "# Owned by the driver's pod",
      "kind: Service",
      "# Owned by the driver's pod",
      "kind: NetworkPolicy",
      "# Owned by the driver's pod",
      "kind: ConfigMap",
      "# Executor 1, as the driver will ask for it; the ids in its names will be others",
      "kind: Pod",
    ]);
    expect(loadAll(out)).toHaveLength(5);
  });

  test("gives the same for the same seed, and other ids without", async () => {
    const render = (...own: readonly string[]) =>
      run(["render", ...own, ...words, "/w/a.jar"], { "/w/a.jar": "" });
    const upload = ["--conf", "spark.kubernetes.file.upload.path=file:///up"];
    const seeded = await render("--seed", "s", ...upload);
    expect(seeded.out).toContain("# Uploaded before: /w/a.jar to file:///up/spark-upload-");
    expect((await render("--seed", "s", ...upload)).out).toBe(seeded.out);
    expect((await render("--seed", "t", ...upload)).out).not.toBe(seeded.out);
  });

  test("tells what goes through a staging server, and names no token", async () => {
    const server = ["--staging", "server", "--conf", "spark.firesteel.staging.server=https://s"];
    const { out } = await run(["render", "--show-secrets", ...server, ...words, "/w/a.jar"], {
      "/w/a.jar": "",
    });
    expect(out).toContain("# Sent to the staging server before, which then tells more: /w/a.jar\n");
    expect(out).toMatch(/name: firesteel-localize\n/);
    expect(out).toMatch(/^ {2}token: ''$/m);
  });

  test("shows only what is wanted, as one list for programs", async () => {
    const { out } = await run([
      "render",
      "-o",
      "json",
      "--only",
      "executor,Service",
      ...words,
      "local:///a.jar",
    ]);
    const list = JSON.parse(out);
    expect(list.items.map(({ kind }: { kind: string }) => kind)).toEqual(["Service", "Pod"]);
    expect((await run(["render", "--only", "x", ...words, "local:///a.jar"])).error).toContain(
      "Invalid value 'x' for --only; allowed: driver, resources, executor, or a kind such as Service.",
    );
  });

  test("hides the data of secrets unless told otherwise", async () => {
    const token = ["--conf", "spark.kubernetes.authenticate.driver.oauthToken=hush"];
    const render = (...own: readonly string[]) =>
      run(["render", "--only", "Secret", ...own, ...words, ...token, "local:///a.jar"]);
    expect(load((await render()).out)).toMatchObject({
      data: { "oauth-token": "(hidden; --show-secrets shows it)" },
    });
    expect(load((await render("--show-secrets")).out)).toMatchObject({ data: { "oauth-token": "aHVzaA==" } });
  });

  test("uses the executors' template, and says what the driver could not make of them", async () => {
    const template = "spec: {containers: [{name: mine}], priorityClassName: low}";
    const conf = ["--conf", "spark.kubernetes.executor.podTemplateFile=/t.yml"];
    const { out } = await run(["render", "--only", "executor", ...words, ...conf, "local:///a.jar"], {
      "/t.yml": template,
    });
    expect(load(out)).toMatchObject({ spec: { priorityClassName: "low", containers: [{ name: "mine" }] } });
    const wrong = ["--conf", "spark.kubernetes.executor.terminationGracePeriodSeconds=x"];
    const { exit, out: objects, error } = await run(["render", ...words, ...wrong, "local:///a.jar"]);
    expect([exit, loadAll(objects).length]).toEqual([1, 4]);
    expect(error).toContain("spark.kubernetes.executor.terminationGracePeriodSeconds");
  });

  test("an executor without an image cannot be made", async () => {
    const ownImage = words.map((word) => word.replace("kubernetes.container", "kubernetes.driver.container"));
    const { error } = await run(["render", ...ownImage, "local:///a.jar"]);
    expect(error).toContain("Must specify the executor container image"); // SUBMIT_ERR_EXECUTOR_IMAGE_MISSING
  });

  test("an executor may not ask for more than its limit", async () => {
    const conf = ["--conf", "spark.kubernetes.executor.limit.cores=500m"];
    const { exit, error } = await run(["render", ...words, ...conf, "local:///a.jar"]);
    const message = errorCodes.SUBMIT_ERR_EXECUTOR_CPU_LIMIT.text({ request: "1", limit: "500m" });
    expect([exit, error]).toEqual([1, `Error: ${message}\n`]);
  });

  test("works for the embedded cluster, which is not started", async () => {
    const argv = ["render", "--master", "k8s://embedded", "--deploy-mode", "cluster", "local:///opt/pi.py"];
    const { exit, out } = await run(argv);
    expect(exit).toBe(0);
    expect(loadAll(out)[0]).toMatchObject({ spec: { serviceAccountName: "spark" } });
  });

  test("tells everything that is wrong with a submission, and of words that submit nothing", async () => {
    const { exit, error } = await run([
      "render",
      ...words,
      "--conf",
      "spark.driver.cores=0",
      "local:///a.jar",
    ]);
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
  const files = { "/conf/spark-defaults.conf": "# mine\nspark.driver.memory 2g\n" };

  test("tells where the setting behind a field was given", async () => {
    const argv = ["explain", "--field", "spec.containers[0].resources.limits", "--only", "driver", ...words];
    const { exit, out } = await run([...argv, "local:///a.jar"], files);
    expect(exit).toBe(0);
    expect(out.replace(/^Pod\/.*$/m, "Pod")).toBe(
      [
        "Pod",
        "  spec.containers[spark-kubernetes-driver].resources.limits.memory: 2432Mi",
        "      BasicDriverFeatureStep",
        "      spark.driver.memory=2g from /conf/spark-defaults.conf:2; without it: 1408Mi",
        "",
      ].join("\n"),
    );
  });

  test("tells the same to programs", async () => {
    const argv = ["explain", "--json", "--field", "spark.submit.deployMode", ...words, "local:///a.jar"];
    const { fields } = JSON.parse((await run(argv)).out);
    expect(fields).toMatchObject([
      {
        part: "resource",
        path: "data[spark.properties][spark.submit.deployMode]",
        value: "cluster",
        steps: ["ConfMap"],
        reasons: [
          { kind: "setting", name: "spark.submit.deployMode", from: "--deploy-mode", force: "changes" },
        ],
      },
    ]);
  });

  test("shows no secrets", async () => {
    const secret = ["--conf", "spark.kubernetes.driverEnv.DB_PASSWORD=hush", "local:///a.jar"];
    for (const own of [[], ["--json"]]) {
      const { out } = await run(["explain", ...own, ...words, ...secret]);
      expect(out).toContain("DB_PASSWORD");
      expect(out).not.toContain("hush");
    }
  });
});

describe("firesteel diff", () => {
  test("tells two command lines apart, with the exit codes of diff", async () => {
    const same = await run(["diff", ...words, "local:///a.jar", "--", ...words, "local:///a.jar"]);
    expect(same).toEqual({ exit: 0, out: "", error: "" });
    const more = ["--driver-memory", "2g", "local:///a.jar"];
    const { exit, out } = await run(["diff", ...words, "local:///a.jar", "--", ...words, ...more]);
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

  test("tells two lines of Spark apart", async () => {
    const { exit, out } = await run(["diff", "--with-spark-version", "4.1", ...words, "local:///a.jar"]);
    expect(exit).toBe(1);
    expect(out).toContain("NetworkPolicy/policy\n  - the whole object\n");
    expect(out).toContain("  ~ metadata.labels[spark-version]: 4.3.0 → 4.1.4\n");
  });

  test("tells programs what differs, without secrets", async () => {
    const secret = ["--conf", "spark.kubernetes.driverEnv.DB_PASSWORD=hush", "local:///a.jar"];
    const { out } = await run(["diff", "--json", ...words, "local:///a.jar", "--", ...words, ...secret]);
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
    [["diff", ...words, "local:///a.jar"], "There is only one submission to compare."], // SUBMIT_ERR_DIFF_ONE_SIDE
    [["diff", "--with-spark-version", "2.4", ...words, "local:///a.jar"], "2.4"],
    [["diff", "--against", "pod", ...words, "local:///a.jar"], "Invalid value 'pod' for --against"],
    [["diff", ...words, "--foo", "--", ...words], "Unrecognized option: --foo"],
  ])("%j is trouble", async (argv, message) => {
    const { exit, error } = await run(argv);
    expect([exit, error.includes(message)]).toEqual([2, true]);
  });
});

test.each(["render", "explain", "diff"])("firesteel %s says what it can do", async (command) => {
  const { exit, out } = await run([command, "--help"]);
  expect([exit, out.split("\n")[0]?.startsWith(`Usage: firesteel ${command} [options] `)]).toEqual([0, true]);
});
