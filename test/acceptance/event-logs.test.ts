import { expect, test } from "vitest";
import { run, temporaryDirectory } from "./programs.ts";

const args = ["--master", "k8s://embedded", "--deploy-mode", "cluster", "--class", "Main"];
const app = "local:///app.jar";

function firesteel(command: string, ...settings: readonly string[]) {
  const home = temporaryDirectory();
  const conf = settings.flatMap((setting) => ["--conf", setting]);
  return run("firesteel", [command, ...args, ...conf, app], { env: { HOME: home } });
}

test("explain shows the event logs of the embedded cluster and a setting of the user, each with its origin", async () => {
  const { stdout } = await firesteel("explain");
  expect(stdout).toContain("spark.eventLog.enabled=true from the submission itself (embedded cluster)");
  expect(stdout).toMatch(/spark\.eventLog\.dir=file:\/\/.+ from the submission itself \(embedded cluster\)/);
  const own = await firesteel("explain", "spark.eventLog.dir=s3a://bucket/logs");
  expect(own.stdout).toContain("spark.eventLog.dir=s3a://bucket/logs from --conf");
  expect(own.stdout).not.toContain("spark.eventLog.enabled");
});

test("render contains the event logs of the embedded cluster, unless the user turns them off", async () => {
  expect((await firesteel("render")).stdout).toContain("spark.eventLog.enabled=true");
  expect((await firesteel("render", "spark.eventLog.enabled=false")).stdout).not.toContain("spark.eventLog.dir");
});

test("submissions to other clusters have no event logs of their own", async () => {
  const other = args.map((arg) => (arg === "k8s://embedded" ? "k8s://https://h:1" : arg));
  const conf = ["--conf", "spark.kubernetes.container.image=spark:4.3.0"];
  const { exit, stdout } = await run("firesteel", ["render", ...other, ...conf, app]);
  expect(exit).toBe(0);
  expect(stdout).not.toContain("eventLog");
});
