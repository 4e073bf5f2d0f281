import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Pod } from "../../src/kube/types.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { describeWith } from "../test-with.ts";
import { accessibilityViolations, startBrowser } from "./browser.ts";
import { type DashboardGateway, openDashboardGateway, submitTo } from "./dashboard-gateway.ts";
import { call, startApi } from "./embedded-api.ts";
import { driversIn, eventually, setStatus } from "./gateway-cluster.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const container = { name: "spark-kubernetes-driver", image: "spark", imageID: "", restartCount: 0 };
const running = {
  phase: "Running",
  containerStatuses: [{ ...container, ready: true, state: { running: { startedAt: "2026-01-01T00:00:01Z" } } }],
};
const outOfMemory = {
  phase: "Failed",
  containerStatuses: [
    {
      ...{ ...container, ready: false },
      state: { terminated: { exitCode: 137, reason: "OOMKilled", finishedAt: "2026-01-01T00:00:05Z" } },
    },
  ],
};

let directory: string;
let cluster: EmbeddedCluster;
let gateway: DashboardGateway;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let logLines: string[];
const failures: string[] = [];

describeWith("Chromium")("the dashboard", {}, () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "dashboard-"));
    [cluster, browser] = await Promise.all([startApi(directory), startBrowser()]);
  });

  afterAll(async () => {
    await browser?.close();
    await cluster?.stop();
    rmSync(directory, { recursive: true });
  });

  beforeEach(async () => {
    logLines = ["INFO one", "WARN two"];
    gateway = await openDashboardGateway(cluster, () => logLines);
    context = await browser.newContext();
    page = await context.newPage();
    failures.length = 0;
    page.on("console", (message) => {
      if (message.type() === "error") failures.push(message.text());
    });
    page.on("pageerror", ({ message }) => failures.push(message));
  });

  afterEach(async () => {
    await context.close();
    for (const { record } of gateway.schedules.list()) await gateway.schedules.remove(record, undefined);
    for (const { record } of [...gateway.applications.list()]) await gateway.applications.remove(record.key, undefined);
    await gateway.stop();
  });

  const view = (fragment = "") => `${gateway.url}/ui${fragment}`;
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });

  /** Submits an application, and waits for its driver. */
  async function started(name: string, status: Pod["status"] = running) {
    const record = await submitTo(gateway, { name });
    await eventually(() => gateway.applications.get(record.key)?.driver);
    await setStatus(cluster, record.podName, status);
    return record;
  }

  async function createSchedule(name: string, schedule: string): Promise<void> {
    const application = { name, app: "local:///opt/app.jar", class: "Main" };
    const created = await gateway.schedules.create({
      ...{ namespace: "default", name, owner: undefined, isSuspended: false, application },
      rules: { schedule, concurrencyPolicy: "Allow" },
    });
    expect(created.kind).toBe("created");
  }

  async function addExecutor(podName: string, id: string, status: Pod["status"]): Promise<void> {
    const driver = (await driversIn(cluster)).find(({ metadata }) => metadata?.name === podName);
    const name = `${podName}-exec-${id}`;
    const labels = { ...driver?.metadata?.labels, "spark-role": "executor", "spark-exec-id": id };
    const spec = { containers: [{ name: "executor", image: "spark" }] };
    await call(cluster, "POST", resourcePath(resourceTypes.pod, "default"), {
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name, labels }, spec },
    });
    await setStatus(cluster, name, status);
  }

  describe("the files of the page", () => {
    test("are compressed, revalidated and immutable, and the root leads to the page", async () => {
      const redirect = await fetch(`${gateway.url}/`, { redirect: "manual" });
      expect([redirect.status, redirect.headers.get("location")]).toEqual([302, "/spark/ui"]);
      const response = await fetch(view());
      const html = await response.text();
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
      const etag = response.headers.get("etag") ?? "";
      expect((await fetch(view(), { headers: { "if-none-match": etag } })).status).toBe(304);
      const [, script = ""] = /src="(ui\/app-[0-9a-f]{12}\.js)"/.exec(html) ?? [];
      const found = await fetch(`${gateway.url}/${script}`);
      expect([found.headers.get("content-encoding"), found.headers.get("cache-control")]).toEqual([
        "gzip",
        "public, max-age=31536000, immutable",
      ]);
      expect((await fetch(`${gateway.url}/ui/../../package.json`)).status).toBe(404);
      expect((await fetch(view("/index.html"))).status).toBe(404);
      expect((await fetch(view(), { method: "POST" })).status).toBe(405);
    });

    test("are less than 100 kB", async () => {
      let bytes = 0;
      const client = await context.newCDPSession(page);
      await client.send("Network.enable");
      client.on("Network.loadingFinished", ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await page.goto(view());
      await page.getByText("No application yet.").waitFor();
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(100_000);
    });
  });

  describe("the list", () => {
    test("follows states and positions, and filters", async () => {
      await page.goto(view());
      const { podName } = await started("report");
      await row("report").getByText("running").waitFor();
      for (const name of ["etl-1", "etl-2", "etl-3", "etl-4"]) await submitTo(gateway, { name, queue: "nightly" });
      await row("etl-4").getByText("1 application is before it in queue nightly.").waitFor();
      await setStatus(cluster, podName, outOfMemory);
      await row("report").getByText("failed").waitFor();
      await row("report").getByText("OOMKilled").waitFor();
      await page.getByRole("button", { name: "Failed 1" }).click();
      await page.getByText("1 of 5 applications").waitFor();
      await page.getByRole("searchbox").fill("nothing like this");
      await page.getByRole("button", { name: "Clear the filters" }).click();
      await page.getByRole("combobox", { name: "Queue" }).selectOption("nightly");
      await page.getByText("4 of 5 applications").waitFor();
      expect(failures).toEqual([]);
    });

    test("shows why the scheduler of a queue holds an application back, also in its view", async () => {
      const { podName } = await submitTo(gateway, { name: "experiment", queue: "research" });
      await eventually(async () => (await driversIn(cluster)).find(({ metadata }) => metadata?.name === podName));
      await call(cluster, "POST", resourcePath(resourceTypes.event, "default"), {
        ...{ apiVersion: "v1", kind: "Event", metadata: { generateName: "driver-" }, type: "Normal" },
        ...{ involvedObject: { kind: "Pod", namespace: "default", name: podName }, source: { component: "yunikorn" } },
        ...{
          reason: "Scheduling",
          message: "the queue quota has been exceeded",
          lastTimestamp: "2026-01-01T00:00:00Z",
        },
      });
      await page.goto(view());
      await row("experiment").getByText("YuniKorn: the queue quota has been exceeded.").waitFor();
      await page.getByRole("link", { name: "experiment" }).click();
      await page.getByRole("status").getByText("YuniKorn: the queue quota has been exceeded.").waitFor();
      await page.getByRole("link", { name: "Queues" }).click();
      await row("research").getByText("YuniKorn: root.research").waitFor();
      expect(failures).toEqual([]);
    });

    test("opens an application by keyboard", async () => {
      await started("report");
      await page.goto(view());
      await row("report").waitFor();
      const heading = page.getByRole("heading", { name: "report" });
      for (let presses = 0; presses < 25; presses += 1) {
        await page.keyboard.press("Tab");
        if ((await page.evaluate("document.activeElement.textContent")) === "report") break;
      }
      await page.keyboard.press("Enter");
      await heading.waitFor();
      expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
    });
  });

  describe("an application", () => {
    test("shows its course, log, executors and settings without secrets", async () => {
      const { key, podName } = await started("report");
      await addExecutor(podName, "1", { phase: "Running" });
      await addExecutor(podName, "2", {
        phase: "Failed",
        containerStatuses: [
          {
            ...{ ...container, name: "executor", ready: false },
            state: { terminated: { exitCode: 52, reason: "Error", finishedAt: "2026-01-01T00:00:05Z" } },
          },
        ],
      });
      await page.goto(view(`#/applications/${key}`));
      await page.getByRole("region", { name: "Timeline" }).getByText("Running").waitFor();
      await page.getByText("WARN two").waitFor();
      logLines.push("ERROR three of three");
      await page.getByText("ERROR three of three").waitFor();
      await page.getByRole("searchbox", { name: "Search the log" }).fill("THREE");
      await page.getByText("1 of 3 lines").waitFor();
      expect(await page.locator("mark").allTextContents()).toEqual(["three", "three"]);
      await page.getByRole("link", { name: "Executors 1 failed" }).click();
      await page.getByText("1 executor of 2 failed: 1 × Error.").waitFor();
      await page.getByRole("link", { name: "Settings" }).click();
      const setting = row("spark.hadoop.fs.s3a.secret.key");
      await setting.getByText("set by the gateway's configuration").waitFor();
      expect(await page.content()).not.toContain("hidden-value");
      expect(failures).toEqual([]);
    });

    test("shows the reason and the next step, and runs again", async () => {
      const { key } = await started("report", outOfMemory);
      await page.goto(view(`#/applications/${key}`));
      await page.getByText("OOMKilled, exit code 137.").waitFor();
      await page.getByText("Increase spark.driver.memory").waitFor();
      await page.getByRole("button", { name: "Run again" }).click();
      await page.getByText("Attempt").waitFor();
      expect(gateway.applications.get(key)?.record.attempt).toBe(2);
    });

    test("is killed after a confirmation", async () => {
      const { key } = await started("report");
      await page.goto(view(`#/applications/${key}`));
      await page.getByRole("button", { name: "Kill" }).click();
      await page.keyboard.press("Escape");
      expect(gateway.applications.get(key)?.state).toBe("running");
      await page.getByRole("button", { name: "Kill" }).click();
      await page.getByRole("button", { name: "Kill the application" }).click();
      await page.getByText("Killed by anonymous.").waitFor();
      expect(gateway.applications.get(key)?.record.killed).toBeDefined();
    });
  });

  describe("the schedules", () => {
    test("show the next and the last run, and are suspended and resumed", async () => {
      await page.goto(view("#/schedules"));
      await page.getByText("No schedule yet.").waitFor();
      await createSchedule("tick", "@every 1s");
      const run = await eventually(() => [...gateway.applications.list()][0]);
      await page.reload();
      await page.getByRole("button", { name: "Suspend tick" }).click();
      await row("tick").getByText("suspended").waitFor();
      expect(gateway.schedules.get({ namespace: "default", name: "tick" })?.record.isSuspended).toBe(true);
      await page.getByRole("button", { name: "Resume tick" }).click();
      await page.getByRole("button", { name: "Suspend tick" }).waitFor();
      await page.getByRole("link", { name: "run tick-" }).click();
      await page.getByRole("heading", { name: "tick-" }).waitFor();
      expect(run.record.schedule?.name).toBe("tick");
      expect(failures).toEqual([]);
    });
  });

  describe("the form", () => {
    test("shows the problems at their fields, and submits", async () => {
      await page.goto(view("#/submit"));
      await page.getByRole("button", { name: "Submit" }).click();
      await page.getByText("The name is missing.").waitFor();
      await page.getByText("The main file is missing.").waitFor();
      expect(await page.evaluate("document.activeElement.name")).toBe("name");
      await page.getByLabel("Name (required)").fill("report");
      await page.getByLabel("Main file").fill("local:///opt/app.jar");
      await page.getByLabel("Main class").fill("Main");
      await page.getByLabel("Settings").fill("spark.executor.instances=x");
      await page.getByRole("button", { name: "Submit" }).click();
      await page.getByText("spark.executor.instances", { exact: false }).first().waitFor();
      await page.getByLabel("Settings").fill("spark.executor.instances=3");
      await page.getByLabel("Queue").selectOption("nightly");
      await page.getByRole("button", { name: "Submit" }).click();
      await page.getByRole("heading", { name: "report" }).waitFor();
      const [application] = [...gateway.applications.list()];
      expect(application?.record).toMatchObject({
        queue: "nightly",
        submission: { settings: { "spark.executor.instances": "3" } },
      });
    });

    test("of another origin changes nothing", async () => {
      const { key } = await started("report");
      await page.route("http://other.example/", (route) =>
        route.fulfill({
          contentType: "text/html",
          body: `<form method="post" action="${gateway.url}/api/v1/applications/${key}/kill"><button>go</button></form>`,
        }),
      );
      await page.goto("http://other.example/");
      const response = page.waitForResponse((found) => found.url().endsWith("/kill"));
      await page.getByRole("button").click();
      expect((await response).status()).toBe(403);
      expect(gateway.applications.get(key)?.state).toBe("running");
    });
  });

  describe("accessibility", () => {
    test.each(["light", "dark"] as const)(
      "axe-core finds no violation in the %s theme, at any width",
      async (scheme) => {
        const { key, podName } = await started("report");
        await addExecutor(podName, "1", { phase: "Failed" });
        const failed = await started("broken", outOfMemory);
        await submitTo(gateway, { name: "etl", queue: "nightly" });
        await createSchedule("nightly-report-of-all-regions", "30 2 * * mon-fri");
        const tick = { namespace: "default", name: "tick" };
        await createSchedule(tick.name, "@every 1s");
        await eventually(() => gateway.schedules.get(tick)?.record.lastRun);
        await gateway.schedules.setSuspended(tick, true, { user: undefined });
        await page.emulateMedia({ colorScheme: scheme });
        const application = `#/applications/${key}`;
        const parts = ["log", "executors", "events", "settings"].map((part) => `${application}/${part}`);
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 844 });
          for (const fragment of [
            "#/",
            ...parts,
            `#/applications/${failed.key}`,
            "#/queues",
            "#/schedules",
            "#/submit",
          ]) {
            await page.goto(view(fragment));
            await page.getByText("Live").waitFor({ state: "attached" });
            await page.getByRole("heading", { level: 1 }).waitFor();
            await page.getByText(/^Reading the/).waitFor({ state: "detached" });
            expect(await accessibilityViolations(page, axe), `${fragment} at ${width}`).toEqual([]);
            expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), fragment).toBe(true);
          }
        }
      },
    );
  });
});
