import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { describeWith } from "../test-with.ts";
import { driverOutput, type StandaloneCluster, standaloneCluster } from "./standalone-cluster.ts";

const lines = ["3.5", "4.3"];

for (const line of lines) {
  const spark = sparkOf(line);
  describeWith("missing" in spark ? spark : "a Java compiler")(`standalone masters of Spark ${line}`, {}, () => {
    const cluster = standaloneCluster(() => available(spark));
    theirDrivers(cluster, line);
    theMasters(cluster, line);
    theNextLeader(cluster);
  });
}

/** Defines a test only for the lines that it applies to. */
function ofLine(applies: boolean): (name: string, run: () => Promise<void>) => void {
  return applies ? test : () => {};
}

/** Builds a token without claims. Source: RFC 7515, HS256. */
function jsonWebToken(key: Buffer): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part({})}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}

const idOf = (text: string) => /driver-\d{14}-\d{4}/.exec(text)?.[0] ?? "";

/** Options that drivers need on Java 17, which masters of 3.5 do not set. */
const openings = ["java.nio", "java.lang", "java.util", "java.lang.invoke"]
  .map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`)
  .concat("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED")
  .join(" ");

function theirDrivers(cluster: StandaloneCluster, line: string): void {
  test("run an application on executors and report its end", async () => {
    const { exit, stderr } = await cluster.submit(["pi"], line === "3.5" ? ["--driver-java-options", openings] : []);
    expect(driverOutput(cluster, idOf(stderr), "stderr")).toContain("Successfully stopped SparkContext");
    expect(stderr).toContain("is now FINISHED.");
    expect(exit).toBe(0);
  });

  test("report an application that failed", async () => {
    const { exit, stderr } = await cluster.submit(["fail"]);
    expect(stderr).toContain("ended with the state FAILED.");
    expect(exit).toBe(1);
    expect(driverOutput(cluster, idOf(stderr), "stderr")).toContain("as requested");
  });

  test("restart a supervised driver", async () => {
    const { exit, stderr } = await cluster.submit(["secondTime", join(cluster.directory, "mark")], ["--supervise"]);
    expect(stderr).toContain("is now FINISHED.");
    expect(exit).toBe(0);
  });

  test("report a jar that the worker does not have", async () => {
    const args = ["--master", cluster.rest(), "--deploy-mode", "cluster", "--class", "X", "file:/nowhere/a.jar"];
    const { exit, stderr } = await cluster.runFiresteel(
      "spark-submit",
      ...["--conf", "spark.standalone.submit.waitAppCompletion=true", ...args],
    );
    expect(stderr).toMatch(/NoSuchFileException: \/nowhere\/a\.jar|File .*\/nowhere\/a\.jar does not exist/);
    expect(stderr).toContain("ended with the state ERROR.");
    expect(exit).toBe(1);
  });

  test("end drivers when they are killed, and know them until they are cleared", async () => {
    const master = ["--master", cluster.rest()];
    const running = cluster.submit(["sleep"]);
    const id = await untilSubmitted(cluster);
    const status = () => cluster.runFiresteel("firesteel", "status", id, "--json", ...master);
    expect(JSON.parse((await status()).stdout).drivers[0].submissionId).toBe(id);
    expect(await cluster.runFiresteel("spark-submit", "--kill", id, ...master)).toMatchObject({
      ...{ exit: 0, stderr: `${id} is killed successfully.\n` },
    });
    const { exit, stderr } = await running;
    expect([exit, stderr]).toEqual([1, expect.stringContaining("ended with the state KILLED.")]);
    expect(await cluster.runFiresteel("spark-submit", "--kill", id, ...master)).toMatchObject({
      ...{ exit: 1, stderr: `Error: Driver ${id} has already finished or does not exist\n` },
    });
    expect(await cluster.runFiresteel("spark-submit", "--status", "driver-x", ...master)).toMatchObject({
      exit: 1,
    });
  });
}

/** Waits until the worker has a directory for a sleeping driver. */
async function untilSubmitted(cluster: StandaloneCluster): Promise<string> {
  for (;;) {
    const commands = execFileSync("ps", ["-eo", "args"], { encoding: "utf8", maxBuffer: 1e8 }).split("\n");
    const sleeper = commands.find((one) => one.includes(cluster.directory) && one.endsWith("Drivers sleep"));
    const id = idOf(sleeper ?? "");
    if (id !== "") return id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function theMasters(cluster: StandaloneCluster, line: string): void {
  test("in standby leave submissions to the leading master", async () => {
    const both = `${cluster.standby()},${cluster.rest().replace("spark://", "")}`;
    const { exit, stderr } = await cluster.submit(["end"], ["--master", both]);
    expect(stderr).toContain("is now FINISHED.");
    expect(exit).toBe(0);
    const alone = await cluster.submit(["end"], ["--master", cluster.standby()]);
    expect(alone.stderr).toContain("rejected the request: Current state is not alive: STANDBY.");
    expect(alone.exit).toBe(1);
  });

  test("that are unreachable are skipped", async () => {
    const { exit } = await cluster.submit(["end"], ["--master", `spark://127.0.0.1:1,${cluster.rest().slice(8)}`]);
    expect(exit).toBe(0);
  });

  test("report at the RPC port that it is not a gateway", async () => {
    const { exit, stderr } = await cluster.submit(["end"], ["--master", cluster.rpc()]);
    expect(stderr).toContain("Unable to connect to server");
    expect(exit).toBe(1);
  });

  test("accept submissions at the RPC port from the JVM of a local Spark", async () => {
    const { exit, stderr } = await cluster.withSpark(
      ...["--master", cluster.rpc(), "--deploy-mode", "cluster", "--class", "Drivers"],
      ...["--conf", "spark.master.rest.enabled=false", "--driver-memory", "512m", cluster.jar(), "end"],
    );
    expect(stderr).toMatch(/Driver successfully submitted as driver-/);
    expect(exit).toBe(0);
  });

  ofLine(line !== "3.5")("support operations on the master", async () => {
    const both = ["--master", `${cluster.standby()},${cluster.rest().slice(8)}`];
    const does = (what: string, master = both) => cluster.runFiresteel("firesteel", "standalone", what, ...master);
    expect(await does("readyz")).toMatchObject({
      exit: 0,
      stdout: `${cluster.rest()}: ready for submissions\n`,
    });
    expect(await does("readyz", ["--master", cluster.standby()])).toMatchObject({
      ...{ exit: 1, stderr: expect.stringContaining("(HTTP 503): Master is not ready.") },
    });
    const running = cluster.submit(["sleep"]);
    const id = await untilSubmitted(cluster);
    expect((await does("killall")).exit).toBe(0);
    expect((await running).stderr).toContain("ended with the state KILLED.");
    expect((await does("clear")).exit).toBe(0);
    expect((await cluster.runFiresteel("spark-submit", "--status", id, "--master", cluster.rest())).stderr).toContain(
      `has no driver ${id}.`,
    );
  });

  ofLine(line !== "3.5")("behind an authentication filter require the correct token", async () => {
    const key = Buffer.alloc(32, "k");
    const guarded = await cluster.master([
      "spark.master.rest.filters=org.apache.spark.ui.JWSFilter",
      `spark.org.apache.spark.ui.JWSFilter.param.secretKey=${key.toString("base64url")}`,
    ]);
    const withToken = (name: string, secret: Buffer) => {
      const path = join(cluster.directory, name);
      writeFileSync(path, `${jsonWebToken(secret)}\n`);
      return ["--master", guarded, "--conf", `spark.firesteel.rest.tokenFile=${path}`];
    };
    const app = ["--deploy-mode", "cluster", "--class", "Drivers", cluster.jar(), "end"];
    const submit = (...args: string[]) => cluster.runFiresteel("spark-submit", ...args, ...app);
    for (const args of [["--master", guarded], withToken("wrong", Buffer.alloc(32, "x"))])
      expect(await submit(...args)).toMatchObject({
        ...{ exit: 1, stderr: expect.stringMatching(/HTTP 403[\s\S]*spark\.firesteel\.rest\.tokenFile/) },
      });
    const right = withToken("right", key);
    const { exit, stderr } = await submit(...right);
    expect(exit, stderr).toBe(0);
    const id = idOf(stderr);
    const status = await cluster.runFiresteel("spark-submit", "--status", id, ...right);
    expect(status).toMatchObject({ exit: 0, stderr: expect.stringContaining("SUBMITTED") });
    expect((await cluster.runFiresteel("firesteel", "standalone", "readyz", ...right)).exit).toBe(0);
    expect(await cluster.runFiresteel("spark-submit", "--kill", id, ...right)).toMatchObject({ exit: 0 });
  });

  ofLine(line === "3.5")("of old lines report that they do not support operations on the master", async () => {
    const { exit, stderr } = await cluster.runFiresteel(
      "firesteel",
      "standalone",
      "killall",
      "--master",
      cluster.rest(),
    );
    expect([exit, stderr]).toEqual([1, expect.stringContaining("rejected the request (HTTP 400): ")]);
  });
}

/** Must run last, because it leaves only one master. */
function theNextLeader(cluster: StandaloneCluster): void {
  test("that take over know the previous drivers and kill them", async () => {
    const both = ["--master", `${cluster.rest()},${cluster.standby().slice(8)}`];
    const running = cluster.submit(["sleep"], both);
    const id = await untilSubmitted(cluster);
    await cluster.loseLeader();
    const operate = (what: string) => cluster.runFiresteel("spark-submit", what, id, ...both);
    for (;;) {
      const { stderr } = await operate("--status");
      if (stderr.includes("is now RUNNING.")) break;
    }
    expect(await operate("--kill")).toMatchObject({ exit: 0, stderr: `${id} is killed successfully.\n` });
    const { exit, stderr } = await running;
    expect([exit, stderr]).toEqual([1, expect.stringContaining("ended with the state KILLED.")]);
  });
}
