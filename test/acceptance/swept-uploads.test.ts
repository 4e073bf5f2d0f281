import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import { apiNamespaces } from "./api-namespaces.ts";
import { call } from "./embedded-api.ts";
import { run, temporaryDirectory } from "./programs.ts";

describe("a sweep of drivers without a waiting client", { timeout: 120_000 }, () => {
  const api = apiNamespaces("swept");

  /** Creates a driver with an upload, which has ended. */
  async function endedDriver(...settings: readonly string[]) {
    const { args, namespace } = await api.create();
    const [cwd, shared] = [temporaryDirectory(), temporaryDirectory()];
    writeFileSync(join(cwd, "job.py"), "print(1)\n");
    const all = [
      ...[`spark.kubernetes.file.upload.path=file://${shared}`, "spark.kubernetes.driver.pod.name=driver"],
      ...settings,
    ].flatMap((setting) => ["--conf", setting]);
    expect(await run("spark-submit", [...args, ...all, "job.py"], { cwd })).toMatchObject({ exit: 0 });
    const pod = resourcePath(resourceTypes.pod, namespace, "driver");
    await call(api.cluster(), "PATCH", `${pod}/status`, { status: { phase: "Succeeded" } });
    const sweep = (...more: readonly string[]) =>
      run("firesteel", ["sweep", ...args.slice(0, 2), "--namespace", namespace, ...more]);
    return { sweep, uploads: () => readdirSync(shared) };
  }

  test("removes their uploads once with removeUploads, and a dry run lists them", async () => {
    const { sweep, uploads } = await endedDriver("spark.firesteel.staging.removeUploads=true");
    expect(uploads()).toHaveLength(1);
    const output = /^would be deleted uploads of driver: file:\/\S+\/spark-upload-[0-9a-f-]{36}\n$/;
    expect(await sweep("--dry-run")).toMatchObject({ exit: 0, stdout: expect.stringMatching(output) });
    expect(uploads()).toHaveLength(1);
    const swept = await sweep();
    expect(swept).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^deleted uploads of driver: /) });
    expect(uploads()).toEqual([]);
    expect((await sweep()).stdout).toMatch(/^Nothing to sweep/);
  });

  test("keeps their uploads without removeUploads", async () => {
    const { sweep, uploads } = await endedDriver();
    expect((await sweep()).stdout).toMatch(/^Nothing to sweep/);
    expect(uploads()).toHaveLength(1);
  });
});
