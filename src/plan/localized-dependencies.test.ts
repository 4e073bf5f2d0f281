import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Digest } from "../values/staged-entry.ts";
import { planDriver } from "./driver-conf.ts";
import type { DependencyFacts } from "./facts.ts";
import { localDependencies } from "./local-dependencies.ts";
import { type TestSubmission, testFacts, testRequest } from "./test-driver.ts";

/** File system of a test: the content of a file, the size of one, or `null` for a directory, by path. */
type Machine = Readonly<Record<string, string | number | null>>;

interface LocalSubmission extends Omit<TestSubmission, "facts"> {
  readonly machine: Machine;
}

function plan({ machine, ...submission }: LocalSubmission) {
  const request = testRequest(submission);
  const dependencies = localDependencies(request).map(({ path }) => found(machine[path]));
  return planDriver(request, { ...testFacts, dependencies });
}

function found(thing: string | number | null | undefined): DependencyFacts {
  if (thing === undefined) return { uuid: "u", sizeBytes: undefined };
  if (thing === null) return { uuid: "u", sizeBytes: 0 };
  const sizeBytes = typeof thing === "number" ? thing : thing.length;
  return { uuid: "u", sizeBytes, content: { digest: digestOf(String(thing)), isExecutable: thing === "#!" } };
}

function digestOf(text: string): Digest {
  return `sha256:${Buffer.from(text).toString("hex").padEnd(64, "0").slice(0, 64)}`;
}

function staged(submission: LocalSubmission) {
  const result = plan(submission);
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join("\n"));
  return result.value.staged;
}

function issues(submission: LocalSubmission) {
  const result = plan(submission);
  return result.ok ? [] : result.issues;
}

function codes(submission: LocalSubmission): readonly string[] {
  return issues(submission).map(({ code }) => code);
}

const deps = "file:///opt/spark-deps";

describe("files of this machine", () => {
  test("are named in the directory that the driver mounts, each list in its order", () => {
    const settings = {
      "spark.jars": "https://h/z.jar,file:/me/a.jar,local:///c.jar",
      "spark.files": "file:/me/conf.json",
      "spark.submit.pyFiles": "file:/me/lib.zip,file:/me/b.py",
      "spark.archives": "file:/me/env.tar.gz#env,https://h/x.zip#y",
    };
    const machine = {
      "/me/a.jar": "jar",
      "/me/conf.json": "{}",
      "/me/lib.zip": "zip",
      "/me/b.py": "b",
      "/me/env.tar.gz": "tar",
      "/me/app.py": "#!",
    };
    const { properties, appResource, localized, uploads } = staged({
      ...{ settings, machine },
      appResource: { kind: "python", uri: "file:/me/app.py" },
    });
    expect(properties).toEqual({
      "spark.jars": `https://h/z.jar,${deps}/jars/a.jar,local:///c.jar`,
      "spark.files": `${deps}/files/conf.json`,
      "spark.submit.pyFiles": `${deps}/pyfiles/lib.zip,${deps}/pyfiles/b.py`,
      "spark.archives": `${deps}/archives/env.tar.gz#env,https://h/x.zip#y`,
    });
    expect(appResource).toBe(`${deps}/pyfiles/app.py`);
    expect(uploads).toEqual([]);
    expect(localized).toMatchObject({ transport: "secret", directory: "/opt/spark-deps" });
    expect(localized?.entries).toContainEqual({
      ...{ kind: "pyfile", name: "app.py", path: "/me/app.py" },
      ...{ digest: digestOf("#!"), size: 2, executable: true },
    });
  });

  test("include an R application; a missing one is in the image", () => {
    const submission = { appResource: { kind: "r", uri: "file:/me/a.R" } as const };
    expect(staged({ ...submission, machine: { "/me/a.R": "r" } }).appResource).toBe(`${deps}/files/a.R`);
    expect(staged({ ...submission, machine: {} })).toMatchObject({
      appResource: "file:/me/a.R",
      localized: undefined,
    });
  });

  test("keep their name in --files", () => {
    const settings = { "spark.files": "file:/me/a.txt#b.txt" };
    expect(staged({ settings, machine: { "/me/a.txt": "a" } }).properties).toEqual({
      "spark.files": `${deps}/files/b.txt`,
    });
  });

  test("T73: are in the configured directory, unless Spark would remove them or its own files would be hidden", () => {
    const settings = (directory: string) => ({
      "spark.files": "file:/me/a",
      "spark.firesteel.staging.directory": directory,
    });
    const machine = { "/me/a": "a" };
    expect(staged({ settings: settings("/data/./deps/"), machine }).properties).toEqual({
      "spark.files": "file:///data/deps/files/a",
    });
    const wrong = ["/opt/spark/work-dir", "/opt/spark/work-dir/deps", "/opt//spark/./work-dir/", "/opt", "/opt/spark"];
    for (const directory of wrong) {
      expect(codes({ settings: settings(directory), machine })).toEqual(["SUBMIT_ERR_STAGING_DIRECTORY"]);
    }
    expect(codes({ settings: settings("/opt/spark/work-directory"), machine })).toEqual([]);
    for (const directory of ["deps", "/a,b", "/a/../opt/spark/work-dir", "/a b"]) {
      expect(codes({ settings: settings(directory), machine })).toEqual(["SUBMIT_ERR_SETTING_VALUE"]);
    }
  });
});

describe("files for executors", () => {
  const settings = {
    "spark.jars": "file:/me/a.jar,https://h/z.jar",
    "spark.files": "file:/me/c",
    "spark.executor.extraClassPath": "/own/*",
  };
  const machine = { "/me/a.jar": "jar", "/me/c": "c" };
  const planned = (mode: string, more: object = {}) =>
    staged({ machine, settings: { ...settings, "spark.firesteel.staging.mode": mode, ...more } });

  test("include jars on the disk of each; the driver serves the rest", () => {
    const { properties, localized } = planned("everywhere");
    expect(properties).toEqual({
      "spark.jars": "local:///opt/spark-deps/jars/a.jar,https://h/z.jar",
      "spark.files": `${deps}/files/c`,
      "spark.kubernetes.jars.avoidDownloadSchemes": "local",
    });
    expect(localized?.log.text).toContain("it and its executors find them in /opt/spark-deps");
  });

  test("include jars only on the class paths, after those of the user", () => {
    expect(planned("classPathOnly").properties).toEqual({
      "spark.jars": "https://h/z.jar",
      "spark.files": `${deps}/files/c`,
      "spark.driver.extraClassPath": "/opt/spark-deps/jars/*",
      "spark.executor.extraClassPath": "/own/*:/opt/spark-deps/jars/*",
    });
  });

  test("include jars only with drivers that can use them without copying", () => {
    const key = "spark.kubernetes.jars.avoidDownloadSchemes";
    expect(planned("everywhere", { [key]: "https" }).properties[key]).toBe("https,local");
    const mode = { "spark.firesteel.staging.mode": "everywhere" };
    const older = { settings: { ...settings, ...mode }, machine, line: "3.5" } as const;
    expect(issues(older).map(({ message }) => message)).toEqual([
      "spark.firesteel.staging.mode is everywhere, but a driver of Spark 3.5.9 copies all jars and has executors fetch the copies.",
    ]);
    expect(codes({ ...older, settings: { ...mode, "spark.files": "file:/me/c" } })).toEqual([]);
  });

  test("need the step that passes the executors' pod template: SUBMIT_ERR_STAGING_MODE", () => {
    const key = "spark.kubernetes.driver.pod.excludedFeatureSteps";
    const excluded = { [key]: "org.apache.spark.deploy.k8s.features.PodTemplateConfigMapStep" };
    const specified = (mode: string) => ({ ...settings, ...excluded, "spark.firesteel.staging.mode": mode });
    for (const mode of ["everywhere", "classPathOnly"]) {
      expect(issues({ settings: specified(mode), machine }).map(({ message }) => message)).toEqual([
        `spark.firesteel.staging.mode is ${mode}, but ${key} excludes PodTemplateConfigMapStep, without which no executor gets the files.`,
      ]);
    }
    expect(codes({ settings: specified("driverServed"), machine })).toEqual([]);
    // A Spark that knows no such setting.
    expect(codes({ settings: specified("everywhere"), machine, line: "4.0" })).toEqual([]);
  });

  test("cannot be sent into the driver's pod: SUBMIT_ERR_STAGING_MODE", () => {
    const mode = { "spark.firesteel.staging.mode": "everywhere" };
    const specified = { ...settings, ...mode, "spark.firesteel.staging.transport": "push" };
    expect(codes({ settings: specified, machine })).toEqual(["SUBMIT_ERR_STAGING_MODE"]);
    const large = { ...machine, "/me/c": 10_000_000 };
    expect(codes({ settings: { ...settings, ...mode }, machine: large })).toEqual(["SUBMIT_ERR_STAGING_MODE"]);
  });
});

describe("files with the same name", () => {
  const two = (key: string, names = "a.jar") => ({
    settings: { [key]: `file:/x/${names},file:/y/${names}` },
  });

  test("are one entry where the content is the same", () => {
    const { localized, properties } = staged({
      ...two("spark.files"),
      machine: { "/x/a.jar": "1", "/y/a.jar": "1" },
    });
    expect(localized?.entries).toHaveLength(1);
    expect(properties).toEqual({ "spark.files": `${deps}/files/a.jar` });
  });

  test("T72: get a part of the digest if they are jars", () => {
    const machine = { "/x/a.jar": "1", "/y/a.jar": "2" };
    expect(staged({ ...two("spark.jars"), machine }).properties).toEqual({
      "spark.jars": `${deps}/jars/a.jar,${deps}/jars/a-320000000000.jar`,
    });
  });

  test("get a part of the digest if they are archives, which are unpacked under the original name", () => {
    const machine = { "/x/e.tar.gz": "1", "/y/e.tar.gz": "2" };
    const settings = { "spark.archives": "file:/x/e.tar.gz#x,file:/y/e.tar.gz" };
    expect(staged({ settings, machine }).properties).toEqual({
      "spark.archives": `${deps}/archives/e.tar.gz#x,${deps}/archives/e-320000000000.tar.gz#e.tar.gz`,
    });
  });

  test.each([
    ["spark.files", "a.txt"],
    ["spark.submit.pyFiles", "a.py"],
    ["spark.archives", "a.zip"],
  ])("are rejected for %s, with both paths", (key, name) => {
    const machine = { [`/x/${name}`]: "1", [`/y/${name}`]: "2" };
    const [found, ...more] = issues({ ...two(key, name), machine });
    expect(found?.code).toBe("SUBMIT_ERR_STAGING_NAME_CONFLICT");
    expect(found?.message).toMatch(new RegExp(`/x/${name} and /y/${name}`));
    expect(more).toEqual([]);
  });

  test("are rejected across lists, because Spark copies all into one directory", () => {
    const settings = { "spark.files": "file:/x/a.py", "spark.submit.pyFiles": "file:/y/a.py" };
    expect(codes({ settings, machine: { "/x/a.py": "1", "/y/a.py": "2" } })).toEqual([
      "SUBMIT_ERR_STAGING_NAME_CONFLICT",
    ]);
    expect(codes({ settings, machine: { "/x/a.py": "1", "/y/a.py": "1" } })).toEqual([]);
  });
});

describe("names that are invalid in a URI or a list", () => {
  test("are changed for jars and archives, and rejected for other files", () => {
    const machine = { "/me/a b.jar": "1", "/me/e ü.tgz": "2" };
    const settings = { "spark.jars": "file:/me/a%20b.jar", "spark.archives": "file:/me/e%20ü.tgz" };
    expect(staged({ settings, machine }).properties).toEqual({
      "spark.jars": `${deps}/jars/a_b-310000000000.jar`,
      "spark.archives": `${deps}/archives/e__-320000000000.tgz#e%20ü.tgz`,
    });
    expect(codes({ settings: { "spark.files": "file:/me/a%20b.jar" }, machine })).toEqual(["SUBMIT_ERR_STAGING_NAME"]);
  });

  test("every entry of a kind has a unique name, and no content is lost", () => {
    const name = fc.stringMatching(/^[a-c .ü]{1,3}$/).filter((text) => text.trim() === text && !/^\.+$/.test(text));
    const file = fc.record({
      directory: fc.constantFrom("x", "y", "z"),
      name,
      content: fc.constantFrom("1", "2", "3"),
    });
    const list = fc.uniqueArray(file, {
      minLength: 1,
      maxLength: 5,
      selector: (one) => `/${one.directory}/${one.name}`,
    });
    fc.assert(
      fc.property(list, (chosen) => {
        const machine = Object.fromEntries(chosen.map((one) => [`/${one.directory}/${one.name}`, one.content]));
        const jars = Object.keys(machine).map((path) => `file:${encodeURI(path)}`);
        const { localized, properties } = staged({ settings: { "spark.jars": jars.join(",") }, machine });
        const entries = localized?.entries ?? [];
        const names = entries.map((entry) => entry.name);
        expect(new Set(names).size).toBe(names.length);
        expect(new Set(entries.map(({ digest }) => digest))).toEqual(
          new Set(Object.values(machine).map((content) => digestOf(content))),
        );
        expect(properties["spark.jars"]?.split(",").sort()).toEqual(
          names.map((entry) => `${deps}/jars/${entry}`).sort(),
        );
      }),
    );
  });
});

describe("the transport", () => {
  test.each([
    [{ "/me/a": null }, {}, "SUBMIT_ERR_STAGING_NOT_A_FILE"],
    [{}, {}, "SUBMIT_ERR_UPLOAD_FAILED"],
    [{ "/me/a": "a" }, { "spark.firesteel.staging.transport": "none" }, "SUBMIT_ERR_STAGING_NONE"],
    [{ "/me/a": "a" }, { "spark.firesteel.staging.transport": "pigeon" }, "SUBMIT_ERR_SETTING_CHOICE"],
  ])("%j with %j: %s", (machine, more, code) => {
    expect(codes({ settings: { "spark.files": "file:/me/a", ...more }, machine })).toEqual([code]);
  });

  test("T79: rejects Secrets of one byte more than the limit, counted as base64", () => {
    const settings = {
      "spark.files": "file:/me/a,file:/me/b",
      "spark.firesteel.staging.transport": "secret",
    };
    const bytes = (sum: number) => ({ "/me/a": sum - 3, "/me/b": 3 });
    expect(codes({ settings, machine: bytes((512 * 1024 * 3) / 4) })).toEqual([]);
    const [found, ...more] = issues({ settings, machine: bytes((512 * 1024 * 3) / 4 + 1) });
    expect(more).toEqual([]);
    expect(found?.code).toBe("SUBMIT_ERR_STAGING_TOO_LARGE");
    expect(found?.hint).toContain("Set spark.firesteel.staging.server to a staging server");
    expect(found?.message).toContain("524292 bytes as base64, but spark.firesteel.staging.secret.maxSize is 524288");
  });

  test("is the staging server if one is configured and the files are large, or if it is specified", () => {
    const settings = { "spark.files": "file:/me/a" };
    const large = { "/me/a": 10_000_000 };
    const server = { "spark.kubernetes.resourceStagingServer.uri": "https://staging:10000" };
    const transportOf = (machine: Machine, more: object) =>
      staged({ settings: { ...settings, ...server, ...more }, machine }).localized?.transport;
    expect(transportOf(large, {})).toBe("server");
    expect(transportOf({ "/me/a": "a" }, {})).toBe("secret");
    const specified = { "spark.firesteel.staging.transport": "server" };
    expect(transportOf({ "/me/a": "a" }, specified)).toBe("server");
    expect(codes({ settings: { ...settings, ...specified }, machine: large })).toEqual([
      "SUBMIT_ERR_STAGING_NO_SERVER",
    ]);
    const wrong = { "spark.firesteel.staging.server": "https://me:pw@staging" };
    expect(codes({ settings: { ...settings, ...wrong }, machine: large })).toEqual(["SUBMIT_ERR_SETTING_VALUE"]);
  });

  test("is a bucket if one is configured without a staging server, or if it is specified", () => {
    const settings = { "spark.files": "file:/me/a" };
    const large = { "/me/a": 10_000_000 };
    const path = "spark.firesteel.staging.s3.path";
    const transportOf = (machine: Machine, more: object) =>
      staged({ settings: { ...settings, [path]: "s3://bucket/x", ...more }, machine }).localized?.transport;
    expect(transportOf(large, {})).toBe("s3");
    expect(transportOf(large, { "spark.firesteel.staging.server": "http://s" })).toBe("server");
    expect(transportOf({ "/me/a": "a" }, {})).toBe("secret");
    const specified = { "spark.firesteel.staging.transport": "s3" };
    expect(transportOf({ "/me/a": "a" }, specified)).toBe("s3");
    expect(codes({ settings: { ...settings, ...specified }, machine: large })).toEqual([
      "SUBMIT_ERR_STAGING_NO_BUCKET",
    ]);
    for (const wrong of ["https://bucket", "s3://B", "s3://bucket/a b"]) {
      const found = codes({ settings: { ...settings, [path]: wrong }, machine: large });
      expect(found).toEqual(["SUBMIT_ERR_SETTING_VALUE"]);
    }
  });

  test("is the waiting init container if no other is available, or if it is specified", () => {
    const settings = { "spark.files": "file:/me/a" };
    const { transport, log } = staged({ settings, machine: { "/me/a": 10_000_000 } }).localized ?? {};
    expect(transport).toBe("push");
    expect(log?.text).toBe(
      "The files of this machine go to the driver into its waiting init container; it finds them in /opt/spark-deps (they are too large for Secrets, see spark.firesteel.staging.secret.maxSize, and there is neither spark.firesteel.staging.server nor spark.firesteel.staging.s3.path): /me/a",
    );
    const specified = { "spark.firesteel.staging.transport": "push" };
    const chosen = staged({ settings: { ...settings, ...specified }, machine: { "/me/a": "a" } }).localized;
    expect(chosen).toMatchObject({ transport: "push", log: { text: expect.stringContaining("says so") } });
    const wrong = { ...settings, ...specified, "spark.firesteel.staging.push.port": "80" };
    expect(codes({ settings: wrong, machine: { "/me/a": "a" } })).toEqual(["SUBMIT_ERR_SETTING_VALUE"]);
  });

  test("does not change the names in the driver", () => {
    const settings = { "spark.jars": "file:/x/a.jar,file:/y/a.jar" };
    const machine = { "/x/a.jar": "1", "/y/a.jar": "2" };
    const server = {
      "spark.firesteel.staging.server": "http://s",
      "spark.firesteel.staging.transport": "server",
    };
    const { properties, localized } = staged({ settings: { ...settings, ...server }, machine });
    const inSecrets = staged({ settings, machine });
    expect(properties).toEqual(inSecrets.properties);
    expect(localized?.entries).toEqual(inSecrets.localized?.entries);
  });

  test("rejects a file that does not fit into a Secret, whatever the limit", () => {
    const settings = {
      "spark.files": "file:/me/a",
      "spark.firesteel.staging.transport": "secret",
      "spark.firesteel.staging.secret.maxSize": "4m",
    };
    expect(codes({ settings, machine: { "/me/a": 768 * 1024 } })).toEqual([]);
    expect(codes({ settings, machine: { "/me/a": 768 * 1024 + 1 } })).toEqual(["SUBMIT_ERR_STAGING_TOO_LARGE"]);
  });

  test("is the upload path, unless a transport is specified", () => {
    const settings = { "spark.files": "file:/me/a", "spark.kubernetes.file.upload.path": "/shared" };
    const machine = { "/me/a": "a" };
    expect(staged({ settings, machine })).toMatchObject({ uploads: [{ name: "a" }], localized: undefined });
    const chosen = { ...settings, "spark.firesteel.staging.transport": "secret" };
    expect(staged({ settings: chosen, machine })).toMatchObject({ uploads: [], localized: {} });
    expect(staged({ settings: chosen, machine, behaviors: { localFiles: "spark" } }).localized).toBeUndefined();
  });
});
