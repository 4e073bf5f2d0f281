import { expect, test } from "vitest";
import { applicationText, runWithFiles } from "./test-application.ts";

function scheduleText(schedule: string, more = ""): string {
  const [head = "", spec = ""] = applicationText().replace("kind: Spark", "kind: ScheduledSpark").split("spec:\n");
  return `${head}spec:\n  schedule: "${schedule}"\n${more}  template:\n${spec.replace(/^(?=.)/gm, "  ")}`;
}

function run(schedule: string, { options = [], more = "" }: { options?: readonly string[]; more?: string } = {}) {
  const argv = ["schedule", "--file", "s.yaml", "--from", "2026-11-22T10:07:30Z", ...options];
  return runWithFiles(argv, { "s.yaml": scheduleText(schedule, more) });
}

test("firesteel schedule prints the next times, as lines or JSON", async () => {
  const lines = await run("0 9 * * 1-5", { options: ["--count", "2"], more: "  timeZone: Asia/Tokyo\n" });
  expect([lines.exit, lines.out]).toEqual([0, "2026-11-23T00:00:00.000Z\n2026-11-24T00:00:00.000Z\n"]);
  const json = await run("@every 90s", { options: ["--count", "1", "--json"] });
  expect(JSON.parse(json.out)).toEqual(["2026-11-22T10:09:00.000Z"]);
  expect((await run("0 0 30 2 *", { options: ["--json"] })).out).toBe("[]\n");
});

test("firesteel schedule warns of a suspended schedule", async () => {
  expect((await run("@daily", { more: "  suspend: true\n" })).error).toContain("spec.suspend is true");
});

test("firesteel schedule rejects invalid schedules, options and files", async () => {
  expect((await run("0 9 * * 7")).error).toContain(
    'invalid schedule "0 9 * * 7": end of range (7) above maximum (6): 7',
  );
  expect((await run("@daily", { more: "  timeZone: Nowhere\n" })).error).toContain('unknown time zone "Nowhere"');
  const wrong = await run("@daily", { options: ["--from", "soon", "--count", "0"] });
  expect(wrong.error).toContain("--from");
  expect(wrong.error).toContain("--count");
  expect((await runWithFiles(["schedule"], {})).error).toContain("firesteel schedule requires the file of a schedule.");
  const application = await runWithFiles(["schedule", "-f", "a.yaml"], { "a.yaml": applicationText() });
  expect(application.error).toBe(
    [
      "Error: a.yaml contains a SparkApplication, which has no schedule.",
      "Hint: Use a file with one ScheduledSparkApplication.",
      "",
    ].join("\n"),
  );
});

test("firesteel schedule ignores no document and no file", async () => {
  const text = scheduleText("@daily");
  const two = await runWithFiles(["schedule", "-f", "s.yaml"], { "s.yaml": `${text}---\n${text}` });
  expect(two.error).toContain("s.yaml contains 2 documents.\nHint: Use a file with one ScheduledSparkApplication.");
  const empty = await runWithFiles(["schedule", "-f", "s.yaml"], { "s.yaml": "" });
  expect(empty.error).toContain("s.yaml contains nothing.");
  const both = await run("@daily", { options: ["-f", "t.yaml"] });
  expect(both.error).toContain("-f t.yaml and --file s.yaml exclude each other.");
});
