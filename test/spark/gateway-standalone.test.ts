import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { startGateway } from "../acceptance/gateway-process.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";
import { stepsJar } from "./application/steps-jar.ts";
import { runToEnd } from "./spark-cluster.ts";

/** Spark's own configuration hides what `--status` and `--kill` log. */
const logging = `
rootLogger.level = info
logger.rest.name = org.apache.spark.deploy.rest
logger.rest.level = info
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %m%n
`;

describe.each(["3.5", "4.3"])("Apache's spark-submit of Spark %s", (line) => {
  const spark = sparkOf(line);
  beforeEach(requires(spark));

  test("submits to Kubernetes through the gateway as to a standalone master, asks for the state, and kills", async () => {
    const { home, version } = available(spark);
    const { path, mainClass, mount } = stepsJar();
    const conf = temporaryDirectory();
    writeFileSync(join(conf, "log4j2.properties"), logging);
    const image = ["--conf", `spark.kubernetes.container.image=spark:${version}`];
    const { url, send } = await startGateway(...image, ...mount);
    const master = url.replace("http:", "spark:");
    const apache = async (...args: string[]) => {
      const options = ["--master", master, "--deploy-mode", "cluster", "--conf", "spark.master.rest.enabled=true"];
      const env = { ...process.env, SPARK_HOME: home, SPARK_CONF_DIR: conf };
      const { exit, stderr } = await runToEnd(join(home, "bin", "spark-submit"), [...options, ...args], { env });
      return { exit, stderr, id: /driver-[0-9-]+/.exec(stderr)?.[0] ?? "" };
    };
    const stateOf = async (id: string) => (await send("GET", `/v1/submissions/status/${id}`)).json["driverState"];
    const reaches = (id: string, state: string) =>
      vi.waitFor(async () => expect(await stateOf(id)).toBe(state), { timeout: 60_000, interval: 200 });

    const finished = await apache("--class", mainClass, path, "line=hello world");
    expect(finished).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining(`Driver successfully submitted as ${finished.id}`),
    });
    await reaches(finished.id, "FINISHED");

    const { id } = await apache("--class", mainClass, path, "sleep=600");
    await reaches(id, "RUNNING");
    expect((await apache("--status", id)).stderr).toContain('"driverState" : "RUNNING"');
    expect((await apache("--kill", id)).stderr).toContain(`Kill request for ${id} submitted`);
    await reaches(id, "KILLED");
    expect((await apache("--kill", id)).stderr).toContain(`Driver ${id} has already finished or does not exist`);
  });
});
