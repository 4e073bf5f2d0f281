import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Script } from "node:vm";
import { describe, expect, test } from "vitest";
import { startAcceptingApi } from "./accepting-api.ts";
import { root, run, temporaryDirectory } from "./programs.ts";

/** Statistics that a program writes when it exits. */
interface Note {
  readonly modules: readonly string[];
  /** Size in bytes, by name. */
  readonly parts: Readonly<Record<string, number>>;
}

async function observed(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: Parameters<typeof run>[0] = "spark-submit",
): Promise<Note & { readonly exit: number | string }> {
  const note = join(temporaryDirectory(), "at-exit.json");
  const preload = `--require=${join(root, "scripts", "bench", "at-exit.cjs")}`;
  const { exit } = await run(program, args, {
    env: { NODE_OPTIONS: preload, FIRESTEEL_AT_EXIT: note, ...env },
  });
  return { exit, ...parseNote(readFileSync(note, "utf8")) };
}

function parseNote(text: string): Note {
  return JSON.parse(text);
}

function sizeOf(parts: Note["parts"]): number {
  return Object.values(parts).reduce((sum, size) => sum + size);
}

describe("a plain submission", () => {
  test("loads no module that only waiting, errors or rare options need", async () => {
    const { server, kubeconfig } = await startAcceptingApi();
    const args = [
      ...["--master", `k8s://${server}`, "--deploy-mode", "cluster", "--class", "Main"],
      ...["--conf", "spark.kubernetes.container.image=spark", "--conf", "spark.kubernetes.namespace=jobs"],
      ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false"],
      ...["--conf", "spark.sql.shuffle.partitions=64", "local:///app.jar"],
    ];
    const { exit, parts, modules } = await observed(args, { KUBECONFIG: kubeconfig });
    expect(exit).toBe(0);
    expect(Object.keys(parts).sort()).toEqual(["base.cjs", "resolution.cjs", "submission.cjs"]);
    expect(sizeOf(parts)).toBeLessThan(153_600);
    expect(modules).toContain("tls");
    const rare = /^(_?http|child_process|zlib|dns|tty|perf_hooks|readline|worker|inspector|repl|async_hooks)/;
    expect(modules.filter((name) => rare.test(name))).toEqual([]);
  });
});

test("a submission with Hadoop's configuration, but without Kerberos, loads nothing for Kerberos", async () => {
  const { server, kubeconfig } = await startAcceptingApi();
  const directory = temporaryDirectory();
  const site = "<configuration><property><name>fs.defaultFS</name><value>hdfs://nn</value></property></configuration>";
  writeFileSync(join(directory, "core-site.xml"), site);
  const args = [
    ...["--master", `k8s://${server}`, "--deploy-mode", "cluster", "--class", "Main"],
    ...["--conf", "spark.kubernetes.container.image=spark", "--conf", "spark.kubernetes.namespace=jobs"],
    ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///app.jar"],
  ];
  const { exit, parts } = await observed(args, { KUBECONFIG: kubeconfig, HADOOP_CONF_DIR: directory });
  expect(exit).toBe(0);
  const kerberos = [
    ...["curl-session.cjs", "gssapi-session.cjs", "kerberos-issues.cjs", "keytab-login.cjs"],
    ...["negotiating-connections.cjs", "obtain-tokens.cjs", "open-kerberos.cjs"],
  ];
  expect(readdirSync(join(root, "dist", "bin", "parts"))).toEqual(expect.arrayContaining(kerberos));
  expect(Object.keys(parts).filter((name) => kerberos.includes(name))).toEqual([]);
});

test("a completion loads neither the settings nor the client of the API", async () => {
  const args = ["completion", "suggest", "fish", "spark-submit", "--conf", "spark.k"];
  const { exit, parts, modules } = await observed(args, {}, "firesteel");
  expect(exit).toBe(0);
  expect(Object.keys(parts)).toEqual(expect.arrayContaining(["base.cjs"]));
  expect(sizeOf(parts)).toBeLessThan(50_000);
  expect(modules.filter((name) => /^(_?http|tls|crypto|child_process|zlib|dns|readline|worker)/.test(name))).toEqual(
    [],
  );
});

describe("the start of spark-submit", () => {
  const directory = join(root, "dist", "bin");

  test("the first line runs Node with the system's certificate authorities", () => {
    const program = join(directory, "spark-submit.cjs");
    expect(statSync(program).mode & 0o111).toBe(0o111);
    expect(readFileSync(program, "utf8").split("\n")[0]).toBe("#!/usr/bin/env -S node --use-openssl-ca");
  });

  test("this Node accepts the code that V8 compiled at build time", () => {
    const parts = join(directory, "parts");
    const caches = readdirSync(parts).filter((name) => name.endsWith(".cache"));
    expect(caches).toEqual(expect.arrayContaining(["base.cjs.cache", "resolution.cjs.cache", "submission.cjs.cache"]));
    for (const cache of caches) {
      const cachedData = readFileSync(join(parts, cache));
      const filename = basename(cache, ".cache");
      const script = new Script(readFileSync(join(parts, filename), "utf8"), { filename, cachedData });
      expect({ cache, rejected: script.cachedDataRejected }).toEqual({ cache, rejected: false });
    }
  });

  test.each([["--version"], ["--help"]])("%s prints before any network module loads", async (option) => {
    const { exit, modules, parts } = await observed([option]);
    expect(exit).toBe(0);
    expect(Object.keys(parts)).not.toContain("resolution.cjs");
    expect(Object.keys(parts)).not.toContain("submission.cjs");
    expect(modules.filter((name) => /^(https?|tls|net|_http|_tls|dns|crypto|child_process|zlib)/.test(name))).toEqual(
      [],
    );
  });

  test("a rejected command line loads no network module and few error texts", async () => {
    const { exit, modules, parts } = await observed(["--blarg"]);
    expect(exit).toBe(1);
    expect(modules.filter((name) => /^(https?|tls|net|_http|_tls|dns)/.test(name))).toEqual([]);
    expect(Object.keys(parts).sort()).toEqual(["base.cjs", "usage-errors.cjs"]);
    expect(sizeOf(parts)).toBeLessThan(36_700);
  });

  test("an unknown master is rejected before submitting code loads", async () => {
    const { exit, parts } = await observed(["--master", "foo://x", "--class", "Main", "local:///app.jar"]);
    expect(exit).toBe(1);
    expect(Object.keys(parts)).not.toContain("submission.cjs");
  });

  test("a submission without a valid master is rejected before submitting code loads", async () => {
    const { exit, parts } = await observed(["--master", "local", "--deploy-mode", "cluster", "app.jar"]);
    expect(exit).toBe(1);
    expect(Object.keys(parts).sort()).toEqual(["base.cjs", "resolution.cjs", "usage-errors.cjs"]);
    expect(sizeOf(parts)).toBeLessThan(78_000);
  });
});
