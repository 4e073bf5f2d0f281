import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { startGateway } from "../acceptance/gateway-process.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkOf } from "../spark-distributions.ts";
import { requires } from "../test-with.ts";

const waiting = { timeout: 90_000, interval: 200 };

describe("a gateway with --log-dir", () => {
  const spark = sparkOf("4.3");
  beforeEach(requires(spark));

  test("serves the Spark UI of a running application, and its complete log after its pod was deleted", async () => {
    const { version } = available(spark);
    const logs = temporaryDirectory();
    const image = ["--conf", `spark.kubernetes.container.image=spark:${version}`];
    const { send } = await startGateway(...image, "--conf", "spark.executor.instances=1", "--log-dir", logs);
    const get = async (below = "") => (await send("GET", `/api/v1/applications/api-0${below}`)).json;

    const app = "local:///opt/spark/examples/src/main/python/pi.py";
    const body = { name: "pi", app, args: [100_000] };
    expect(await send("POST", "/api/v1/applications", { body })).toMatchObject({ status: 201 });
    await vi.waitFor(async () => expect(await get()).toMatchObject({ uiUrl: "/applications/api-0/ui/" }), waiting);
    await vi.waitFor(async () => {
      const page = await send("GET", "/applications/api-0/ui/");
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining("Spark Jobs") });
      expect(page.text).toContain('"/applications/api-0/ui/static/');
    }, waiting);
    expect((await send("GET", "/applications/api-0/ui/jobs/job/kill/?id=0")).status).toBe(403);
    const line = expect.stringContaining("Running Spark version");
    await vi.waitFor(
      async () => expect(await get("/log?limit=1000")).toMatchObject({ lines: expect.arrayContaining([line]) }),
      waiting,
    );

    await send("POST", "/api/v1/applications/api-0/kill");
    await vi.waitFor(
      async () => expect(await get()).toMatchObject({ state: "killed", log: { state: "kept" } }),
      waiting,
    );
    expect(readdirSync(join(logs, "default/gateway/api-0"))).toEqual(["driver-1.log.gz"]);
    const { lines, total } = await get("/log?from=0&limit=1000");
    expect(lines).toEqual(expect.arrayContaining([line]));
    expect(lines).toHaveLength(Number(total));

    await send("DELETE", "/api/v1/applications/api-0");
    await vi.waitFor(() => expect(readdirSync(join(logs, "default/gateway"))).toEqual([]), waiting);
    expect((await send("GET", "/metrics")).text).toContain("firesteel_gateway_logs_kept_total 1");
  });

  test("keeps the last lines if the bucket cannot be reached", async () => {
    const { version } = available(spark);
    const image = ["--conf", `spark.kubernetes.container.image=spark:${version}`];
    // No server listens on port 9.
    const settings = ["endpoint=http://127.0.0.1:9", "access.key=key", "secret.key=secret"];
    const bucket = settings.flatMap((setting) => ["--conf", `spark.hadoop.fs.s3a.${setting}`]);
    const { send } = await startGateway(...image, ...bucket, "--log-dir", "s3a://bucket/logs");
    const get = async (below = "") => (await send("GET", `/api/v1/applications/api-0${below}`)).json;

    const app = "local:///opt/missing.py";
    expect(await send("POST", "/api/v1/applications", { body: { name: "missing", app } })).toMatchObject({
      status: 201,
    });
    const log = { state: "failed", reason: expect.stringContaining("ECONNREFUSED") };
    await vi.waitFor(async () => expect(await get()).toMatchObject({ state: "failed", log }), waiting);
    const lines = expect.arrayContaining([expect.stringContaining("missing.py")]);
    expect(await get("/log")).toMatchObject({ lines });
    const metrics = (await send("GET", "/metrics")).text;
    expect(metrics).toContain('firesteel_gateway_log_failures_total{operation="keep"} 1');
  });
});
