import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";

/** Options of the user guide of 2017. */
const guide = [
  ...["--deploy-mode", "cluster", "--class", "org.apache.spark.examples.SparkPi", "--master", "k8s://https://api:6443"],
  ...["--kubernetes-namespace", "jobs", "--conf", "spark.executor.instances=5", "--conf", "spark.app.name=spark-pi"],
  ...["--conf", "spark.kubernetes.driver.docker.image=spark-driver:1"],
  ...["--conf", "spark.kubernetes.executor.docker.image=spark-executor:1"],
  ...["--conf", "spark.kubernetes.initcontainer.docker.image=spark-init:1"],
];
const jar = "local:///opt/spark/examples/jars/spark-examples.jar";

async function run(command: string, options: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const host = testHost({ argv: [command, ...options, jar], env, files: { "/home/tester/job/a.jar": "" } });
  const exit = await main(host);
  return { exit, out: host.outText(), error: host.errorText() };
}

test.each(["render", "explain"])(
  "%s accepts the command of the first guide, and warns as a submission does",
  async (command) => {
    const { exit, out, error } = await run(command, guide);
    expect(exit, error).toBe(0);
    for (const text of ["spark-driver:1", "spark-executor:1", "jobs"]) expect(out).toContain(text);
    expect(error.match(/ of the first releases is deprecated/g)).toHaveLength(4);
    expect(error).not.toContain("Unknown setting");
  },
);

test("a file goes through the staging server of the first guide, with its image", async () => {
  const server = [
    "--staging",
    "server",
    "--conf",
    "spark.kubernetes.resourceStagingServer.uri=http://staging:31000",
    "--jars",
    "a.jar",
  ];
  const { out } = await run("render", [...guide, ...server]);
  expect(out).toContain("image: spark-init:1");
});

test("in strict mode, settings are passed on and the option is rejected", async () => {
  const env = { FIRESTEEL_STRICT: "1" };
  expect(await run("render", guide, env)).toMatchObject({
    exit: 1,
    error: expect.stringContaining("Unrecognized option: --kubernetes-namespace"),
  });
  const image = ["--conf", "spark.kubernetes.container.image=spark:1"];
  const { exit, out } = await run("render", [...guide.slice(0, 6), ...guide.slice(8), ...image], env);
  expect([exit, out.includes("image: spark-driver:1"), out.includes("spark.kubernetes.driver.docker.image")]).toEqual([
    0,
    false,
    true,
  ]);
});
