import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startGateway } from "../acceptance/gateway-process.ts";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { stepsJar } from "../spark/application/steps-jar.ts";
import { runToEnd } from "../spark/spark-cluster.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";
import { airflowEnv, airflowPrograms, installAirflow } from "./install-airflow.ts";

const spark = sparkOf("4.3");

beforeAll(installAirflow, 900_000);

describe("Airflow's SparkSubmitHook with a standalone master", () => {
  beforeEach(requires(spark));

  test("follows drivers on Kubernetes through the gateway, and kills them", async () => {
    const { home, version } = available(spark);
    const { path, mainClass, mount } = stepsJar();
    const { url } = await startGateway("--conf", `spark.kubernetes.container.image=spark:${version}`, ...mount);
    const port = new URL(url).port;
    const connection = {
      ...{ conn_type: "spark", host: "spark://127.0.0.1", port: Number(port) },
      extra: { "deploy-mode": "cluster", "rest-port": port },
    };
    const runs = { runsToTheEnd: ["line=hello"], fails: ["exit=3"], isKilled: ["sleep=600"] };
    const script = join(root, "test", "peers", "airflow_standalone.py");
    const { exit, stdout } = await runToEnd(
      join(airflowPrograms, "python"),
      [script, path, mainClass, JSON.stringify(runs)],
      {
        env: {
          ...{ ...process.env, PATH: `${join(home, "bin")}:${process.env["PATH"]}` },
          ...airflowEnv(temporaryDirectory(), ""),
          AIRFLOW_CONN_SPARK_GATEWAY: JSON.stringify(connection),
        },
      },
    );
    expect(exit).toBe(0);
    const id = expect.stringMatching(/^driver-\d{14}-\d{4}$/);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toEqual({
      runsToTheEnd: { state: "FINISHED", id, error: null },
      fails: { state: "FAILED", id, error: null },
      isKilled: { state: "KILLED", id, error: null },
    });
  });
});
