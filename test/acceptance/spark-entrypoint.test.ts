import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { root, temporaryDirectory } from "./programs.ts";

let directory = "";

/** Writes a program for the PATH of the scripts. */
function program(path: string, script: string): void {
  writeFileSync(join(directory, path), `#!/bin/bash\n${script}\n`);
  chmodSync(join(directory, path), 0o755);
}

beforeEach(() => {
  directory = temporaryDirectory();
  for (const path of ["bin", "java/bin", "hadoop/bin", "spark/jars"])
    mkdirSync(join(directory, path), { recursive: true });
});

describe("the entry point of Spark's containers", () => {
  interface Started {
    /** Arguments of tini. */
    readonly args: readonly string[];
    readonly distClassPath: string;
    /** Last line of `/etc/passwd`. */
    readonly account: string;
    readonly stderr: string;
  }

  /** Starts the entry point with replacements for tini and `/etc/passwd`. */
  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
    const passwd = join(directory, "passwd");
    if (!existsSync(passwd)) writeFileSync(passwd, "root:x:0:0:root:/root:/bin/bash\n");
    program("bin/tini", String.raw`printf '%s\0' "$@" > "$OUTPUT"; printf %s "$SPARK_DIST_CLASSPATH" > "$OUTPUT.dist"`);
    program("bin/id", '[[ $1 = -u ]] && echo "$TEST_UID" || echo 0');
    program("bin/getent", '[[ $2 = 185 ]] && echo "spark:x:185:0::/opt/spark:/bin/false"');
    const text = readFileSync(join(root, "images/spark/entrypoint.sh"), "utf8");
    const script = join(directory, "entrypoint.sh");
    writeFileSync(
      script,
      text.replaceAll("/etc/passwd", passwd).replaceAll("/usr/bin/tini", join(directory, "bin/tini")),
    );
    const output = join(directory, "output");
    const { status, stderr } = spawnSync("bash", [script, ...args], {
      cwd: directory,
      encoding: "utf8",
      env: {
        PATH: `${join(directory, "bin")}:/usr/bin:/bin`,
        ...{ OUTPUT: output, TEST_UID: "185", SPARK_HOME: "/opt/spark", JAVA_HOME: "/java", ...env },
      },
    });
    expect(status, stderr).toBe(0);
    return {
      args: readFileSync(output, "utf8").split("\0").slice(0, -1),
      distClassPath: readFileSync(`${output}.dist`, "utf8"),
      account: readFileSync(passwd, "utf8").trimEnd().split("\n").at(-1) ?? "",
      stderr,
    };
  }

  test("runs any other command unchanged, under tini", () => {
    expect(start(["sh", "-c", "echo 'two  words'", ""]).args).toEqual([
      ...["-s", "--", "sh", "-c", "echo 'two  words'", ""],
    ]);
  });

  test("orders the class path of executors as Spark's: configuration, jars, extra jars, working directory, Hadoop", () => {
    const env = {
      HADOOP_CONF_DIR: "/hadoop-conf",
      SPARK_CLASSPATH: "/first.jar",
      SPARK_EXTRA_CLASSPATH: "/extra.jar",
      SPARK_DIST_CLASSPATH: "/dist/*",
    };
    const { args } = start(["executor"], env);
    expect(args[args.indexOf("-cp") + 1]).toBe(
      `/opt/spark/conf:/hadoop-conf:/first.jar:/opt/spark/jars/*:/extra.jar:${directory}:/dist/*`,
    );
  });

  test("asks Hadoop for SPARK_DIST_CLASSPATH unless it is set", () => {
    program("hadoop/bin/hadoop", '[[ "$*" = classpath ]] && echo "/hadoop/*"');
    const hadoop = { HADOOP_HOME: join(directory, "hadoop") };
    expect(start(["driver", "local:///app.jar"], hadoop).distClassPath).toBe("/hadoop/*");
    expect(start(["executor"], hadoop).args).toContain(`/opt/spark/conf:/opt/spark/jars/*:${directory}:/hadoop/*`);
    expect(start(["executor"], { ...hadoop, SPARK_DIST_CLASSPATH: "/own" }).distClassPath).toBe("/own");
    expect(start(["executor"], { HADOOP_HOME: "/nonexistent" }).distClassPath).toBe("");
  });

  test("passes the options of an executor's JVM in the order of their numbers, also with gaps", () => {
    const env = { SPARK_JAVA_OPT_10: "-Dlast", SPARK_JAVA_OPT_2: "-Dtwo=a b\nc", SPARK_JAVA_OPT_0: "-Dfirst" };
    const { args } = start(["executor", "ignored"], env);
    expect(args.slice(0, 6)).toEqual(["-s", "--", "/java/bin/java", "-Dfirst", "-Dtwo=a b\nc", "-Dlast"]);
    expect(args).not.toContain("ignored");
  });

  test("adds an account for an unknown user ID, with the name in SPARK_USER_NAME", () => {
    expect(start(["true"]).account).toMatch(/^root:/);
    expect(start(["true"], { TEST_UID: "1234" }).account).toBe("1234:x:1234:0:anonymous uid:/opt/spark:/bin/false");
    const named = start(["true"], { TEST_UID: "1235", SPARK_USER_NAME: "Ann Lee" });
    expect(named.account).toBe("1235:x:1235:0:Ann Lee:/opt/spark:/bin/false");
  });
});

describe("the script that makes a class data archive", () => {
  const prepare = () => {
    const target = join(directory, "target");
    const { status, stderr } = spawnSync("bash", [join(root, "images/spark/prepare-class-sharing.sh"), target], {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", JAVA_HOME: join(directory, "java"), SPARK_HOME: join(directory, "spark") },
    });
    return { status, stderr, hasTarget: existsSync(target) };
  };

  test("warns and succeeds without an archive on a Java that cannot make one, such as 8 and 11", () => {
    program(
      "java/bin/java",
      'case "$*" in *PrintFlagsFinal*) echo "    bool UseSharedSpaces = true" ;; *) exit 1 ;; esac',
    );
    expect(prepare()).toEqual({
      status: 0,
      stderr: `Warning: made no class data archive, so that Spark starts more slowly: the Java in ${directory}/java is older than 13 or has no such archives.\n`,
      hasTarget: false,
    });
  });

  test("warns and succeeds if Java writes none, as without an archive of its own classes", () => {
    writeFileSync(join(directory, "spark/jars/spark-core_2.13-4.3.0.jar"), "");
    program(
      "java/bin/java",
      `case "$*" in
        *PrintFlagsFinal*) echo "  ccstr ArchiveClassesAtExit  =  {product}" ;;
        *launcher.Main*) printf '\\n%s\\0' "$0" -cp x org.apache.spark.deploy.SparkSubmit ;;
      esac`,
    );
    expect(prepare()).toEqual({
      status: 0,
      stderr: expect.stringMatching(
        /^Warning: made no class data archive, .* wrote none\. java -Xshare:dump may help\.\n$/,
      ),
      hasTarget: false,
    });
  });
});
