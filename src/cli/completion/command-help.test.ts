import { describe, expect, test } from "vitest";
import { acceptsSparkOptions, choicesIn, optionsOf, parseUsage, subcommandsOf } from "./command-help.ts";

const usage = `Usage: firesteel move ID [options]
       firesteel move --all

Move something. The line
goes on.

  FROM   where it is
  TO     where it goes

Options to select (default: all):
  -f, --follow            print new lines, too,
                          until the end
  --a SIZE, --b SIZE
                          limits
  --long-option NAMESPACE:POD pod to move
  -c, --conf KEY=VALUE    setting
  --json                  JSON output
  --conf, --properties-file and similar options are those of spark-submit
Closing text.

More text.
`;

describe("a usage text", () => {
  const help = parseUsage(usage);

  test("has forms, paragraphs and lists", () => {
    expect(help.synopsis).toEqual(["firesteel move ID [options]", "firesteel move --all"]);
    expect(help.blocks.map((block) => (block.kind === "text" ? block.text : [block.title, block.rows.length]))).toEqual(
      [
        "Move something. The line goes on.",
        [undefined, 2],
        ["Options to select (default: all):", 6],
        "Closing text.",
        "More text.",
      ],
    );
  });

  test("has options with their other names, placeholders and descriptions", () => {
    expect(optionsOf(help)).toEqual([
      { names: ["-f", "--follow"], value: undefined, text: "print new lines, too, until the end" },
      { names: ["--a"], value: "SIZE", text: "limits" },
      { names: ["--b"], value: "SIZE", text: "limits" },
      { names: ["--long-option"], value: "NAMESPACE:POD", text: "pod to move" },
      { names: ["-c", "--conf"], value: "KEY=VALUE", text: "setting" },
      { names: ["--json"], value: undefined, text: "JSON output" },
    ]);
    expect(acceptsSparkOptions(help)).toBe(true);
    expect(acceptsSparkOptions(parseUsage("Usage: firesteel render [options] <spark-submit arguments>\n"))).toBe(true);
  });

  test("has subcommands only if its form says so", () => {
    const group = "Usage: firesteel x <command>\n\n  start    start it\n  lose-node  stop it\n\nMore: --help\n";
    expect(subcommandsOf(parseUsage(group)).map(({ head, text }) => [head, text])).toEqual([
      ["start", "start it"],
      ["lose-node", "stop it"],
    ]);
    expect(subcommandsOf(parseUsage(group.replace("<command>", "NAME")))).toEqual([]);
    expect(acceptsSparkOptions(parseUsage(group))).toBe(false);
  });
});

test.each([
  [
    "sandbox of the containers: auto, bwrap, unshare, process or fake (default: auto)",
    "auto bwrap unshare process fake",
  ],
  ["network of pods: pod (one each, if possible) or shared (this machine's) (default: pod)", "pod shared"],
  ["only these states: pending, running, deleting", "pending running deleting"],
  ["yaml, or json for one List (default: yaml)", "yaml json"],
  ["kubernetes: any account that can create pods in the namespace; none: any client", "kubernetes none"],
  ["logs to print on the standard output: driver, or all with the executors (default: none)", "driver all"],
  ["docker, podman or buildah (default: the first that works)", "docker podman buildah"],
  ["port to listen on", ""],
])("the values in %j are %s", (text, values) => {
  expect(choicesIn(text).join(" ")).toBe(values);
});
