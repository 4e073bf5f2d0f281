import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";

const files = {
  "/home/tester/.config/firesteel/firesteel.yaml":
    "profiles:\n  prod:\n    spark.executor.instances: 8\n    spark.driver.memory: 2g\n",
  "/w/firesteel.yaml": [
    "profiles:",
    "  prod:",
    "    spark.driver.memory: 3g",
    "    spark.kubernetes.container.image: reg/spark:4.0.5",
    "  test: {spark.executor.instances: 1}",
    "  other: {spark.executor.instances: 2}",
  ].join("\n"),
};

const submission = ["--master", "k8s://https://api:1", "--deploy-mode", "cluster", "--class", "Main"];

async function run(argv: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const host = testHost({ argv, files: { ...files, ...more }, cwd: "/w/project/sub" });
  const exit = await main(host);
  return { exit, out: host.outText(), error: host.errorText() };
}

function memoryOf(out: string): string | undefined {
  return /spark\.driver\.memory=(\w+)/.exec(out)?.[1];
}

test("--profile applies the settings of the user's file, then those of the project, below the command line", async () => {
  const { exit, out } = await run(["render", ...submission, "--profile", "prod", "local:///a.jar"]);
  expect(exit).toBe(0);
  expect(out).toContain("spark.executor.instances=8");
  expect(out).toContain("image: reg/spark:4.0.5");
  expect(memoryOf(out)).toBe("3g");
  const own = ["--conf", "spark.driver.memory=4g", "--profile", "prod", "local:///a.jar"];
  expect(memoryOf((await run(["render", ...submission, ...own])).out)).toBe("4g");
  const option = ["--driver-memory", "5g", "--profile", "prod", "local:///a.jar"];
  expect(memoryOf((await run(["render", ...submission, ...option])).out)).toBe("5g");
});

test("a profile takes precedence over properties files", async () => {
  const more = { "/w/p.conf": "spark.driver.memory=9g" };
  const args = [...submission, "--properties-file", "/w/p.conf", "--profile", "prod", "local:///a.jar"];
  expect(memoryOf((await run(["render", ...args], more)).out)).toBe("3g");
});

test("firesteel explain shows the file and the line of a profile's setting", async () => {
  const { out } = await run(["explain", ...submission, "--profile", "prod", "local:///a.jar"]);
  expect(out).toContain("/w/firesteel.yaml:4");
});

test("an unknown profile is reported with the known ones (SUBMIT_ERR_PROFILE_UNKNOWN)", async () => {
  const { exit, error } = await run(["render", ...submission, "--profile", "prodd", "local:///a.jar"]);
  expect(exit).toBe(1);
  expect(error).toBe(
    "Error: There is no profile prodd in /home/tester/.config/firesteel/firesteel.yaml or /w/firesteel.yaml.\n" +
      "Hint: Did you mean prod? Use one of: other, prod, test.\n",
  );
});

test("a key that is not a setting is rejected, also in another profile", async () => {
  const wrong = { "/w/firesteel.yaml": "profiles: {test: {}, wrong: {executor.instances: 1}}" };
  const { error } = await run(["render", ...submission, "--profile", "test", "local:///a.jar"], wrong);
  expect(error).toContain("/w/firesteel.yaml: profiles.wrong.executor.instances is not the key of a setting.");
});
