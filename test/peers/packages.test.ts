import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { describeWith } from "../test-with.ts";

/** Recorded results of Spark's resolver: jars in order, and the digests of some. */
interface Recording {
  readonly packages: readonly {
    readonly coordinates: string;
    readonly jars: readonly string[];
    readonly sha256?: readonly string[];
  }[];
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const recording: Recording = JSON.parse(
  readFileSync(join(root, "test/golden/recorded/packages/spark-4.3.0.json"), "utf8"),
);
const home = mkdtempSync(join(tmpdir(), "packages-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function resolve(...args: readonly string[]) {
  return spawnSync(
    process.execPath,
    ["--use-openssl-ca", "dist/bin/firesteel.cjs", "packages", "resolve", "--json", ...args],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, HOME: home, FIRESTEEL_CACHE: join(home, "cache") },
    },
  );
}

interface Jar {
  readonly file: string;
  readonly localPath?: string;
}

function jarsOf({ status, stdout, stderr }: ReturnType<typeof resolve>): readonly Jar[] {
  expect(stderr).not.toMatch(/Error/);
  expect(status).toBe(0);
  return JSON.parse(stdout).jars;
}

const first = resolve("--list", "org.postgresql:postgresql:42.7.7");
const isReachable = first.status === 0;
if (!isReachable && process.env["CI"] !== undefined) throw new Error(first.stderr);
const repository = isReachable ? {} : { missing: `requires the public repository: ${first.stderr}` };

/** Ivy orders several files of one module by a hash table. */
function sortedByModule(files: readonly string[]): readonly string[] {
  const module = (file: string) => file.replace(/-(linux|osx|windows)-\w+(?=\.jar$)/, "");
  const firstIndex = new Map<string, number>();
  for (const [index, file] of files.entries()) if (!firstIndex.has(module(file))) firstIndex.set(module(file), index);
  return files.toSorted(
    (one, other) => (firstIndex.get(module(one)) ?? 0) - (firstIndex.get(module(other)) ?? 0) || (one < other ? -1 : 1),
  );
}

describeWith(repository)("the jars of common packages", {}, () => {
  test.each(recording.packages)(
    "$coordinates: the same jars as Spark's resolver, in its order",
    ({ coordinates, jars }) => {
      const files = jarsOf(resolve("--list", coordinates)).map(({ file }) => file);
      expect(sortedByModule(files)).toEqual(sortedByModule(jars));
    },
  );

  test.each(recording.packages.filter(({ sha256 }) => sha256 !== undefined))(
    "$coordinates: the same content as Spark's resolver",
    ({ coordinates, jars, sha256 = [] }) => {
      const fetched = jarsOf(resolve("--into", join(home, "jars"), coordinates));
      const digests = new Map(
        fetched.map(({ file, localPath = "" }) => [
          file,
          createHash("sha256").update(readFileSync(localPath)).digest("hex"),
        ]),
      );
      expect(jars.map((file) => digests.get(file))).toEqual(sha256);
    },
  );
});
