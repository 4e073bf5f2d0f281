import { createServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { type TestHost, testHost } from "../../host/test-host.ts";
import { modulesFrom } from "../../packages/test-modules.ts";
import { runPackagesCommand } from "./packages.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface TestRepository {
  readonly url: string;
  readonly requests: string[];
  readonly files: Record<string, string>;
}

/** Serves a repository of modules. @param password of the user `me` */
async function serve(modules: readonly string[], password?: string): Promise<TestRepository> {
  const files: Record<string, string> = { ...modulesFrom("/m", modules) };
  const requests: string[] = [];
  const authorization = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    const isAllowed = password === undefined || request.headers.authorization === authorization;
    const text = files[request.url ?? ""];
    response.statusCode = isAllowed ? (text === undefined ? 404 : 200) : 401;
    response.end(isAllowed ? text : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/m`, requests, files };
}

function machine({ url }: TestRepository, files: Readonly<Record<string, string>> = {}): TestHost {
  return testHost({ env: { DEFAULT_ARTIFACT_REPOSITORY: url, FIRESTEEL_CACHE: "/c" }, files });
}

const modules = ["x:1 -> a:1, b:1", "a:1", "b:1"];

describe("firesteel packages resolve", () => {
  test("stores jars in Spark's directory with Spark's names, and prints their paths", { tags: "long" }, async () => {
    const host = machine(await serve(modules));
    expect(await runPackagesCommand(host, ["resolve", "g:x:1", "--exclude-packages", "g:b"])).toBe(0);
    expect(host.outText()).toBe("/home/tester/.ivy2.5.2/jars/g_x-1.jar\n/home/tester/.ivy2.5.2/jars/g_a-1.jar\n");
    expect(host.files.readText("/home/tester/.ivy2.5.2/jars/g_a-1.jar")).toBe("jar of a:1");
    expect(host.files.list("/home/tester/.ivy2.5.2/jars")).toEqual(["g_a-1.jar", "g_x-1.jar"]);
  });

  test("lists jars without a download with --list", async () => {
    const host = machine(await serve(modules));
    await runPackagesCommand(host, ["resolve", "--list", "--conf", "spark.jars.packages=g:x:1"]);
    expect(host.outText()).toBe("g:x:1\ng:a:1\ng:b:1\n");
    expect(host.files.info("/home/tester/.ivy2.5.2")).toBeUndefined();
  });

  test("sends no request for cached files, and none at all with --offline", async () => {
    const repository = await serve(modules);
    const host = machine(repository);
    await runPackagesCommand(host, ["resolve", "g:x:1", "--into", "one"]);
    repository.requests.length = 0;
    await runPackagesCommand(host, ["resolve", "g:x:1", "--into", "two", "--offline"]);
    expect(repository.requests).toEqual([]);
    expect(host.files.list("/home/tester/job/two")).toEqual(["g_a-1.jar", "g_b-1.jar", "g_x-1.jar"]);
    await expect(runPackagesCommand(host, ["resolve", "g:y:1", "--offline"])).rejects.toMatchObject({
      code: "SUBMIT_ERR_PACKAGE_UNRESOLVED",
      message: "[unresolved dependency: g#y;1: not found]",
    });
  });

  test("writes a lock file, and later uses exactly its jars", { tags: "long" }, async () => {
    const repository = await serve(modules);
    const host = machine(repository);
    await runPackagesCommand(host, ["resolve", "g:x:1", "--into", "one", "--lock", "jars.lock"]);
    const lock = JSON.parse(host.files.readText("/home/tester/job/jars.lock") ?? "");
    expect(lock).toMatchObject({ version: 1, packages: ["g:x:1"], excludes: [], transitive: true });
    expect(lock.jars[1]).toEqual({
      coordinate: "g:a:1",
      path: "g/a/1/a-1.jar",
      file: "g_a-1.jar",
      sha256: "debc516b4dd2794e1f6712f1f5c4883b4514f08bd2db203e5f03ced86ea02d73",
      sizeBytes: 10,
    });
    const elsewhere = machine(repository, {
      "/home/tester/job/jars.lock": host.files.readText("/home/tester/job/jars.lock") ?? "",
    });
    repository.requests.length = 0;
    const frozen = ["resolve", "g:x:1", "--into", "two", "--lock", "jars.lock", "--frozen", "--json"];
    await runPackagesCommand(elsewhere, frozen);
    expect(repository.requests.filter((path) => path.endsWith(".pom"))).toEqual([]);
    expect(JSON.parse(elsewhere.outText()).jars[1].localPath).toBe("/home/tester/job/two/g_a-1.jar");
    await expect(runPackagesCommand(elsewhere, frozen.with(1, "g:a:1"))).rejects.toMatchObject({
      code: "SUBMIT_ERR_PACKAGE_LOCK",
      message: expect.stringContaining("it is for other packages"),
    });
  });

  test("rejects and removes a jar that does not match the lock file", async () => {
    const repository = await serve(modules);
    const host = machine(repository);
    await runPackagesCommand(host, ["resolve", "g:x:1", "--into", "one", "--lock", "/l"]);
    repository.files["/m/g/a/1/a-1.jar"] = "another jar";
    const elsewhere = machine(repository, { "/l": host.files.readText("/l") ?? "" });
    await expect(
      runPackagesCommand(elsewhere, ["resolve", "g:x:1", "--into", "/two", "--lock", "/l"]),
    ).rejects.toMatchObject({ code: "SUBMIT_ERR_PACKAGE_DIGEST" });
    expect(elsewhere.files.list("/two")?.filter((name) => name.includes("g_a"))).toEqual([]);
    repository.files["/m/g/a/1/a-1.jar"] = "jar of a:1";
    await runPackagesCommand(elsewhere, ["resolve", "g:x:1", "--into", "/two", "--lock", "/l"]);
    expect(elsewhere.files.readText("/two/g_a-1.jar")).toBe("jar of a:1");
  });

  test("uses packages that sbt published on this machine", async () => {
    const directory = "/ivy/local/org.example/app_2.13/0.1-SNAPSHOT";
    const host = machine(await serve(modules), {
      [`${directory}/poms/app_2.13.pom`]:
        "<project><groupId>org.example</groupId><artifactId>app_2.13</artifactId><version>0.1-SNAPSHOT</version><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency></dependencies></project>",
      [`${directory}/jars/app_2.13.jar`]: "published jar",
    });
    const args = ["--conf", "spark.jars.ivy=/ivy", "org.example:app_2.13:latest.integration"];
    await runPackagesCommand(host, ["resolve", ...args]);
    expect(host.outText()).toBe("/ivy/jars/org.example_app_2.13-0.1-SNAPSHOT.jar\n/ivy/jars/g_a-1.jar\n");
    expect(host.files.readText("/ivy/jars/org.example_app_2.13-0.1-SNAPSHOT.jar")).toBe("published jar");
  });

  test("does not cache a page that a server sends instead of a POM", async () => {
    const repository = await serve(modules);
    const pomPath = "/m/g/a/1/a-1.pom";
    const pom = repository.files[pomPath] ?? "";
    repository.files[pomPath] = "<html><body>Log in first.</body></html>";
    const host = machine(repository);
    await expect(runPackagesCommand(host, ["resolve", "g:x:1"])).rejects.toMatchObject({
      message: "[unresolved dependency: g#a;1: its POM has the root element html instead of project]",
    });
    repository.files[pomPath] = pom;
    expect(await runPackagesCommand(host, ["resolve", "g:x:1", "--list"])).toBe(0);
  });

  test("reports all invalid repository URLs together, without passwords", async () => {
    const wrong = "http://me:sesame@[bad/,ftp://me:sesame@h/,me:sesame@h,https://h/m";
    const failure = runPackagesCommand(testHost(), ["resolve", "g:x:1", "--repositories", wrong]);
    await expect(failure).rejects.toMatchObject({
      issues: ["http://[bad/", "ftp://h/", "h"].map((url, index) => ({
        code: "SUBMIT_ERR_PACKAGE_REPOSITORY_URL",
        message: `Invalid URL of the repository repo-${index + 1}: ${url}`,
      })),
    });
  });

  test("rejects Maven settings that are not XML (SUBMIT_ERR_MAVEN_SETTINGS)", async () => {
    const host = testHost({ files: { "/home/tester/.m2/settings.xml": "<settings><oops>" } });
    await expect(runPackagesCommand(host, ["resolve", "g:x:1"])).rejects.toMatchObject({
      code: "SUBMIT_ERR_MAVEN_SETTINGS",
      message:
        "Cannot parse the Maven settings /home/tester/.m2/settings.xml: the file is not valid XML: 1:16: unclosed tag: oops",
    });
  });

  test("deletes files of killed commands after a day", async () => {
    const orphan = "/c/packages/work/left";
    const host = machine(await serve([...modules, "y:1"]), { [orphan]: "half" });
    await runPackagesCommand(host, ["resolve", "g:x:1"]);
    expect(host.files.readText(orphan)).toBe("half");
    await host.advance(25 * 60 * 60 * 1000);
    await runPackagesCommand(host, ["resolve", "g:y:1"]);
    expect(host.files.readText(orphan)).toBeUndefined();
  });

  test("sends credentials of Maven's settings to their repository only, and never prints them", async () => {
    const repository = await serve(modules, "open sesame");
    const settings = (password: string) => ({
      "/home/tester/.m2/settings.xml": `<settings><servers><server><id>private</id><username>me</username><password>${password}</password></server></servers><mirrors><mirror><id>private</id><mirrorOf>central</mirrorOf><url>${repository.url}</url></mirror></mirrors></settings>`,
    });
    const host = testHost({
      env: {
        FIRESTEEL_CACHE: "/c",
        DEFAULT_ARTIFACT_REPOSITORY: "http://127.0.0.1:1",
        SECRET: "open sesame",
      },
      files: settings("${env.SECRET}"),
    });
    await runPackagesCommand(host, ["resolve", "g:x:1", "--list"]);
    expect(host.outText()).toBe("g:x:1\ng:a:1\ng:b:1\n");
    const denied = testHost({
      env: { DEFAULT_ARTIFACT_REPOSITORY: repository.url.replace("//", "//me:wrong@") },
    });
    const failure = await runPackagesCommand(denied, ["resolve", "g:x:1"]).catch((error: unknown) => String(error));
    expect(failure).toMatch(/unresolved|answered 401/);
    expect(`${failure}${denied.errorText()}${host.errorText()}`).not.toMatch(/wrong|sesame/);
  });

  test.each(["p%40ss:1", "p@ss:1"])("uses the password %s of a URL", async (password) => {
    const repository = await serve(modules, "p@ss:1");
    const host = testHost({
      env: { DEFAULT_ARTIFACT_REPOSITORY: repository.url.replace("//", `//me:${password}@`) },
    });
    expect(await runPackagesCommand(host, ["resolve", "g:x:1", "--list"])).toBe(0);
  });

  test("uses a password with a literal %", async () => {
    const repository = await serve(modules, "100%");
    const host = testHost({
      env: { DEFAULT_ARTIFACT_REPOSITORY: repository.url.replace("//", "//me:100%@") },
    });
    expect(await runPackagesCommand(host, ["resolve", "g:x:1", "--list"])).toBe(0);
  });

  test("uses only the repositories of Ivy settings, with their credentials", async () => {
    const repository = await serve(modules, "sesame");
    const settings = `<ivysettings><settings defaultResolver="only"/><credentials host="127.0.0.1" username="me" passwd="sesame"/><resolvers><ibiblio name="only" m2compatible="true" root="${repository.url}"/></resolvers></ivysettings>`;
    const host = testHost({ files: { "/ivy.xml": settings } });
    const args = ["resolve", "g:x:1", "--list", "--conf"];
    await runPackagesCommand(host, [...args, "spark.jars.ivySettings=/ivy.xml"]);
    expect(host.outText()).toBe("g:x:1\ng:a:1\ng:b:1\n");
    await expect(runPackagesCommand(host, [...args, "spark.jars.ivySettings=no.xml"])).rejects.toThrow(
      "Ivy settings file /home/tester/job/no.xml does not exist",
    );
    await expect(runPackagesCommand(host, [...args, "spark.jars.ivySettings=s3a://b/i.xml"])).rejects.toMatchObject({
      code: "SUBMIT_ERR_IVY_SETTINGS_SCHEME",
      message: "Scheme s3a not supported in spark.jars.ivySettings",
    });
  });

  test("reports all invalid arguments together", async () => {
    await expect(
      runPackagesCommand(testHost(), ["resolve", "g:x", "--exclude-packages", "y", "--frozen"]),
    ).rejects.toMatchObject({
      issues: [
        { code: "SUBMIT_ERR_ARG_VALUE_MISSING" },
        { code: "SUBMIT_ERR_PACKAGE_COORDINATE" },
        { code: "SUBMIT_ERR_PACKAGE_EXCLUSION" },
      ],
    });
    await expect(runPackagesCommand(testHost(), ["fetch"])).rejects.toThrow("packages fetch");
  });
});

describe("firesteel packages lock", () => {
  test("writes the lock file of the working directory", { tags: "long" }, async () => {
    const host = machine(await serve(modules));
    expect(await runPackagesCommand(host, ["lock", "g:x:1"])).toBe(0);
    expect(host.outText()).toBe("Locked 3 jars in /home/tester/job/spark-packages.lock\n");
    const text = host.files.readText("/home/tester/job/spark-packages.lock") ?? "";
    expect(JSON.parse(text).jars[1]).toMatchObject({ coordinate: "g:a:1", file: "g_a-1.jar", sizeBytes: 10 });
    expect(host.files.list(host.files.temporaryRoot)?.filter((name) => name.includes("lock"))).toEqual([]);
  });

  test("prints the jars with --json, into another file with --lock", { tags: "long" }, async () => {
    const host = machine(await serve(modules));
    await runPackagesCommand(host, ["lock", "g:b:1", "--lock", "b.lock", "--json"]);
    const printed = JSON.parse(host.outText());
    expect(printed.path).toBe("/home/tester/job/b.lock");
    expect(printed.jars).toEqual(JSON.parse(host.files.readText("/home/tester/job/b.lock") ?? "").jars);
  });

  test("rejects a released jar that has changed since (SUBMIT_ERR_PACKAGE_DIGEST)", { tags: "long" }, async () => {
    const repository = await serve(modules);
    const host = machine(repository);
    await runPackagesCommand(host, ["lock", "g:b:1"]);
    repository.files["/m/g/b/1/b-1.jar"] = "another jar";
    const elsewhere = machine(repository, {
      "/home/tester/job/spark-packages.lock": host.files.readText("/home/tester/job/spark-packages.lock") ?? "",
    });
    await expect(runPackagesCommand(elsewhere, ["lock", "g:b:1"])).rejects.toMatchObject({
      code: "SUBMIT_ERR_PACKAGE_DIGEST",
    });
  });

  test("requires coordinates, and rejects options of resolve", async () => {
    const host = testHost();
    await expect(runPackagesCommand(host, ["lock"])).rejects.toMatchObject({
      code: "SUBMIT_ERR_ARGUMENT_MISSING",
      message: "firesteel packages lock requires the coordinates of packages.",
    });
    await expect(runPackagesCommand(host, ["lock", "g:b:1", "--frozen"])).rejects.toMatchObject({
      code: "SUBMIT_ERR_ARG_UNKNOWN",
    });
  });
});
