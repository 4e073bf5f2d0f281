import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testWith } from "../test-with.ts";
import { root } from "./programs.ts";

const bin = join(root, "dist", "bin");
const manual = join(root, "dist", "man");
const pages = readdirSync(manual).sort();

/** Completes a line as bash does at a TAB, with the script as a user sources it. */
function completeInBash(line: string): readonly string[] {
  const script = [
    `firesteel() { "${process.execPath}" "${bin}/firesteel.cjs" "$@"; }`,
    "source <(firesteel completion bash)",
    "COMP_LINE=$1 COMP_POINT=$" + "{#1}",
    "_firesteel",
    `printf '%s\\n' "$` + `{COMPREPLY[@]}"`,
  ].join("\n");
  const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", line], { encoding: "utf8", cwd: root });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((text) => text !== "");
}

test.each([
  ["firesteel clu", ["cluster"]],
  ["firesteel cluster sta", ["start", "status"]],
  ["firesteel cluster start --sync a", ["always"]],
  ["spark-submit --deploy-mode ", ["client", "cluster"]],
  [
    "/opt/bin/spark-submit --conf spark.kubernetes.container.image.pullP",
    ["spark.kubernetes.container.image.pullPolicy="],
  ],
  ["spark-submit --conf spark.kubernetes.container.image.pullPolicy=A", ["Always"]],
  ["spark-submit --master k8s:", ["//https://", "//embedded"]],
  ["firesteel nothing ", []],
])("bash completes %j to %j", (line, expected) => {
  expect(completeInBash(line)).toEqual(expected);
});

/** Runs a script of a shell in which `firesteel` is the built program, and returns the lines of its output. */
function linesOf(shell: "fish" | "zsh", script: string): readonly string[] {
  const program = `"${process.execPath}" "${bin}/firesteel.cjs"`;
  const start = shell === "fish" ? `function firesteel; ${program} $argv; end` : `firesteel() { ${program} "$@"; }`;
  const args = shell === "zsh" ? ["-f", "-c"] : ["--no-config", "-c"];
  const { stdout, stderr } = spawnSync(shell, [...args, `${start}\n${script}`], { encoding: "utf8", cwd: manual });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((text) => text !== "");
}

testWith("fish")("fish completes commands, options, settings and files", () => {
  const complete = (line: string) => linesOf("fish", `firesteel completion fish | source; complete -C '${line}'`);
  expect(complete("firesteel cluster sto")).toEqual([expect.stringMatching(/^stop\tstop the cluster/)]);
  expect(complete("spark-submit --super")).toEqual(["--supervise\tRestart of the driver after a failure."]);
  expect(complete("spark-submit --conf spark.driver.supervise=t")).toEqual(["spark.driver.supervise=true"]);
  expect(complete("spark-submit --files firesteel-p")).toContain("firesteel-ps.1");
  expect(complete("firesteel nothing ")).toEqual([]);
});

testWith("zsh")("zsh completes commands, options and files", () => {
  const complete = (...args: readonly string[]) =>
    linesOf(
      "zsh",
      [
        "compdef() { registered=$*; }",
        "_describe() { print -rl -- ${(P)2} ${@:3}; }",
        "_files() { print -r -- files $*; }",
        "compset() { :; }",
        "source <(firesteel completion zsh)",
        "print -r -- $registered",
        `words=(${args.map((arg) => `'${arg}'`).join(" ")}); CURRENT=$#words; _firesteel`,
      ].join("\n"),
    ).slice(1);
  expect(complete("firesteel", "cluster", "sto")).toEqual([expect.stringMatching(/^stop:stop the cluster/)]);
  expect(complete("spark-submit", "--conf", "spark.app.n")).toEqual(["spark.app.name=", "-S"]);
  expect(complete("spark-submit", "--files", "")).toEqual(["files"]);
  expect(complete("firesteel", "nothing", "")).toEqual([]);
});

test("the package lists its manual pages", () => {
  const { man } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(man).toEqual(pages.map((name) => `./dist/man/${name}`));
});

test.each(pages)("the manual page %s has a name, a synopsis, and only requests of man(7)", (name) => {
  const text = readFileSync(join(manual, name), "utf8");
  expect(text).toMatch(/^\.TH "FIRESTEEL.*" 1 |^\.TH "SPARK\\-SUBMIT" 1 /);
  expect(text).toMatch(/\n\.SH NAME\n\S+ \\- \S.*\n\.SH SYNOPSIS\n\S/);
  const requests = [...text.matchAll(/^[.'](\S*)/gm)].map(([, request = ""]) => request);
  expect(requests.filter((request) => !["TH", "SH", "SS", "PP", "TP", "br"].includes(request))).toEqual([]);
});

testWith("man")("man renders every page without warnings", () => {
  for (const name of pages) {
    const environment = { ...process.env, LC_ALL: "C.UTF-8", MANWIDTH: "100", MANPAGER: "cat" };
    const args = ["--warnings=w", "-l", join(manual, name)];
    const { stdout, stderr } = spawnSync("man", args, { encoding: "utf8", env: environment });
    expect([name, stderr]).toEqual([name, ""]);
    expect(stdout).toMatch(/^NAME\n +\S+ - /m);
  }
});
