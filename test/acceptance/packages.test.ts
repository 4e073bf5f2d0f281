import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { modulesFrom } from "../../src/packages/test-modules.ts";
import { apiNamespaces } from "./api-namespaces.ts";
import { dataOf } from "./localize-objects.ts";
import { run, temporaryDirectory } from "./programs.ts";

/** Writes a Maven repository, and returns the environment of a user who uses it. */
function userWithRepository(): { readonly directory: string; readonly env: Readonly<Record<string, string>> } {
  const directory = temporaryDirectory();
  for (const [path, text] of Object.entries(modulesFrom(join(directory, "m"), ["x:1 -> a:1", "a:1"]))) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const env = { HOME: directory, DEFAULT_ARTIFACT_REPOSITORY: `file:${directory}/m` };
  return { directory, env };
}

describe("packages of a submission", { timeout: 120_000 }, () => {
  const api = apiNamespaces("packages");

  test("are resolved before it, and their jars reach the driver like other files", async () => {
    const { directory, env } = userWithRepository();
    const { args, objects } = await api.create();
    const submission = [...args, "--packages", "g:x:1", "--class", "Main", "local:///app.jar"];
    const render = () => run("firesteel", ["render", ...submission], { env, cwd: directory });

    const before = await render();
    expect(before.exit).toBe(0);
    expect(before.stdout).toContain("spark.jars.packages=g\\:x\\:1");
    expect(before.stderr).toContain("The jars of g:x:1 are not in the cache.");

    const outcome = await run("spark-submit", submission, { env, cwd: directory });
    expect(outcome).toMatchObject({ exit: 0 });
    expect(outcome.stderr).toContain("Resolving one package.");
    expect(outcome.stderr).toContain("INFO Packages: Added 2 jars for g:x:1");
    const properties = dataOf(await objects(), "ConfigMap", "spark.properties");
    const jars = ["g_x-1.jar", "g_a-1.jar"].map((name) => `file\\:///opt/spark-deps/jars/${name}`);
    expect(properties).toContain(`spark.jars=${jars.join(",")},local\\:///app.jar`);
    expect(properties).not.toContain("spark.jars.packages");

    const after = await render();
    expect(after.stdout).toContain(`spark.jars=${jars.join(",")}`);
    expect(after.stderr).not.toContain("not in the cache");
    const explained = await run("firesteel", ["explain", ...submission, "spark.jars"], { env, cwd: directory });
    expect(explained.stdout).toContain("packages");
  });

  test("are those of the lock file that `packages lock` wrote", async () => {
    const { directory, env } = userWithRepository();
    const { args } = await api.create();
    const locked = await run("firesteel", ["packages", "lock", "g:x:1"], { env, cwd: directory });
    expect(locked.stdout).toBe(`Locked 2 jars in ${directory}/spark-packages.lock\n`);
    const submission = (packages: string) =>
      run("spark-submit", [...args, "--packages", packages, "--class", "Main", "local:///app.jar"], {
        ...{ env, cwd: directory },
      });
    const used = await submission("g:x:1");
    expect(used.stderr).not.toContain("Resolving");
    expect(used).toMatchObject({ exit: 0 });
    const other = await submission("g:a:1");
    expect(other.exit).toBe(1);
    expect(other.stderr).toContain(
      `Cannot use the lock file ${directory}/spark-packages.lock: it is for other packages.`,
    );
    expect(other.stderr).toContain(`firesteel packages lock --lock ${directory}/spark-packages.lock`);
    const jar = join(directory, "m/g/a/1/a-1.jar");
    writeFileSync(jar, `${readFileSync(jar, "utf8")} changed`);
    const fresh = { ...env, XDG_CACHE_HOME: join(directory, "other-cache") };
    const changed = await run("spark-submit", [...args, "--packages", "g:x:1", "--class", "M", "local:///app.jar"], {
      ...{ env: fresh, cwd: directory },
    });
    expect(changed.stderr).toContain("g_a-1.jar does not match the lock file");
  });
});
