import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runSparkSubmit } from "../../src/cli/commands/submit.ts";
import { runPyspark } from "../../src/cli/programs/pyspark.ts";
import { runExample } from "../../src/cli/programs/run-example.ts";
import { runSparkConnectShell } from "../../src/cli/programs/spark-connect-shell.ts";
import { runSparkShell } from "../../src/cli/programs/spark-shell.ts";
import { runSparkSql } from "../../src/cli/programs/spark-sql.ts";
import type { Host } from "../../src/host/host.ts";
import type { TestChild } from "../../src/host/test-children.ts";
import type { TestFile } from "../../src/host/test-files.ts";
import { testHost } from "../../src/host/test-host.ts";
import { differenceOf } from "./difference.ts";
import { type CommandParts, javaParts, relevantEnv } from "./jvm-command.ts";
import { type CaseFile, type RecordedCase, recordedCases } from "./recorded-case.ts";

/** Command that Spark's launcher scripts started: a JVM or Python. */
interface Golden {
  readonly java?: CommandParts;
  readonly python?: { readonly command: readonly string[]; readonly env: Readonly<Record<string, unknown>> };
}

type LaunchCase = RecordedCase<Golden>["case"] & {
  readonly program?: string;
  readonly home?: { readonly omit: readonly string[] };
};

const programs: Readonly<Record<string, (host: Host) => Promise<number>>> = {
  "spark-submit": (host) => runSparkSubmit(host),
  pyspark: runPyspark,
  "run-example": runExample,
  "spark-shell": runSparkShell,
  "spark-connect-shell": runSparkConnectShell,
  "spark-sql": runSparkSql,
};

/** Options that every JVM gets, by version. */
const always: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "recorded", "jvm-options", "every-jvm.json"), "utf8"),
);

const dir = "/golden/case";

describe.each([...recordedCases<Golden>("jvm")])("%s", (_, cases) => {
  const runs = cases.flatMap((kase) =>
    Object.entries(kase.golden).map(([version, golden]) => ({ kase: kase.case, version, golden })),
  );

  test.each(runs.map((run) => ({ ...run, id: run.kase.id, title: run.kase.title })))(
    "$id $title, as Spark $version",
    async ({ kase, version, golden }) => {
      const { child, home, errorText } = await start(kase, version);
      if (child === undefined) expect.fail(`nothing was started: ${errorText}`);
      const plain = <T>(value: T) => withPlaceholders(value, home);
      if (golden.java !== undefined) {
        const parts = javaParts(child.args, child.options.env ?? {}, always[version] ?? []);
        const faults = differenceOf(comparable(golden.java), comparable(plain(parts)), "java");
        if (faults.length > 0) expect.fail(faults.join("\n"));
      }
      if (golden.python !== undefined) {
        const command = [`{{BASE}}/python/${child.command}`, ...child.args];
        const found = { command, env: relevantEnv(child.options.env ?? {}) };
        const faults = differenceOf(golden.python, plain(found), "python");
        if (faults.length > 0) expect.fail(faults.join("\n"));
      }
    },
  );
});

interface Started {
  readonly child: TestChild | undefined;
  readonly home: string;
  readonly errorText: string;
}

async function start(kase: LaunchCase, version: string): Promise<Started> {
  const home = kase.home === undefined ? "/spark" : `${dir}/spark`;
  const fill = (text: string) =>
    text.replaceAll("{{DIR}}", dir).replaceAll("{{SPARK_HOME}}", home).replaceAll("{{VERSION}}", version);
  const variables = Object.entries(kase.env ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [[name, fill(value)]],
  );
  const started: TestChild[] = [];
  const host = testHost({
    argv: (kase.argv ?? []).map(fill),
    cwd: dir,
    env: {
      ...{ PATH: "/usr/bin", JAVA_HOME: "/jdk", SPARK_HOME: home },
      ...{ FIRESTEEL_STRICT: "1", FIRESTEEL_SPARK_VERSION: version },
      ...Object.fromEntries(variables),
    },
    files: { ...sparkFiles(home, version), ...caseFiles(kase.files ?? {}, fill) },
    spawn: (child) => play(child, kase, started),
  });
  const run = programs[kase.program ?? "spark-submit"];
  if (run === undefined) throw new Error(`no program ${kase.program}`);
  await host.settle(run(host));
  return { child: started[0], home, errorText: host.errorText() };
}

/** Emulates the child processes: a classic PySpark, a `spark-env.sh` with assignments, and programs that end immediately. */
function play(child: TestChild, kase: LaunchCase, started: TestChild[]): void {
  if (child.args[0] === "-c" && child.command === "bash") {
    const script = kase.files?.["conf/spark-env.sh"];
    const assigned = (typeof script === "string" ? script : "").split("\n").filter((line) => line !== "");
    child.write(3, assigned.map((line) => `${line}\0`).join(""));
  } else if (child.args[0] === "-c" && child.command !== "sh") child.write(1, "0\n");
  else if (child.command !== "sh") started.push(child);
  child.exit(0);
}

function sparkFiles(home: string, version: string): Record<string, TestFile> {
  const scala = version.startsWith("3.5") ? "2.12" : "2.13";
  const py4j = version.startsWith("3.5") ? "0.10.9.7" : "0.10.9.9";
  const slf4j = version.startsWith("3.5") ? "2.0.7" : version.startsWith("4.0") ? "2.0.16" : "2.0.17";
  const jars = [
    ...["core", "sql", "sql-api", "connect", "connect-common"].map((name) => `spark-${name}_${scala}-${version}`),
    `slf4j-api-${slf4j}`,
    "connect-repl/ammonite",
  ];
  const names = [
    ...["bin/spark-submit", "conf/log4j2.properties.template", `python/lib/py4j-${py4j}-src.zip`],
    ...jars.map((name) => `jars/${name}.jar`),
  ];
  return Object.fromEntries(names.map((name) => [`${home}/${name}`, ""]));
}

function caseFiles(
  files: Readonly<Record<string, CaseFile>>,
  fill: (text: string) => string,
): Record<string, TestFile> {
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => [
      `${dir}/${fill(name)}`,
      typeof content === "string" ? fill(content) : content !== null && "dir" in content ? null : "",
    ]),
  );
}

/** Replaces directories by the placeholders of the recordings. */
function withPlaceholders<T>(value: T, home: string): T {
  const text = JSON.stringify(value).replaceAll(home, "{{SPARK_HOME}}").replaceAll(dir, "{{DIR}}");
  return JSON.parse(text);
}

/** Removes excluded jars, which the tests of the class path check, and sorts jars of examples, whose order is that of a directory. */
function comparable(parts: CommandParts): CommandParts {
  const { "--jars": jars, ...others } = parts.submitOptions;
  const sorted = typeof jars === "string" ? { "--jars": jars.split(",").sort().join(",") } : {};
  const classPath = parts.classPath.filter((entry) => !entry.startsWith("but not ")).sort();
  return { ...parts, classPath, submitOptions: { ...others, ...sorted } };
}
