import { describe, expect, test } from "vitest";
import type { TestChild } from "../host/test-children.ts";
import { type TestHost, testHost } from "../host/test-host.ts";
import { archivePath, type PackableEnvironment, provideArchive } from "./environment-archive.ts";

const target = { version: "3.11", processor: "x86_64", isLocal: false } as const;
const requirements = { kind: "requirements", path: "/w/requirements.txt" } as const;

interface Machine {
  readonly files?: Readonly<Record<string, string>>;
  readonly tools?: readonly string[];
  /** Exit code of the installer. @default 0 */
  readonly code?: number;
}

/** A machine whose `tar` writes the names of its arguments, and whose installers write a package. */
function machine({ files = {}, tools = ["uv", "python3", "tar"], code = 0 }: Machine = {}): TestHost {
  const host: TestHost = testHost({
    cwd: "/w",
    env: { FIRESTEEL_CACHE: "/c" },
    files: { "/w/requirements.txt": "numpy\npyspark\n", ...files },
    spawn: (child) => (tools.includes(child.command) ? act(host, child, code) : "missing"),
  });
  return host;
}

function act(host: TestHost, { command, args, write, exit }: TestChild, code: number): void {
  const optionOf = (name: string) => args[args.indexOf(name) + 1] ?? "";
  if (command === "tar") host.files.write(optionOf("-czf"), args.slice(2).join(" "));
  if (args.includes("install") && code === 0) host.files.write(`${optionOf("--target")}/numpy.py`, "");
  if (args.includes("install") && code !== 0) write(2, "no matching distribution\n");
  if (args.includes("-c")) write(1, "numpy>=1\npyspark\n");
  if (args.includes("export")) host.files.write(optionOf("--output-file"), "numpy==1\n");
  exit(args.includes("install") ? code : 0);
}

/** Returns the arguments of the installer, without temporary paths. */
function installation(host: TestHost): string {
  const call = host.children.find(({ args }) => args.includes("install"));
  return [call?.command, ...(call?.args ?? [])].join(" ").replaceAll(/\/c\/python-env\/\S*\/\.work-[^/ ]*/g, "WORK");
}

const build = (host: TestHost, environment: PackableEnvironment) => host.settle(provideArchive(host, environment));

describe("the archive of an environment", () => {
  test("is built once, with an interpreter that finds the packages", async () => {
    const host = machine();
    const environment = { source: requirements, target };
    const archive = await build(host, environment);
    expect(archive).toBe(archivePath(host, environment));
    expect(host.files.readText(archive)).toMatch(/^-C \S+\/env bin site-packages$/);
    expect(installation(host)).toBe(
      "uv pip install --quiet --no-python-downloads --target WORK/env/site-packages --overrides WORK/overrides.txt --python-version 3.11 --python-platform x86_64-manylinux_2_28 --only-binary :all: --requirement /w/requirements.txt",
    );
    expect(host.errorText()).toContain(
      "Building the environment of /w/requirements.txt for Python 3.11 on x86_64 with uv",
    );
    expect(host.files.list(archive.replace(/\/[^/]*$/, ""))).toEqual(["env.tar.gz"]);
    const before = host.children.length;
    expect(await build(host, environment)).toBe(archive);
    expect(host.children).toHaveLength(before);
  });

  test("is another one for other requirements, included files or targets", () => {
    const paths = [
      archivePath(machine(), { source: requirements, target }),
      archivePath(machine({ files: { "/w/requirements.txt": "scipy" } }), { source: requirements, target }),
      archivePath(machine({ files: { "/w/requirements.txt": "-r a.txt", "/w/a.txt": "x" } }), {
        source: requirements,
        target,
      }),
      archivePath(machine({ files: { "/w/requirements.txt": "-r a.txt", "/w/a.txt": "y" } }), {
        source: requirements,
        target,
      }),
      archivePath(machine(), { source: requirements, target: { ...target, version: "3.12" } }),
      archivePath(machine(), { source: requirements, target: { ...target, processor: "aarch64" } }),
    ];
    expect(new Set(paths).size).toBe(paths.length);
  });

  test("uses pip without uv, and the local interpreter for packages without wheels", async () => {
    const host = machine({ tools: ["python3", "tar"] });
    await build(host, { source: requirements, target: { ...target, isLocal: true } });
    expect(installation(host)).toBe(
      "python3 -m pip install --quiet --no-warn-script-location --target WORK/env/site-packages --requirement WORK/requirements.txt",
    );
    const foreign = machine({ tools: ["python3", "tar"] });
    await build(foreign, { source: requirements, target });
    expect(installation(foreign)).toContain(
      "--python-version 3.11 --implementation cp --only-binary :all: --platform manylinux_2_28_x86_64",
    );
    expect(installation(foreign)).toContain("--platform manylinux2014_x86_64");
    const local = machine();
    await build(local, { source: requirements, target: { ...target, isLocal: true } });
    expect(installation(local)).toContain("--python python3 --requirement");
  });

  test("has the locked packages of a project, or its dependencies", async () => {
    const source = { kind: "project", path: "/w/pyproject.toml" } as const;
    const files = { "/w/pyproject.toml": "[project]" };
    const locked = machine({ files: { ...files, "/w/uv.lock": "x" } });
    await build(locked, { source, target });
    expect(locked.children.map(({ args }) => args[0])).toContain("export");
    expect(installation(locked)).toContain("--requirement WORK/requirements.txt");
    const unlocked = machine({ files });
    await build(unlocked, { source, target });
    expect(installation(unlocked)).toContain("--requirement /w/pyproject.toml");
    const withPip = machine({ files, tools: ["python3", "tar"] });
    await build(withPip, { source, target });
    expect(installation(withPip)).toContain("--requirement WORK/requirements.txt");
  });

  test("has the packages of a virtual environment, or all of a directory with its own interpreter", async () => {
    const sitePackages = "/v/lib/python3.11/site-packages";
    const host = machine({ files: { [`${sitePackages}/a.py`]: "" } });
    const venv = await build(host, { source: { kind: "venv", path: "/v", sitePackages, version: "3.11" }, target });
    expect(host.files.readText(venv)).toMatch(
      /^-C \S+\/env bin -C \/v\/lib\/python3\.11\/site-packages\/\.\. site-packages$/,
    );
    const conda = await build(host, { source: { kind: "interpreter", path: "/v" }, target: undefined });
    expect(host.files.readText(conda)).toBe("-C /v .");
  });

  test("is not built if the installer fails, whose output is shown (SUBMIT_ERR_PYTHON_ENV_BUILD)", async () => {
    const host = machine({ code: 2 });
    const environment = { source: requirements, target };
    await expect(build(host, environment)).rejects.toMatchObject({
      code: "SUBMIT_ERR_PYTHON_ENV_BUILD",
      message: "The environment of /w/requirements.txt cannot be built: uv failed with exit code 2.",
    });
    expect(host.errorText()).toContain("no matching distribution\n");
    expect(host.files.info(archivePath(host, environment))).toBeUndefined();
  });

  test("needs uv or pip (SUBMIT_ERR_PYTHON_ENV_INSTALLER)", async () => {
    await expect(build(machine({ tools: ["tar"] }), { source: requirements, target })).rejects.toMatchObject({
      code: "SUBMIT_ERR_PYTHON_ENV_INSTALLER",
    });
  });

  test("is not packed without tar", async () => {
    await expect(build(machine({ tools: ["uv"] }), { source: requirements, target })).rejects.toMatchObject({
      code: "SUBMIT_ERR_PYTHON_ENV",
      message: "Cannot use the Python environment /w/requirements.txt: tar failed: spawn tar ENOENT.",
    });
  });
});
