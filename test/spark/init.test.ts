import { join } from "node:path";
import { expect } from "vitest";
import { run } from "../acceptance/programs.ts";
import { testWith } from "../test-with.ts";
import { sparkCluster } from "./spark-cluster.ts";

const cluster = sparkCluster();

testWith("Python 3.10 with venv")("a new PySpark project runs with the command that `init` prints", async () => {
  const directory = join(cluster.directory, "job");
  const created = await cluster.firesteel("init", "pyspark", directory);
  expect(created.exit).toBe(0);
  const [, program, args = ""] = /^ {2}(spark-submit) (.*)$/m.exec(created.stdout) ?? [];
  expect(program).toBe("spark-submit");
  const { exit, stdout, stderr } = await run("spark-submit", args.split(" "), { env: cluster.env(), cwd: directory });
  expect(stdout, stderr.slice(-2000)).toMatch(/^product +total$/m);
  expect(stdout).toMatch(/^apples +7$/m);
  expect(exit).toBe(0);
});
