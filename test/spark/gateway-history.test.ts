import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { startGateway } from "../acceptance/gateway-process.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";

const waiting = { timeout: 90_000, interval: 200 };

/** Finds the history server of a gateway among its children. */
function historyServerOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
  return children.find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("HistoryServer"));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a gateway with --history-server", () => {
  const spark = sparkOf("4.3");
  beforeEach(requires(spark));

  test("serves the Spark UI of an application that has ended, starts its server again, and leaves no process", async () => {
    const { version } = available(spark);
    const image = ["--conf", `spark.kubernetes.container.image=spark:${version}`];
    const gateway = await startGateway(...image, "--conf", "spark.executor.instances=1", "--history-server");
    const { send } = gateway;
    const app = "local:///opt/spark/examples/src/main/python/pi.py";
    expect(await send("POST", "/api/v1/applications", { body: { name: "pi", app } })).toMatchObject({ status: 201 });
    const ui = "/applications/api-0/ui";
    const application = await vi.waitFor(async () => {
      const { json } = await send("GET", "/api/v1/applications/api-0");
      expect(json).toMatchObject({ state: "succeeded", historyUrl: `${ui}/` });
      return json;
    }, waiting);

    const isServed = async () => {
      const page = await send("GET", `${ui}/`);
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining("Spark Jobs") });
      expect(page.text).toContain(`"${ui}/static/`);
      expect(page.text).toContain(`"${ui}/history/${application["appId"]}/stages/`);
    };
    await vi.waitFor(isServed, waiting);
    const executors = await send("GET", `${ui}/api/v1/applications/${application["appId"]}/allexecutors`);
    expect(JSON.parse(executors.text)).toEqual(expect.arrayContaining([expect.objectContaining({ id: "driver" })]));
    expect(await send("GET", `${ui}/static/webui.css`)).toMatchObject({ status: 200 });

    const first = historyServerOf(gateway.pid) ?? 0;
    process.kill(first, "SIGKILL");
    await vi.waitFor(() => expect(gateway.output()).toContain("The history server has ended"), waiting);
    await vi.waitFor(isServed, waiting);
    const second = historyServerOf(gateway.pid) ?? 0;
    expect(second).not.toBe(first);

    await gateway.kill();
    await vi.waitFor(() => expect(isRunning(second)).toBe(false), waiting);
  });

  test("ends its server when it stops", async () => {
    const gateway = await startGateway("--history-server");
    const server = historyServerOf(gateway.pid) ?? 0;
    expect(isRunning(server)).toBe(true);
    expect(await gateway.stop()).toBe(0);
    expect(isRunning(server)).toBe(false);
  });

  test("starts no other server while it responds to its last requests", async () => {
    const gateway = await startGateway("--history-server");
    const server = historyServerOf(gateway.pid) ?? 0;
    await vi.waitFor(() => expect(gateway.output()).toContain("serves event logs"), waiting);
    const changes = await fetch(`${gateway.url}/api/v1/changes`);
    const stopped = gateway.stop();
    // A Ctrl+C reaches both.
    process.kill(server, "SIGINT");
    await vi.waitFor(() => expect(isRunning(server)).toBe(false), waiting);
    await changes.body?.cancel();
    expect(await stopped).toBe(0);
    expect(gateway.output()).not.toContain("started again");
  });
});
