import { describe, expect, test } from "vitest";
import { type TestHostOptions, testHost } from "../../../host/test-host.ts";
import { buildJavaExample } from "./java-pi.ts";

const example = {
  source: "/package/JavaPi.java",
  spark: { home: "/opt/spark", version: "4.3.0" },
  javaHome: "/jdk",
};
const jar = "/c/examples/4.3.0/java-pi.jar";

function machine(options: TestHostOptions = {}) {
  const files = {
    "/package/JavaPi.java": { content: "class JavaPi {}", modifiedMs: 1000 },
    ...options.files,
  };
  return testHost({ ...options, env: { FIRESTEEL_CACHE: "/c" }, files });
}

describe("buildJavaExample", () => {
  test("compiles with the JDK's tools against the distribution's jars, once", async () => {
    const host = machine({
      files: { "/jdk/bin/javac": "" },
      spawn: (child) => {
        if (child.args.includes("--file")) host.files.write(child.args[2] ?? "", "jar");
        child.exit(0);
      },
    });
    expect(await buildJavaExample(host, example)).toEqual({
      directory: "/c/examples/4.3.0",
      jar: "java-pi.jar",
    });
    expect(host.files.readText(jar)).toBe("jar");
    expect(host.children.map(({ command }) => command)).toEqual(["/jdk/bin/javac", "/jdk/bin/jar"]);
    expect(host.children[0]?.args).toContain("/opt/spark/jars/*");
    await buildJavaExample(host, example);
    expect(host.children).toHaveLength(2);
  });

  test("reports a missing JDK", async () => {
    await expect(buildJavaExample(machine(), example)).rejects.toMatchObject({
      code: "SUBMIT_ERR_JAVA_COMPILE",
      message: expect.stringMatching(/javac was not found/),
      issues: [{ hint: expect.stringMatching(/openjdk-17-jdk-headless/) }],
    });
  });

  test("reports the errors of the compiler", async () => {
    const host = machine({
      spawn: (child) => {
        if (child.args.includes("-cp")) child.write(2, "JavaPi.java:1: error: no\n");
        child.exit(child.args.includes("-cp") ? 1 : 0);
      },
    });
    await expect(buildJavaExample(host, example)).rejects.toThrow("JavaPi.java:1: error: no");
  });
});
