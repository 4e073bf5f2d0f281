import { createServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { type TestHost, testHost } from "../../host/test-host.ts";
import { modulesFrom } from "../../packages/test-modules.ts";
import { runPackagesCommand } from "./packages.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Served {
  readonly url: string;
  readonly asked: string[];
  readonly files: Record<string, string>;
}

/** A repository of modules; `password` is that of the user `me`. */
async function serve(modules: readonly string[], password?: string): Promise<Served> {
  const files: Record<string, string> = { ...modulesFrom("/m", modules) };
  const asked: string[] = [];
  const wanted = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const isAllowed = password === undefined || request.headers.authorization === wanted;
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
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/m`, asked, files };
}

function machine({ url }: Served, files: Readonly<Record<string, string>> = {}): TestHost {
  return testHost({ env: { DEFAULT_ARTIFACT_REPOSITORY: url, FIRESTEEL_CACHE: "/c" }, files });
}

const modules = ["x:1 -> a:1, b:1", "a:1", "b:1"];

describe("firesteel packages resolve", () => {
  test("puts jars where Spark has them, under Spark's names, and tells where", async () => {
    const host = machine(await serve(modules));
    expect(await runPackagesCommand(host, ["resolve", "g:x:1", "--exclude-packages", "g:b"])).toBe(0);
    expect(host.outText()).toBe(
      "/home/tester/.ivy2.5.2/jars/g_x-1.jar\n/home/tester/.ivy2.5.2/jars/g_a-1.jar\n",
    );
    expect(host.files.readText("/home/tester/.ivy2.5.2/jars/g_a-1.jar")).toBe("jar of a:1");
    expect(host.files.list("/home/tester/.ivy2.5.2/jars")).toEqual(["g_a-1.jar", "g_x-1.jar"]);
  });

  test("only lists them where that is wanted", async () => {
    const host = machine(await serve(modules));
    await runPackagesCommand(host, ["resolve", "--list", "--conf", "spark.jars.packages=g:x:1"]);
    expect(host.outText()).toBe("g:x:1\ng:a:1\ng:b:1\n");
    expect(host.files.info("/home/tester/.ivy2.5.2")).toBeUndefined();
  });

  test("asks nobody again for what it has, and nobody at all offline", async () => {
    const repository = await serve(modules);
    const host = machine(repository);
    await runPackagesCommand(host, ["resolve", "g:x:1", "--into", "one"]);
    repository.asked.length = 0;
    await runPackagesCommand(host, ["resolve", "g:x:1", "--into", "two", "--offline"]);
    expect(repository.asked).toEqual([]);
    expect(host.files.list("/home/tester/job/two")).toEqual(["g_a-1.jar", "g_b-1.jar", "g_x-1.jar"]);
    await expect(runPackagesCommand(host, ["resolve", "g:y:1", "--offline"])).rejects.toMatchObject({
      code: "SUBMIT_ERR_PACKAGE_UNRESOLVED",
      message: "[unresolved dependency: g#y;1: not found]",
    });
  });

  test("writes a lock file, and later takes exactly what it tells", async () => {
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
    repository.asked.length = 0;
    const frozen = ["resolve", "g:x:1", "--into", "two", "--lock", "jars.lock", "--frozen", "--json"];
    await runPackagesCommand(elsewhere, frozen);
    expect(repository.asked.filter((path) => path.endsWith(".pom"))).toEqual([]);
    expect(JSON.parse(elsewhere.outText()).jars[1].localPath).toBe("/home/tester/job/two/g_a-1.jar");
    await expect(runPackagesCommand(elsewhere, frozen.with(1, "g:a:1"))).rejects.toMatchObject({
      code: "SUBMIT_ERR_PACKAGE_LOCK",
      message: expect.stringContaining("it is of other packages"),
    });
  });

  test("refuses a jar that is not what the lock file tells, and leaves nothing of it", async () => {
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

  test("takes what sbt published on this machine", async () => {
    const place = "/ivy/local/org.example/app_2.13/0.1-SNAPSHOT";
    const host = machine(await serve(modules), {
      [`${place}/poms/app_2.13.pom`]:
        "<project><groupId>org.example</groupId><artifactId>app_2.13</artifactId><version>0.1-SNAPSHOT</version><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency></dependencies></project>",
      [`${place}/jars/app_2.13.jar`]: "published jar",
    });
    const words = ["--conf", "spark.jars.ivy=/ivy", "org.example:app_2.13:latest.integration"];
    await runPackagesCommand(host, ["resolve", ...words]);
    expect(host.outText()).toBe("/ivy/jars/org.example_app_2.13-0.1-SNAPSHOT.jar\n/ivy/jars/g_a-1.jar\n");
    expect(host.files.readText("/ivy/jars/org.example_app_2.13-0.1-SNAPSHOT.jar")).toBe("published jar");
  });

  test("keeps no page that came instead of a POM", async () => {
    const repository = await serve(modules);
    const place = "/m/g/a/1/a-1.pom";
    const pom = repository.files[place] ?? "";
    repository.files[place] = "<html><body>Log in first.</body></html>";
    const host = machine(repository);
    await expect(runPackagesCommand(host, ["resolve", "g:x:1"])).rejects.toMatchObject({
      message: "[unresolved dependency: g#a;1: its POM is html, and not project]",
    });
    repository.files[place] = pom;
    expect(await runPackagesCommand(host, ["resolve", "g:x:1", "--list"])).toBe(0);
  });

  test("tells at once of all repositories whose addresses cannot be used, without passwords", async () => {
    const wrong = "http://me:sesame@[bad/,ftp://me:sesame@h/,me:sesame@h,https://h/m";
    const failure = runPackagesCommand(testHost(), ["resolve", "g:x:1", "--repositories", wrong]);
    await expect(failure).rejects.toMatchObject({
      issues: ["http://[bad/", "ftp://h/", "h"].map((url, index) => ({
        code: "SUBMIT_ERR_PACKAGE_REPOSITORY_URL",
        message: `Invalid URL of the repository repo-${index + 1}: ${url}`,
      })),
    });
  });

  test("tells of Maven's settings that are no XML (SUBMIT_ERR_MAVEN_SETTINGS)", async () => {
    const host = testHost({ files: { "/home/tester/.m2/settings.xml": "<settings><oops>" } });
    await expect(runPackagesCommand(host, ["resolve", "g:x:1"])).rejects.toMatchObject({
      code: "SUBMIT_ERR_MAVEN_SETTINGS",
      message:
        "Cannot parse the Maven settings /home/tester/.m2/settings.xml: the file is not valid XML: 1:16: unclosed tag: oops",
    });
  });

  test("sweeps what killed commands left, once it is a day old", async () => {
    const left = "/c/packages/work/left";
    const host = machine(await serve([...modules, "y:1"]), { [left]: "half" });
    await runPackagesCommand(host, ["resolve", "g:x:1"]);
    expect(host.files.readText(left)).toBe("half");
    await host.advance(25 * 60 * 60 * 1000);
    await runPackagesCommand(host, ["resolve", "g:y:1"]);
    expect(host.files.readText(left)).toBeUndefined();
  });

  test("gives credentials of Maven's settings to the repository they are for, and shows them nowhere", async () => {
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
    const refused = testHost({
      env: { DEFAULT_ARTIFACT_REPOSITORY: repository.url.replace("//", "//me:wrong@") },
    });
    const failure = await runPackagesCommand(refused, ["resolve", "g:x:1"]).catch((error: unknown) =>
      String(error),
    );
    expect(failure).toMatch(/unresolved|answered 401/);
    expect(`${failure}${refused.errorText()}${host.errorText()}`).not.toMatch(/wrong|sesame/);
  });

  test.each(["p%40ss:1", "p@ss:1"])("takes the password %s from an address", async (password) => {
    const repository = await serve(modules, "p@ss:1");
    const host = testHost({
      env: { DEFAULT_ARTIFACT_REPOSITORY: repository.url.replace("//", `//me:${password}@`) },
    });
    expect(await runPackagesCommand(host, ["resolve", "g:x:1", "--list"])).toBe(0);
  });

  test("takes a password with a % that stands for itself", async () => {
    const repository = await serve(modules, "100%");
    const host = testHost({
      env: { DEFAULT_ARTIFACT_REPOSITORY: repository.url.replace("//", "//me:100%@") },
    });
    expect(await runPackagesCommand(host, ["resolve", "g:x:1", "--list"])).toBe(0);
  });

  test("looks only where a file of settings for Ivy leads, with its credentials", async () => {
    const repository = await serve(modules, "sesame");
    const settings = `<ivysettings><settings defaultResolver="only"/><credentials host="127.0.0.1" username="me" passwd="sesame"/><resolvers><ibiblio name="only" m2compatible="true" root="${repository.url}"/></resolvers></ivysettings>`;
    const host = testHost({ files: { "/ivy.xml": settings } });
    const words = ["resolve", "g:x:1", "--list", "--conf"];
    await runPackagesCommand(host, [...words, "spark.jars.ivySettings=/ivy.xml"]);
    expect(host.outText()).toBe("g:x:1\ng:a:1\ng:b:1\n");
    await expect(runPackagesCommand(host, [...words, "spark.jars.ivySettings=no.xml"])).rejects.toThrow(
      "Ivy settings file /home/tester/job/no.xml does not exist",
    );
    await expect(
      runPackagesCommand(host, [...words, "spark.jars.ivySettings=s3a://b/i.xml"]),
    ).rejects.toMatchObject({
      code: "SUBMIT_ERR_IVY_SETTINGS_SCHEME",
      message: "Scheme s3a not supported in spark.jars.ivySettings",
    });
  });

  test("tells all that is wrong with its words at once", async () => {
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
