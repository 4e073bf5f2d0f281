import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { describe, expect, test } from "vitest";
import { forgedLine, hostileLog, hostileText, invisible, listen, startHostileApi } from "./hostile-api.ts";
import { type Outcome, run, start, temporaryDirectory } from "./programs.ts";

function expectClean({ stdout, stderr }: Partial<Outcome>): void {
  for (const text of [stdout ?? "", stderr ?? ""]) {
    expect(text).not.toMatch(invisible);
    expect(text).not.toMatch(forgedLine);
  }
}

/** Airflow takes the last match of each for the driver's. */
function driverFields(output: string) {
  const last = (pattern: RegExp) => [...output.matchAll(pattern)].at(-1)?.[1];
  return { exitCode: last(/[eE]xit code: (\d+)/g), podName: last(/pod name: (.*)$/gm) };
}

const submission = (url: string) => [
  ...["--master", `k8s://${url}`, "--deploy-mode", "cluster", "--name", "pi"],
  ...["--conf", "spark.kubernetes.namespace=ns", "--conf", "spark.kubernetes.container.image=spark:4.3.0"],
  ...["--class", "org.example.Main", "local:///opt/app/app.jar"],
];

describe("an API with hostile texts", () => {
  test("diagnose prints no control character and no forged line", async () => {
    const url = await startHostileApi(hostileText);
    const target = ["diagnose", "ns:drv", "--master", `k8s://${url}`];
    const found = await run("firesteel", target);
    expect(found).toMatchObject({ exit: 0, stdout: expect.stringContaining("Cause   ") });
    expectClean(found);
    const json = await run("firesteel", [...target, "--json"]);
    expectClean(json);
    expect(JSON.parse(json.stdout)).toMatchObject({ cause: expect.any(String) });
  });

  test.each(["", "1"])("attach prints the log unchanged and nothing else, with FIRESTEEL_STRICT=%j", async (strict) => {
    const url = await startHostileApi(hostileText);
    const args = ["attach", "ns:drv", "--master", `k8s://${url}`];
    const env = { FIRESTEEL_STRICT: strict };
    const found = await run("firesteel", args, { env });
    expect(found).toMatchObject({ exit: strict === "" ? 3 : 0, stdout: "" });
    expectClean(found);
    expect(driverFields(found.stderr)).toEqual({ exitCode: "3", podName: "drv" });
    const { stderr } = await run("firesteel", [...args, "--logs", "driver"], { env });
    expectClean({ stderr });
  });

  test("status prints the texts in their lines, and as they are in JSON", async () => {
    const url = await startHostileApi(hostileText);
    const args = ["status", "ns:drv", "--master", `k8s://${url}`];
    const found = await run("firesteel", args);
    expectClean(found);
    expect(driverFields(found.stderr)).toEqual({ exitCode: "3", podName: "drv" });
    const json = await run("firesteel", [...args, "--json"]);
    expectClean(json);
    expect(JSON.parse(json.stdout)).toMatchObject({ drivers: [{ message: hostileText, appName: hostileText }] });
  });

  test.each(["", "1"])(
    "rejections and warnings of a submission are clean, with FIRESTEEL_STRICT=%j",
    async (strict) => {
      const url = await startHostileApi(hostileText);
      const found = await run("spark-submit", submission(url), { env: { FIRESTEEL_STRICT: strict } });
      expect(found.exit).toBe(1);
      expect(found.stderr).toContain("\\u001b]0;title\\u0007");
      expectClean(found);
    },
  );

  test.each([
    ["kill", ["kill", "ns:*"]],
    ["sweep", ["sweep", "--namespace", "ns", "--dry-run"]],
    ["diff", ["diff", "--against", "ns:drv"]],
  ])("%s is clean", async (command, args) => {
    const url = await startHostileApi(hostileText);
    const rest = command === "diff" ? submission(url) : ["--master", `k8s://${url}`];
    const found = await run("firesteel", [...args, ...rest]);
    expect(`${found.stdout}${found.stderr}`).toContain("\\u001b");
    expectClean(found);
  });
});

test("the log of a pod reaches stdout byte for byte", async () => {
  const url = await startHostileApi("plain");
  const { child, ended } = start("firesteel", ["attach", "ns:drv", "--master", `k8s://${url}`, "--logs", "driver"]);
  const chunks: Uint8Array[] = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  expect((await ended).exit).toBe(3);
  expect(Buffer.concat(chunks)).toEqual(hostileLog);
});

test("a standalone master's messages are clean", async () => {
  const url = await listen(
    createServer((request, response) => {
      const action = request.method === "GET" ? "SubmissionStatusResponse" : "CreateSubmissionResponse";
      const submissionId = "driver-20260101000000-0000";
      request.resume();
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          ...{ action, serverSparkVersion: hostileText, submissionId, success: true, message: hostileText },
          ...{ driverState: "ERROR", workerId: hostileText, workerHostPort: hostileText },
        }),
      );
    }),
  );
  const args = [
    "--master",
    url.replace("http:", "spark:"),
    "--deploy-mode",
    "cluster",
    "--class",
    "X",
    "local:///a.jar",
  ];
  for (const strict of ["", "1"]) {
    const env = { FIRESTEEL_STRICT: strict };
    const found = await run("spark-submit", ["--conf", "spark.master.rest.enabled=true", ...args], { env });
    expect(found.stderr).toContain("\\u001b]0;title");
    expectClean(found);
  }
});

test("render and explain print hostile settings so that they can be read back", async () => {
  const key = "spark.kubernetes.driver.annotation.note";
  const args = ["--conf", `${key}=${hostileText}`, ...submission("http://127.0.0.1:1")];
  const rendered = await run("firesteel", ["render", "--only", "driver", "--seed", "s", ...args]);
  expectClean({ stdout: rendered.stdout, stderr: rendered.stderr });
  const json = await run("firesteel", ["render", "--only", "driver", "--seed", "s", "--output", "json", ...args]);
  expect(json.stdout).not.toMatch(invisible);
  const { items } = JSON.parse(json.stdout);
  expect(loadAll(rendered.stdout)).toEqual(items);
  expect(items[0].metadata.annotations.note).toContain("FORGED \u202etxt.exe\u202c \u2066\u2069");
  expectClean(await run("firesteel", ["explain", "--field", "*note*", ...args]));
  expectClean(await run("firesteel", ["explain", "--json", "--field", "*note*", ...args]));
});

test("errors quote arguments and files without control characters", async () => {
  const home = temporaryDirectory();
  const env = { HOME: home };
  mkdirSync(join(home, ".kube"));
  writeFileSync(join(home, ".kube/config"), `current-context: ${JSON.stringify(hostileText)}\n`);
  writeFileSync(join(home, "r.json"), "{");
  for (const [program, args] of [
    ["firesteel", [hostileText]],
    ["firesteel", ["diagnose", "--record", hostileText]],
    ["firesteel", ["cluster", "status", "--name", hostileText]],
    ["spark-submit", ["--conf", hostileText, "x.jar"]],
    ["spark-submit", [...submission("http://127.0.0.1:1").slice(0, -1), `local:///a.jar?${hostileText}`, hostileText]],
    ["firesteel", ["status", "drv", "--context", hostileText]],
  ] as const) {
    const found = await run(program, args, { env: { ...env, KUBECONFIG: join(home, ".kube/config") } });
    expect(found.exit).toBe(1);
    expect(`${found.stdout}${found.stderr}`).toContain("\\u001b");
    expectClean(found);
  }
});
