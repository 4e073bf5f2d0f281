import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { commandNames, main } from "./main.ts";

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const host = testHost({ argv, env, files: { "/work/a.py": "" } });
  return { exitCode: await main(host), out: host.outText(), error: host.errorText() };
}

const templateKey = "spark.kubernetes.driver.podTemplateFile";
const application = ["--deploy-mode", "cluster", "local:///a.py"];

describe("suggests the name that a misspelled one means", () => {
  test.each([
    ["sbmit", "Did you mean firesteel submit?"],
    ["cluster strat", "Did you mean firesteel cluster start?"],
    ["cluster strat --help", "Did you mean firesteel cluster start?"],
    ["help cluster strat", "Did you mean firesteel cluster start?"],
    ["cluster --name x status", "Did you mean firesteel cluster status --name …?"],
    ["cluster --name start status", "Did you mean firesteel cluster status --name …?"],
    ["cluster chaos --name x add", "Did you mean firesteel cluster chaos add --name …?"],
    ["cluster chaos --json list", "Did you mean firesteel cluster chaos list --json …?"],
    ["spark --json", "Use one of: list, home, install, prepare."],
    ["cluster image lst", "Did you mean firesteel cluster image list?"],
    ["cluster chaos evcit", "Did you mean firesteel cluster chaos evict?"],
    ["spark instal 4.0", "Did you mean firesteel spark install?"],
    ["packages reslove g:a:1", "Did you mean firesteel packages resolve?"],
    ["standalone redyz --master spark://h:6066", "Did you mean firesteel standalone readyz?"],
    ["demo jaav", "Did you mean java?"],
    ["cluster start --sandbox bwarp", "Did you mean bwrap?"],
    ["cluster start --sync alwyas", "Did you mean always?"],
    ["cluster start --nmae x", "Did you mean --name?"],
    ["status --nmespace x", "Did you mean --namespace?"],
    ["sweep --dryrun", "Did you mean --dry-run?"],
    ["render --ouput json", "Did you mean --output?"],
    ["render --output jsno", "Did you mean json?"],
    ["render --only drivr", "Did you mean driver?"],
    ["diff --agianst ns:pod", "Did you mean --against?"],
    ["version --jsn", "Run with --help to list all options."],
  ])("firesteel %s: %s", async (args, hint) => {
    const { exitCode, out, error } = await run(args.split(" "));
    expect(error.split("\n").filter((line) => line.startsWith("Error: "))).toHaveLength(1);
    expect([exitCode, out, error]).toEqual([
      args.startsWith("diff") ? 2 : 1,
      "",
      expect.stringContaining(`Hint: ${hint}`),
    ]);
  });

  test.each([
    ["k8s://embeded", "k8s://embedded"],
    ["k8s://Embedded", "k8s://embedded"],
    ["k8s://embedded/", "k8s://embedded"],
    ["k8s:/embedded", "k8s://embedded"],
    ["embedded", "k8s://embedded"],
    ["ks8://h:1", "k8s://https://HOST:PORT"],
    ["kubernetes://user:password@h", "k8s://https://HOST:PORT"],
    ["spakr://h:7077", "spark://HOST:PORT"],
    ["yran", "yarn"],
    ["lcoal", "local"],
    ["lcoal[2]", "local[2]"],
  ])("--master %s: %s", async (master, nearest) => {
    for (const command of ["submit", "render", "explain"]) {
      const { exitCode, error } = await run([command, "--master", master, ...application]);
      expect(exitCode).toBe(1);
      expect(error).toContain(`Hint: Did you mean ${nearest}? `);
      expect(error).not.toContain("password");
    }
    const status = await run(["status", "--master", master]);
    expect([status.exitCode, status.error]).toEqual([1, expect.stringContaining(`Hint: Did you mean ${nearest}? `)]);
  });

  test("a deploy mode and a choice of a setting", async () => {
    const pull = "spark.kubernetes.container.image.pullPolicy=Alwyas";
    const { error } = await run([
      "submit",
      "--master",
      "k8s://h",
      "--conf",
      pull,
      "--deploy-mode",
      "clutser",
      "local:///a.py",
    ]);
    expect(error).toContain("Hint: Did you mean cluster? Write --deploy-mode client or --deploy-mode cluster.");
    expect(error).toContain("Hint: Did you mean Always? Set spark.kubernetes.container.image.pullPolicy to one of: ");
  });
});

test.each([
  ["the application", ["ap.py"], "Did you mean /work/app.py? If the file is in the image, write local:///work/ap.py."],
  ["a file", ["--files", "daat.csv", "local:///a.py"], "Did you mean /work/data.csv? If"],
  ["a properties file", ["--properties-file", "my.cnof", "local:///a.py"], "Did you mean my.conf? Pass"],
  [
    "a pod template",
    ["--conf", `${templateKey}=/work/pdo.yaml`, "local:///a.py"],
    "Did you mean /work/pod.yaml? Check",
  ],
  [
    "an executor's pod template",
    ["--conf", `${templateKey.replace("driver", "executor")}=/work/pdo.yaml`, "local:///a.py"],
    "Did you mean /work/pod.yaml? Check",
  ],
  [
    "a keytab",
    ["--principal", "p", "--keytab", "/work/user.keytba", "local:///a.py"],
    "Did you mean /work/user.keytab?",
  ],
])("suggests an existing file for %s", async (_, args, hint) => {
  const files = ["app.py", "data.csv", "my.conf", "pod.yaml", "user.keytab"].map((name) => [`/work/${name}`, ""]);
  const master = ["render", "--master", "k8s://https://h", "--deploy-mode", "cluster"];
  const host = testHost({ argv: [...master, ...args], cwd: "/work", files: Object.fromEntries(files) });
  expect([await main(host), host.errorText()]).toEqual([1, expect.stringContaining(`Hint: ${hint}`)]);
});

test("rejects a master that is a misspelled k8s://embedded (SUBMIT_ERR_MASTER_MISSPELLED), but for Spark's own behavior", async () => {
  const argv = ["submit", "--master", "k8s://embeded", ...application];
  const expected = [
    "Error: The master k8s://embeded seems to be misspelled: its host has no domain and no port.",
    "Hint: Did you mean k8s://embedded? For a host of this name, write k8s://https://embeded.",
  ];
  expect((await run(argv)).error).toBe(`${expected.join("\n")}\n`);
  const named = ["submit", "--master", "k8s://embeded/team", ...application];
  expect((await run(named)).error).toContain("Did you mean k8s://embedded? ");
  for (const master of ["k8s://https://embeded", "k8s://embeded:443", "k8s://embeded.example", "k8s://h"]) {
    const { error } = await run(["render", "--master", master, ...application]);
    expect(error).not.toContain("misspelled");
  }
  expect((await run(argv, { FIRESTEEL_STRICT: "1" })).error).not.toContain("misspelled");
});

test.each(commandNames)("help %s and %s --help print the same usage text to stdout", async (name) => {
  const help = await run(["help", name]);
  expect(help).toEqual({ exitCode: 0, out: expect.stringMatching(/^Usage: \S/), error: "" });
  expect(await run([name, "--help"])).toEqual(help);
  expect(await run([name, "-h"])).toEqual(help);
});

test("prints the usage text of a subcommand, and after an error to stderr", async () => {
  expect((await run(["help", "cluster", "chaos"])).out).toMatch(/^Usage: firesteel cluster chaos/);
  expect((await run(["help", "cluster", "start"])).out).toMatch(/^Usage: firesteel cluster start \[options\]/);
  expect((await run(["cluster", "image", "load", "-h"])).out).toMatch(/^Usage: firesteel cluster image load FILE/);
  for (const group of ["cluster", "spark", "packages", "standalone"]) {
    expect(await run([group])).toEqual({ exitCode: 1, out: "", error: (await run([group, "--help"])).out });
  }
  const usage = (await run(["help", "submit"])).out;
  expect(await run(["submit"])).toEqual({ exitCode: 255, out: "", error: usage });
});

test.each(["constructor", "toString", "help constructor", "cluster constructor"])(
  "rejects firesteel %s as an unknown command",
  async (args) => {
    expect(await run(args.split(" "))).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining("Unknown command: "),
    });
  },
);
