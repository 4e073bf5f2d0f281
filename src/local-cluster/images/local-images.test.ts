import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { homeOf, passwdText, withUser } from "./account-files.ts";
import type { Image } from "./image.ts";
import { localImages } from "./local-images.ts";

interface Machine {
  readonly tini?: boolean;
  readonly ownEntrypoint?: boolean;
  readonly python?: string;
  readonly classArchive?: (spark: { version: string; home: string }) => string | undefined;
  readonly fetchSpark?: (version: string) => Promise<{ version: string; home: string }>;
}

function machine({ tini = false, ownEntrypoint = false, python = "/usr/bin/python3", ...sources }: Machine = {}) {
  const spark = (home: string) => ({
    [`${home}/jars/a.jar`]: "",
    [`${home}/bin/spark-submit`]: "",
    [`${home}/work-dir`]: null,
  });
  const host = testHost({
    files: {
      ...{ "/usr/bin/env": "", "/bin": { link: "usr/bin" }, "/etc/ssl/certs": null, "/etc/shadow": "secret" },
      ...spark("/sparkHomes/4.3.0"),
      ...spark("/sparkHomes/4.3.1"),
      ...spark("/sparkHomes/3.5.9"),
      ...spark("/sparkHomes/4.0.3"),
      ...(tini ? { "/usr/bin/tini": "" } : {}),
      ...(ownEntrypoint
        ? {
            "/sparkHomes/4.3.1/kubernetes/dockerfiles/spark/entrypoint.sh":
              "#!/usr/bin/env bash\nexec /usr/bin/tini -s -- x",
          }
        : {}),
    },
    spawn(child) {
      if (child.command !== "python3") return "missing";
      const prefix = python.replace(/\/bin\/python3$/, "");
      child.write(1, `${python}\n${prefix}\n${prefix}\n`);
      child.exit(0);
      return undefined;
    },
  });
  const installed = ["4.3.0", "3.5.9", "4.3.1"].map((version) => ({
    version,
    home: `/sparkHomes/${version}`,
  }));
  const images = localImages({
    ...{ host, directory: "/images", sparkHomes: installed, javaHome: "/opt/java" },
    sparkEnv: { SPARK_SUBMIT_OPTS: "-Da=b" },
    loadedImages: "/loaded",
    uploads: "/state/uploads",
    ...sources,
  });
  async function find(reference: string): Promise<Image> {
    const result = await images.find(reference);
    if (!("image" in result)) throw new Error(JSON.stringify(result));
    return result.image;
  }
  const source = (image: Image, target: string) => {
    const mount = image.mounts.findLast((each) => each.target === target);
    return mount?.kind === "bind" ? mount.source : undefined;
  };
  return { host, images, find, source };
}

describe("an image of this machine", () => {
  test.each([
    ["spark:4.3.0", "4.3.0"],
    ["spark:4.3", "4.3.1"],
    ["apache/spark:3.5.1-scala2.12-java17-python3-ubuntu", "3.5.9"],
    ["apache/spark-py:v3.5.0", "3.5.9"],
    ["registry.example.com/team/spark:latest", "4.3.1"],
    ["my-spark", "4.3.1"],
  ])("for %s is Spark %s", async (reference, version) => {
    const { find, source } = machine();
    expect(source(await find(reference), "/opt/spark/jars")).toBe(`/sparkHomes/${version}/jars`);
  });

  test.each([
    ["spark:4.0.1", "(this machine has spark:4.3.0, spark:3.5.9, spark:4.3.1)"],
    ["nginx", 'failed to resolve reference "docker.io/library/nginx:latest"'],
    ["sparkle:4.3.0", "not found"],
  ])("is not available for %s", async (reference, text) => {
    const result = await machine().images.find(reference);
    expect(result).toMatchObject({ reason: "ErrImagePull", message: expect.stringContaining(text) });
  });

  test("is fetched once for concurrent lookups when no Spark of the release line is installed", async () => {
    const requestedVersions: string[] = [];
    const { images, find, source } = machine({
      async fetchSpark(version) {
        requestedVersions.push(version);
        await Promise.resolve();
        return { version: "4.0.3", home: "/sparkHomes/4.0.3" };
      },
    });
    const references = ["spark:4.0.1-java21", "apache/spark:v4.0.1"];
    const results = await Promise.all(references.map((reference) => images.find(reference)));
    const fetched = await Promise.all(results.map((result) => "fetch" in result && result.fetch()));
    expect(fetched.map((result) => result !== false && "image" in result && result.image.reference)).toEqual(
      references,
    );
    expect(requestedVersions).toEqual(["4.0.1"]);
    expect(source(await find("spark:4.0"), "/opt/spark/jars")).toBe("/sparkHomes/4.0.3/jars");
  });

  test("reports the reason and the install command when fetching fails", async () => {
    const { images } = machine({ fetchSpark: async () => Promise.reject(new Error("no network")) });
    const result = await images.find("spark:4.0.1");
    expect("fetch" in result && (await result.fetch())).toEqual({
      reason: "ErrImagePull",
      message: expect.stringMatching(/spark:4\.0\.1": no network .*firesteel spark install 4\.0\.1\)$/),
    });
  });

  test("of Spark has the layout of the project's image", async () => {
    const { find, source, host } = machine();
    const image = await find("spark:4.3");
    expect(image).toMatchObject({
      ...{ entrypoint: ["/opt/entrypoint.sh"], workingDirectory: "/opt/spark/work-dir", uid: 185, gid: 0 },
      env: { SPARK_HOME: "/opt/spark", JAVA_HOME: "/opt/java", SPARK_SUBMIT_OPTS: "-Da=b" },
      fieldEnv: { SPARK_LOCAL_IP: "status.podIP" },
    });
    expect(image.mounts).toContainEqual({ kind: "temporary", target: "/opt/spark/work-dir", mode: 0o777 });
    expect(source(image, "/opt/java")).toBe("/opt/java");
    expect(host.files.readText(source(image, "/opt/entrypoint.sh") ?? "")).toContain("exec /opt/tini -s -- ");
    expect(homeOf(image.users, 185)).toBe("/opt/spark");
  });

  test("of Spark mounts uploads read-only at the same path; other images do not", async () => {
    const { find, source, host } = machine();
    const mount = {
      ...{ kind: "bind", source: "/state/uploads", target: "/state/uploads" },
      readOnly: true,
    };
    expect((await find("spark")).mounts).toContainEqual(mount);
    expect(host.files.info("/state/uploads")?.mode).toBe(0o755);
    expect(source(await find("busybox"), "/state/uploads")).toBeUndefined();
  });

  test("uses the distribution's entry point and the machine's tini", async () => {
    const { find, source, host } = machine({ tini: true, ownEntrypoint: true });
    const image = await find("spark");
    expect(host.files.readText(source(image, "/opt/entrypoint.sh") ?? "")).toBe(
      "#!/usr/bin/env bash\nexec /usr/bin/tini -s -- x",
    );
    expect(source(image, "/opt/tini")).toBeUndefined();
  });

  test("uses a Spark's class data archive as soon as there is one", async () => {
    let archive: string | undefined;
    const classArchive = ({ version }: { version: string }) => (version === "4.3.1" ? archive : undefined);
    const { find, source, host } = machine({ tini: true, ownEntrypoint: true, classArchive });
    expect(source(await find("spark"), "/opt/class-sharing")).toBeUndefined();
    archive = "/cache/class-sharing/4.3.1-a";
    const image = await find("spark");
    expect(source(image, "/opt/class-sharing")).toBe("/cache/class-sharing/4.3.1-a");
    expect(host.files.readText(source(image, "/opt/entrypoint.sh") ?? "")).toMatch(
      /^#!\/usr\/bin\/env bash\nif .* JAVA_HOME=\/opt\/class-sharing\n.*\nexec \/usr\/bin\/tini -s -- x$/s,
    );
    expect(source(await find("spark:4.3.0"), "/opt/class-sharing")).toBeUndefined();
  });

  test("mounts a Python from a home directory, and nothing else from there", async () => {
    const { find } = machine({ python: "/home/me/.pyenv/versions/3.12/bin/python3" });
    const image = await find("spark");
    expect(image.env["PATH"]).toMatch(/^\/home\/me\/\.pyenv\/versions\/3\.12\/bin:/);
    const homes = image.mounts.filter(({ target }) => target.startsWith("/home"));
    expect(homes.map(({ target }) => target)).toEqual(["/home/me/.pyenv/versions/3.12"]);
  });

  test("mounts only programs of the machine and the files that they need", async () => {
    const targets = (await machine().find("busybox:1")).mounts.map(({ target }) => target);
    expect(targets).toEqual(expect.arrayContaining(["/usr", "/bin", "/etc/ssl/certs", "/tmp"]));
    for (const hidden of ["/etc", "/etc/shadow", "/etc/ssl", "/home", "/root", "/"])
      expect(targets).not.toContain(hidden);
  });
});

describe("Firesteel's init container image", () => {
  const initContainer = "firesteel/spark-init-container:0.1.0";

  test.each([initContainer, "registry.example:5000/team/spark-init-container", "kubespark/spark-init:v2.2.0"])(
    "%s runs the program next to the running one with this machine's Node",
    async (reference) => {
      const { find, source, host } = machine();
      host.files.makeDirectory("/opt/firesteel/dist/bin");
      host.files.write("/opt/firesteel/dist/bin/spark-init-container.cjs", "");
      const image = await find(reference);
      expect(image.entrypoint).toEqual([
        "/opt/firesteel/node",
        "--use-openssl-ca",
        "/opt/firesteel/bin/spark-init-container.cjs",
      ]);
      expect(source(image, "/opt/firesteel/bin")).toBe("/opt/firesteel/dist/bin");
      expect(source(image, "/opt/firesteel/node")).toBe(host.nodePath);
    },
  );

  test("is not available without the built program, and is not a Spark image", async () => {
    await expect(machine().find(initContainer)).rejects.toThrow("ErrImagePull");
  });
});

test("adds an entry for a user without a name", () => {
  const users = passwdText();
  expect(withUser(users, { uid: 0, gid: 0 })).toBe(users);
  expect(withUser(users, { uid: 1234, gid: 5 })).toBe(`${users}user1234:x:1234:5:user1234:/:/bin/false\n`);
});
