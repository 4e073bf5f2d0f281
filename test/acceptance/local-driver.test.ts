import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { root, temporaryDirectory } from "./programs.ts";

const generous = { timeout: 60_000, interval: 20 };

interface DriverDirectory {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Creates a Spark of empty files, and a `java` that is a shell script; `$DIR` is its directory. */
function directoryOfDriver(java: string): DriverDirectory {
  const directory = temporaryDirectory();
  const write = (path: string, text: string) => {
    const complete = join(directory, path);
    mkdirSync(dirname(complete), { recursive: true });
    writeFileSync(complete, text);
    return complete;
  };
  for (const name of ["bin/spark-submit", "jars/spark-core_2.13-4.3.0.jar", "jars/slf4j-api-2.0.17.jar"])
    write(`spark/${name}`, "");
  chmodSync(write("jdk/bin/java", `#!/bin/sh\necho $$ > "$DIR/pid"\n${java}\n`), 0o755);
  const env = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: directory,
    DIR: directory,
    SPARK_HOME: join(directory, "spark"),
    JAVA_HOME: join(directory, "jdk"),
  };
  return { directory, env };
}

const argv = ["--master", "local", "--class", "X", "a.jar", "two words"];

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | string>;
}

function startIn(
  { directory, env }: DriverDirectory,
  program = "spark-submit",
  args: readonly string[] = argv,
): Running {
  const child = spawn(join(root, "dist", "bin", `${program}.cjs`), args, {
    cwd: directory,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const ended = new Promise<number | string>((resolve) =>
    child.on("close", (code, signal) => resolve(code ?? signal ?? "?")),
  );
  return { child, output: () => output, ended };
}

function pidOf({ directory }: DriverDirectory): number {
  return Number(readFileSync(join(directory, "pid"), "utf8"));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has ended may still be a zombie.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Process IDs. */
function childrenOf(pid: number | undefined): readonly string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
}

async function whenStarted({ directory }: DriverDirectory): Promise<void> {
  await vi.waitFor(() => expect(existsSync(join(directory, "ready"))).toBe(true), generous);
}

const waiting = 'touch "$DIR/ready"; while :; do sleep 1 & wait $!; done';

describe("the JVM of a local driver", () => {
  test("has the client's streams, every argument unchanged, and determines its exit code", async () => {
    const java = 'read -r line; echo "in: $line"; echo "last: $(eval echo \\"\\${$#}\\")" >&2; exit 7';
    const running = startIn(directoryOfDriver(java));
    running.child.stdin?.end("hello\n");
    expect(await running.ended).toBe(7);
    expect(running.output()).toContain("in: hello\n");
    expect(running.output()).toContain("last: two words\n");
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)("gets %s", async (signal) => {
    const here = directoryOfDriver(`trap 'echo got ${signal}; exit 9' ${signal.slice(3)}; ${waiting}`);
    const running = startIn(here);
    await whenStarted(here);
    running.child.kill(signal);
    expect(await running.ended).toBe(9);
    expect(running.output()).toContain(`got ${signal}\n`);
  });

  test("that is killed by a signal ends the client by the same signal", async () => {
    expect(await startIn(directoryOfDriver("kill -KILL $$")).ended).toBe("SIGKILL");
    expect(await startIn(directoryOfDriver("kill -TERM $$")).ended).toBe("SIGTERM");
  });

  test("does not outlive the client, even if SIGKILL ends the client", async () => {
    const here = directoryOfDriver(waiting);
    const running = startIn(here);
    await whenStarted(here);
    const pid = pidOf(here);
    expect(isRunning(pid)).toBe(true);
    // The JVM, and the process that watches the client.
    await vi.waitFor(() => expect(childrenOf(running.child.pid)).toHaveLength(2), generous);
    running.child.kill("SIGKILL");
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), generous);
  });

  test("leaves no watching process after it ends", async () => {
    const here = directoryOfDriver('touch "$DIR/ready"');
    const running = startIn(here);
    await running.ended;
    expect(childrenOf(process.pid)).not.toContain(String(running.child.pid));
  });
});

describe("other programs", () => {
  const java = 'for word in "$@"; do echo "[$word]"; done; echo "$SPARK_SUBMIT_OPTS"';

  test("spark-shell and spark-sql start their classes", async () => {
    const shell = startIn(directoryOfDriver(java), "spark-shell", ["--master", "local"]);
    expect(await shell.ended).toBe(0);
    expect(shell.output()).toContain("[--class]\n[org.apache.spark.repl.Main]\n[--name]\n[Spark shell]\n");
    expect(shell.output()).toContain("[spark-shell]\n -Dscala.usejavacp=true\n");
    const sql = startIn(directoryOfDriver(java), "spark-sql", ["-e", "select 1"]);
    await sql.ended;
    expect(sql.output()).toContain("SparkSQLCLIDriver]\n[spark-internal]\n[-e]\n[select 1]\n");
  });

  test("spark-connect-shell adds the server's plugin", async () => {
    const shell = startIn(directoryOfDriver(java), "spark-connect-shell", []);
    await shell.ended;
    expect(shell.output()).toContain("[spark.plugins=org.apache.spark.sql.connect.SparkConnectPlugin]\n");
  });

  test("pyspark starts Python with Spark's libraries", async () => {
    const here = directoryOfDriver("exit 1");
    const python = join(here.directory, "python");
    const script = '#!/bin/sh\n[ "$1" = -c ] && echo 0 && exit\necho "$PYTHONPATH $PYSPARK_SUBMIT_ARGS"\nexit 4\n';
    writeFileSync(python, script, { mode: 0o755 });
    const running = startIn({ ...here, env: { ...here.env, PYSPARK_PYTHON: python } }, "pyspark", []);
    expect(await running.ended).toBe(4);
    expect(running.output()).toContain(`${here.env["SPARK_HOME"]}/python/: "--name" "PySparkShell" "pyspark-shell"`);
  });

  test("sparkR starts R with Spark's profile", async () => {
    const here = directoryOfDriver("exit 1");
    writeFileSync(join(here.directory, "R"), '#!/bin/sh\necho "$R_PROFILE_USER $SPARKR_SUBMIT_ARGS"\nexit 4\n', {
      mode: 0o755,
    });
    const PATH = `${here.directory}:${here.env["PATH"]}`;
    const running = startIn({ ...here, env: { ...here.env, PATH } }, "sparkR", ["--master", "local"]);
    expect(await running.ended).toBe(4);
    expect(running.output()).toContain(
      `${here.env["SPARK_HOME"]}/R/lib/SparkR/profile/shell.R "--master" "local" "sparkr-shell"`,
    );
  });

  test.each(["pyspark", "spark-shell", "spark-sql", "sparkR", "run-example", "spark-connect-shell"])(
    "%s prints its usage without a Spark",
    async (program) => {
      const here = directoryOfDriver("exit 1");
      const { SPARK_HOME, ...env } = here.env;
      const running = startIn({ ...here, env }, program, ["--help"]);
      expect(await running.ended).toBe(0);
      const name = program === "spark-connect-shell" ? "spark-shell" : program;
      expect(running.output()).toContain(`Usage: ./bin/${name} [options]`);
    },
  );
});
