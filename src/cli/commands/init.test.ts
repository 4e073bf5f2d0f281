import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { runInitCommand } from "./init.ts";

describe("firesteel init pyspark", () => {
  test("creates a project, and prints the command that runs it", async () => {
    const host = testHost({ cwd: "/w" });
    expect(await runInitCommand(host, ["pyspark", "my job"])).toBe(0);
    expect(host.files.list("/w/my job")).toEqual([
      ...[".gitignore", "README.md", "job.conf", "job.py", "requirements.txt", "sales.csv"],
    ]);
    expect(host.outText()).toContain("  cd 'my job'\n  spark-submit --properties-file job.conf job.py\n");
    expect(host.files.readText("/w/my job/README.md")).toContain("spark-submit --properties-file job.conf job.py");
  });

  test("uses an empty directory", async () => {
    const host = testHost({ files: { "/p/x": "" } });
    host.files.remove("/p/x");
    expect(await runInitCommand(host, ["pyspark", "/p"])).toBe(0);
    expect(host.files.info("/p/job.py")?.kind).toBe("file");
  });

  test.each([
    ["/p", "it is not empty"],
    ["/p/x", "it is not a directory"],
  ])("rejects %s, because %s (SUBMIT_ERR_INIT_DIRECTORY)", async (directory, reason) => {
    const host = testHost({ files: { "/p/x": "text" } });
    await expect(runInitCommand(host, ["pyspark", directory])).rejects.toMatchObject({
      code: "SUBMIT_ERR_INIT_DIRECTORY",
      message: `Cannot create a project in ${directory}: ${reason}.`,
    });
    expect(host.files.list("/p")).toEqual(["x"]);
  });

  test("requires a directory, and knows its kinds of projects", async () => {
    const host = testHost();
    await expect(runInitCommand(host, ["pyspark"])).rejects.toMatchObject({ code: "SUBMIT_ERR_ARGUMENT_MISSING" });
    await expect(runInitCommand(host, ["scala", "d"])).rejects.toMatchObject({ code: "SUBMIT_ERR_COMMAND_UNKNOWN" });
    expect(await runInitCommand(host, ["--help"])).toBe(0);
    expect(host.outText()).toContain("Usage: firesteel init <command> DIR");
  });
});
