import { expect, test } from "vitest";
import { complete } from "./complete.ts";
import type { CompletedCommand, CompletionData } from "./completion-data.ts";
import { parseShellArguments } from "./parse-shell-arguments.ts";
import { printCompletion } from "./print-completion.ts";

const command: CompletedCommand = { subcommands: [], options: [], acceptsSparkOptions: false, argument: "none" };
const named = (...texts: readonly string[]) => texts.map((text) => ({ text, description: `${text} it` }));
const data: CompletionData = {
  commands: {
    "": { ...command, subcommands: named("cluster", "logs", "submit", "render", "demo", "version") },
    cluster: { ...command, subcommands: named("start", "stop") },
    "cluster start": {
      ...command,
      options: [
        { names: ["--sync"], text: "", value: "choice", choices: ["always", "interval"] },
        { names: ["--api-only"], text: "" },
        { names: ["--name"], text: "", value: "none" },
        { names: ["--host-path"], text: "", value: "directory" },
      ],
    },
    logs: {
      ...command,
      argument: "driver",
      acceptsSparkOptions: true,
      options: [{ names: ["-f", "--follow"], text: "more lines" }],
    },
    submit: command,
    render: { ...command, acceptsSparkOptions: true, argument: "file" },
    demo: { ...command, argument: "choice", choices: ["pi", "java"] },
    version: command,
  },
  sparkOptions: [
    { names: ["--conf", "-c"], text: "", value: "setting" },
    { names: ["--deploy-mode"], text: "", value: "choice", choices: ["client", "cluster"] },
    { names: ["--master"], text: "", value: "master", choices: ["k8s://embedded", "local"] },
    { names: ["--kill"], text: "", value: "driver" },
    { names: ["--verbose"], text: "" },
  ],
  settings: [["spark.app.name"], ["spark.a", ["x1", "x2"]], ["spark.kubernetes.driver.label."]],
};

/** Completes a command line, whose last argument is at the cursor. */
function completed(line: string): string {
  const [program = "", ...args] = parseShellArguments(line);
  const completion = complete(data, { program, args });
  if (completion.kind === "driver") return `driver ${completion.clusterOptions.join(" ")}`.trim();
  if (completion.kind === "master") return ["master", ...completion.suggestions.map(({ text }) => text)].join(" ");
  if (completion.kind !== "list") return completion.kind;
  return completion.suggestions.map(({ text }) => text).join(" ") + (completion.isComplete ? "" : "…");
}

test.each([
  ["firesteel ", "cluster logs submit render demo version"],
  ["firesteel cl", "cluster"],
  ["firesteel help cluster s", "start stop"],
  ["firesteel cluster st", "start stop"],
  ["firesteel cluster unknown ", ""],
  ["firesteel unknown ", ""],
  ["firesteel cluster start --", "--sync --api-only --name --host-path --help"],
  ["firesteel cluster start --sync ", "always interval"],
  ["firesteel cluster start --sync=al", "--sync=always"],
  ["firesteel cluster start --name ", ""],
  ["firesteel cluster start --name x --a", "--api-only"],
  ["firesteel cluster start --name --sync ", ""],
  ["firesteel cluster start --host-path ", "directory"],
  ["firesteel cluster start ", ""],
  ["firesteel logs ", "driver"],
  ["firesteel logs --master k8s://embedded --conf=spark.a=b x", "driver --master=k8s://embedded --conf=spark.a=b"],
  ["firesteel logs --fo", "--follow"],
  ["firesteel logs --master l", "master local"],
  ["firesteel logs --master=k8s", "master --master=k8s://embedded"],
  ["firesteel render x", "file"],
  ["firesteel demo ", "pi java"],
  ["firesteel submit --deploy-mode cl", "client cluster"],
  ["spark-submit --ver", "--verbose"],
  ["spark-submit --kill ", "driver"],
  ["spark-submit app", "file"],
  ["pyspark --conf spark.a", "spark.app.name= spark.a=…"],
  ["spark-submit -c spark.k", "spark.kubernetes.driver.label.…"],
  ["spark-submit --conf spark.a=", "spark.a=x1 spark.a=x2"],
  ["spark-submit --conf spark.app.name=x", ""],
  ["spark-submit --conf=spark.a=x", "--conf=spark.a=x1 --conf=spark.a=x2"],
])("completes %j to %s", (line, expected) => {
  expect(completed(line)).toBe(expected);
});

test.each([
  ["a  b", ["a", "b"]],
  ["a ", ["a", ""]],
  ["", [""]],
  [`a 'b c' "d e`, ["a", "b c", "d e"]],
  ["a\\ b 'c\\d' \"\" x'y'", ["a b", "c\\d", "", "xy"]],
])("splits %j as a shell does", (line, args) => {
  expect(parseShellArguments(line)).toEqual(args);
});

test("prints suggestions in the form of each shell", () => {
  const suggestions = [{ text: "spark.a=k8s://x", description: "one\ntwo" }];
  const printed = { suggestions, current: "spark.a=k8s:", isComplete: true };
  expect(printCompletion("bash", printed)).toBe("full\n//x\n");
  expect(printCompletion("zsh", printed)).toBe("full\nspark.a=k8s\\://x:one two\n");
  expect(printCompletion("fish", { ...printed, isComplete: false })).toBe("partial\nspark.a=k8s://x\tone two\n");
});
