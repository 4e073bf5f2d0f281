import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { main } from "../main.ts";

const examples = ["render-explain-diff", "upgrade-spark"].flatMap((name) => {
  const page = readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");
  const [, job = ""] = /^JOB="([^"]+)"$/m.exec(page) ?? [];
  return [...page.matchAll(/^```console\n\$ (.*)\n([\s\S]*?)^```$/gm)].map(
    ([, command = "", output = ""]) => [command, output, job] as const,
  );
});

test.each(examples)("$ %s prints what the page shows", async (command, output, job) => {
  const argv = command
    .replaceAll("$JOB", job)
    .split(/\s+/)
    .map((arg) => arg.replace(/^'(.*)'$/, "$1"))
    .slice(1);
  const host = testHost({ argv });
  await main(host);
  const parts = output.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  expect(host.errorText()).toBe("");
  expect(host.outText()).toMatch(new RegExp(`^${parts.join("[^]*?")}$`));
});

test("the pages have an example of each command", () => {
  const commands = new Set(examples.map(([command]) => command.split(" ")[1]));
  expect([...commands]).toEqual(["render", "explain", "diff"]);
});
