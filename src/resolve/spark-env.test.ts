import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { nodeHost } from "../host/node-host.ts";
import { testHost } from "../host/test-host.ts";
import { runSparkEnv } from "./run-spark-env.ts";
import { withSparkEnv } from "./spark-env.ts";

const files = { "/conf/spark-env.sh": "export A=1" };

test("withSparkEnv adds the variables of spark-env.sh to the environment", async () => {
  const host = testHost({
    env: { SPARK_CONF_DIR: "/conf", B: "2" },
    files,
    spawn: (child) => {
      child.write(3, "A=1\0B=2\0C=x=y\nz\0SPARK_ENV_LOADED=1\0PWD=/elsewhere\0SHLVL=1\0");
      child.exit(0);
    },
  });
  const { env } = await withSparkEnv(host);
  expect(env).toMatchObject({ A: "1", B: "2", C: "x=y\nz", SPARK_ENV_LOADED: "1" });
  expect(env).not.toHaveProperty("PWD");
  expect(host.children.map(({ command, args }) => [command, args.at(-1)])).toEqual([["bash", "/conf/spark-env.sh"]]);
});

test("withSparkEnv runs nothing without the file or a second time", async () => {
  for (const env of [{}, { SPARK_HOME: "/spark" }, { SPARK_CONF_DIR: "/conf", SPARK_ENV_LOADED: "1" }]) {
    const host = testHost({ env, files });
    expect(await withSparkEnv(host)).toBe(host);
    expect(host.children).toEqual([]);
  }
});

test("withSparkEnv applies the changes of a script whose last command fails, as Spark's scripts do", async () => {
  const root = await mkdtemp(`${tmpdir()}/firesteel-spark-env-`);
  try {
    await writeFile(`${root}/last.sh`, "A=2\nunset B\n[ -f /no/such/file ]\n");
    const host = { ...nodeHost(), env: { ...nodeHost().env, A: "0", B: "0", C: "0" } };
    const { env } = await runSparkEnv(host, { directory: root, path: `${root}/last.sh` });
    expect([env["A"], env["B"], env["C"], env["PWD"]]).toEqual(["2", undefined, "0", process.env["PWD"]]);
  } finally {
    await rm(root, { recursive: true });
  }
});

test("withSparkEnv throws if the script exits", async () => {
  const host = testHost({ env: { SPARK_CONF_DIR: "/conf" }, files, spawn: (child) => child.exit(3) });
  await expect(withSparkEnv(host)).rejects.toMatchObject({ code: "SUBMIT_ERR_SPARK_ENV" });
});
