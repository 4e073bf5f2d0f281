import { describe, expect, test } from "vitest";
import type { TestChild } from "../../host/test-children.ts";
import { type TestHost, testHost } from "../../host/test-host.ts";
import { imageDefinitions } from "../../images/image-definitions.ts";
import { main } from "../main.ts";

const home = "/opt/spark-4.1.4";
const files = {
  ...Object.fromEntries(
    imageDefinitions.map(({ directory }) => [`/opt/firesteel/images/${directory}/Dockerfile`, "FROM x"]),
  ),
  [`${home}/bin/spark-submit`]: "",
  [`${home}/jars/spark-core_2.13-4.1.4.jar`]: "",
  [`${home}/jars/spark-kubernetes_2.13-4.1.4.jar`]: "",
};

type Play = (child: TestChild, host: TestHost) => unknown;

/** Machine with an installed package and the engines that `play` plays. */
function machine(args: readonly string[], play: Play = buildah, more: Readonly<Record<string, string>> = {}): TestHost {
  const host: TestHost = testHost({
    argv: ["image", ...args],
    files: { ...files, ...more },
    spawn: (child) => play(child, host),
  });
  return host;
}

/** Docker without its server, no Podman, and Buildah. */
function buildah(child: TestChild, host: TestHost): unknown {
  if (child.command === "podman") return "missing";
  if (child.command === "docker") {
    child.write(2, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.\n");
    return child.exit(1);
  }
  const path = /^oci-archive:(.*):r\.example/.exec(child.args.at(-1) ?? "")?.[1];
  if (path !== undefined) host.files.write(path, "image");
  child.write(1, "STEP 1/2\nSTEP 2/2\n");
  return child.exit(0);
}

const calls = (host: TestHost) => host.children.map(({ command, args }) => [command, ...args].join(" "));

describe("firesteel image build", () => {
  test("builds, pushes and writes an image with the first engine that works", async () => {
    const host = machine(
      [
        ...["build", "spark-py", "--spark-home", home, "--base", "debian:12", "--tag", "r.example/spark-py:1"],
        ...["--push", "--output", "oci-archive:/o/out.tar"],
      ],
      buildah,
      { "/o/x": "" },
    );
    expect([await main(host), host.outText()]).toEqual([0, "r.example/spark-py:1\n"]);
    const draft = host.children.at(-1)?.args.at(-1);
    expect(calls(host)).toEqual([
      "docker version --format {{.Server.Version}}",
      "podman --version",
      "buildah --version",
      `buildah build --build-context spark=${home} --build-arg LANGUAGE=python --build-arg BASE=debian:12 --label org.opencontainers.image.version=4.1.4 --tag r.example/spark-py:1 /opt/firesteel/images/spark`,
      "buildah push r.example/spark-py:1",
      `buildah push r.example/spark-py:1 ${draft}`,
    ]);
    expect(host.files.readText("/o/out.tar")).toBe("image");
    expect(host.errorText()).toContain("STEP 2/2\n");
  });

  test.each([
    ["docker", "push localhost:5000/a:1", "save --output"],
    ["podman", "push --tls-verify=false localhost:5000/a:1", "save --format docker-archive --output"],
    ["buildah", "push --tls-verify=false localhost:5000/a:1", "push localhost:5000/a:1 docker-archive:"],
  ])("uses the commands of %s", async (engine, push, archive) => {
    const host = machine(
      [
        ...["build", "firesteel-client", "--engine", engine, "--tag", "localhost:5000/a:1", "--push"],
        ...["--output", "docker-archive:/o/a.tar", "--json"],
      ],
      (child) => {
        const path = child.args.find((arg) => arg.includes("/o/a.tar"));
        if (path !== undefined) host.files.write(path.replace(/^docker-archive:|:localhost.*/g, ""), "image");
        child.exit(0);
      },
      { "/o/x": "" },
    );
    expect([await main(host), host.files.readText("/o/a.tar")]).toEqual([0, "image"]);
    expect(JSON.parse(host.outText())).toEqual([{ name: "firesteel-client", tag: "localhost:5000/a:1", engine }]);
    expect(calls(host)[1]).toContain(`${engine} build --build-context firesteel=/opt/firesteel `);
    expect(calls(host).slice(2)).toEqual([`${engine} ${push}`, expect.stringContaining(`${engine} ${archive}`)]);
  });

  test("builds Spark's image without an archive of its classes on request", async () => {
    const args = ["image", "build", "spark", "firesteel-client", "--spark-home", home, "--engine", "buildah"];
    const host = testHost({
      argv: args,
      files,
      env: { FIRESTEEL_CLASS_SHARING: "off" },
      spawn: (child) => child.exit(0),
    });
    expect(await main(host)).toBe(0);
    expect(calls(host).map((call) => call.includes("--build-arg CLASS_SHARING=off"))).toEqual([false, true, false]);
  });

  test("names images by the version of what they contain", async () => {
    const host = machine(["build", "firesteel-server", "spark", "--spark-home", home]);
    expect([await main(host), host.outText()]).toEqual([0, "spark:4.1.4\nfiresteel-server:0.1.0\n"]);
  });

  test.each([
    ["its own packages", "/opt/firesteel/node_modules"],
    ["the packages beside it", "/opt"],
  ])("gives the server's image the package koffi if it is among %s", async (_, directory) => {
    const modules = { [`${directory}/koffi/package.json`]: "{}", [`${directory}/@koromix/koffi-linux-x64/a.node`]: "" };
    const host = machine(["build", "firesteel-server", "spark-init-container"], buildah, modules);
    expect(await main(host)).toBe(0);
    const builds = calls(host).filter((call) => call.startsWith("buildah build"));
    const contexts = `--build-context koffi=${directory}/koffi --build-context koffi-binaries=${directory}/@koromix `;
    expect(builds.filter((call) => call.includes("koffi"))).toEqual([expect.stringContaining(contexts)]);
    expect(builds.map((call) => call.replace(/.*\//, ""))).toContain("spark-init-container");
  });

  test("reports all problems of its options, and starts nothing (SUBMIT_ERR_IMAGE_UNKNOWN, SUBMIT_ERR_IMAGE_SINGLE, SUBMIT_ERR_IMAGE_TAG, SUBMIT_ERR_IMAGE_OUTPUT)", async () => {
    const host = machine([
      ...["build", "sparkpy", "spark", "--tag", "Spark", "--engine", "dcoker", "--output", "zip:x"],
    ]);
    expect([await main(host), host.children]).toEqual([1, []]);
    expect(host.errorText().split("\n")).toEqual([
      "Error: There is no image sparkpy to build.",
      "Hint: Did you mean spark-py? Write one or more of: spark, spark-py, spark-r, spark-init-container, firesteel-server, firesteel-client.",
      "Error: --tag, --output cannot be used with several images (sparkpy, spark): each needs its own value.",
      "Hint: Build the images one by one.",
      "Error: Invalid image name --tag Spark: it has capital letters.",
      "Hint: Write REGISTRY/NAME:TAG in lowercase, for example registry.example/team/spark:4.3.0.",
      "Error: Invalid value 'dcoker' for --engine; allowed: docker, podman, buildah.",
      "Hint: Did you mean docker? Pass one of the allowed values to --engine.",
      "Error: Invalid value --output zip:x: it names no format and file.",
      "Hint: Write oci-archive:FILE or docker-archive:FILE.",
      "",
    ]);
  });

  test("reports a missing name (SUBMIT_ERR_ARGUMENT_MISSING)", async () => {
    const host = machine(["build"]);
    expect(await main(host)).toBe(1);
    expect(host.errorText()).toBe(
      "Error: firesteel image build requires the name of an image.\n" +
        "Hint: Pass one or more of spark, spark-py, spark-r, spark-init-container, firesteel-server, firesteel-client, e.g. firesteel image build spark-py.\n",
    );
  });

  test("reports why no engine works (SUBMIT_ERR_IMAGE_ENGINE_MISSING)", async () => {
    const host = machine(["build", "spark", "--spark-home", home], (child, machine) =>
      child.command === "buildah" ? "missing" : buildah(child, machine),
    );
    expect(await main(host)).toBe(1);
    expect(host.errorText().split("\n")[0]).toBe(
      "Error: No program that builds images works here: docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock; podman: not installed; buildah: not installed.",
    );
  });

  test("ends the message of an engine that is a question as it is", async () => {
    const host = machine(["build", "spark", "--spark-home", home, "--engine", "docker"], (child) => {
      child.write(2, "Cannot connect to the Docker daemon. Is the docker daemon running?\n");
      child.exit(1);
    });
    expect(await main(host)).toBe(1);
    expect(host.errorText()).toMatch(/docker: Cannot connect .* running\?\nHint: /);
  });

  test.each([
    ["push access denied: unauthorized: authentication required", "Log in to the registry", "buildah login REGISTRY"],
    ["Error: write /layer: no space left on device", "Free disk space", "buildah prune"],
    ["Error: dial tcp 10.0.0.1:443: i/o timeout", "Check that this machine reaches the registry.", "--base IMAGE"],
    ["Error: toomanyrequests: slow down", "Wait, or log in to the registry", "buildah login REGISTRY"],
    ["unknown flag: --build-context", "Use a newer version of the engine", "Buildah 1.27"],
    ["Error: RUN failed", "See its output above.", "Nothing was named, pushed or written"],
  ])("reports the engine's own message and what to do (SUBMIT_ERR_IMAGE_ENGINE_FAILED): %s", async (text, ...hint) => {
    const host = machine(["build", "spark", "--spark-home", home, "--engine", "buildah"], (child) => {
      if (child.args[0] !== "build") return child.exit(0);
      child.write(2, `${text}\n`);
      child.exit(125);
    });
    expect([await main(host), host.outText()]).toEqual([1, ""]);
    const [error = "", hints = ""] = host.errorText().split("\n").slice(-3);
    expect(error).toBe(`Error: buildah could not build spark:4.1.4 (exit code 125): ${text.replace("Error: ", "")}`);
    for (const part of hint) expect(hints).toContain(part);
  });

  test.each([
    ["dial tcp: lookup r.example: no such host", "Check that r.example is the right registry"],
    ["x509: certificate signed by unknown authority", "/etc/containers/certs.d/REGISTRY/ca.crt"],
    ["unauthorized: access denied", "buildah login r.example"],
    ["unknown blob", "See its output above. The image is built; to push it again: buildah push r.example/a:1."],
  ])("says what to do after a failed push: %s", async (text, hint) => {
    const args = ["build", "firesteel-server", "--engine", "buildah", "--tag", "r.example/a:1", "--push"];
    const host = machine(args, (child) => {
      if (child.args[0] !== "push") return child.exit(0);
      child.write(2, `Error: ${text}\n`);
      child.exit(125);
    });
    expect([await main(host), host.outText()]).toEqual([1, ""]);
    const [error, hints] = host.errorText().split("\n").slice(-3);
    expect(error).toBe(`Error: buildah could not push r.example/a:1 to r.example (exit code 125): ${text}`);
    expect(hints).toContain(hint);
    expect(hints).not.toContain("--base");
  });

  test("reports every 10 s what it waits for while the engine prints nothing", async () => {
    const args = ["build", "firesteel-server", "--engine", "buildah", "--tag", "r.example/a:1", "--push"];
    let report = (_: TestChild) => {};
    const pushing = new Promise<TestChild>((resolve) => {
      report = resolve;
    });
    const host = machine(args, (child) => {
      if (child.args[0] === "push") report(child);
      else child.exit(0);
    });
    const ended = main(host);
    const child = await host.settle(pushing);
    await host.advance(10_000);
    child.write(2, "Copying blob 1/2\nCopying");
    await host.advance(9_000);
    await host.advance(11_000);
    child.exit(0);
    expect(await ended).toBe(0);
    await host.advance(60_000);
    expect(host.errorText().split("\n").slice(1)).toEqual([
      "Waiting for buildah to push r.example/a:1 to r.example: no output for 10 s.",
      "Copying blob 1/2",
      "Copying",
      'Waiting for buildah to push r.example/a:1 to r.example: no output for 10 s since "Copying".',
      'Waiting for buildah to push r.example/a:1 to r.example: no output for 20 s since "Copying".',
      "",
    ]);
  });

  test.each([
    [["firesteel-server"], "firesteel-server"],
    [["spark", "firesteel-client"], "spark, firesteel-client"],
    [["spark", "--tag", "team/spark:1"], "team/spark:1"],
  ])("rejects --push without a registry before it builds (SUBMIT_ERR_IMAGE_REGISTRY): %j", async (args, names) => {
    const host = machine(["build", ...args, "--push"]);
    expect([await main(host), host.children]).toEqual([1, []]);
    expect(host.errorText()).toContain(
      `Error: Cannot push ${names}: without a registry in the name, engines push to Docker Hub.\nHint: Use --tag REGISTRY/NAME:TAG,`,
    );
  });

  test("rejects options that no image uses (SUBMIT_ERR_IMAGE_OPTION_UNUSED)", async () => {
    const host = machine(["build", "firesteel-client", "--spark-home", "/x", "--spark-version", "4.3"]);
    expect([await main(host), host.children]).toEqual([1, []]);
    expect(host.errorText()).toBe(
      "Error: --spark-home, --spark-version cannot be used with firesteel-client: no Spark is part of it.\nHint: Remove --spark-home and --spark-version, or build spark, spark-py or spark-r.\n",
    );
  });

  test("rejects a distribution without SparkR for spark-r (SUBMIT_ERR_IMAGE_SPARK_R)", async () => {
    const host = machine(["build", "spark", "spark-r", "--spark-home", home]);
    expect([await main(host), host.outText()]).toEqual([1, ""]);
    expect(host.errorText()).toContain(`Error: Cannot build spark-r from ${home}: it has no R/lib/SparkR`);
    expect(calls(host).some((call) => call.includes(" build "))).toBe(false);
    const complete = machine(["build", "spark-r", "--spark-home", home], buildah, { [`${home}/R/lib/SparkR/x`]: "" });
    expect(await main(complete)).toBe(0);
  });

  test("keeps an existing file if a new one cannot be written", async () => {
    const host = machine(
      ["build", "spark", "--spark-home", home, "--output", "oci-archive:/o/a.tar", "--tag", "r.example/a:1"],
      (child) => {
        const path = /^oci-archive:(.*):r\.example/.exec(child.args.at(-1) ?? "")?.[1];
        if (path !== undefined) host.files.write(path, "half");
        child.exit(path === undefined ? 0 : 1);
      },
      { "/o/a.tar": "old" },
    );
    expect([await main(host), host.files.list("/o"), host.files.readText("/o/a.tar")]).toEqual([1, ["a.tar"], "old"]);
  });

  test.each([
    ["/o", "it is a directory"],
    ["/missing/a.tar", "there is no directory /missing"],
    ["/o/i:2.tar", "engines take what follows a colon for the image's name"],
  ])("rejects the file %s before it builds (SUBMIT_ERR_IMAGE_OUTPUT_FILE)", async (path, reason) => {
    const host = machine(["build", "spark", "--output", `oci-archive:${path}`], buildah, { "/o/x": "" });
    expect([await main(host), host.children]).toEqual([1, []]);
    expect(host.errorText()).toContain(`Error: Cannot write the image to ${path}: ${reason}`);
    expect(host.files.list("/o")).toEqual(["x"]);
  });

  test("rejects a file that the system does not create before it builds", async () => {
    const host = machine(["build", "spark", "--output", `oci-archive:/o/${"x".repeat(4095)}`], buildah, { "/o/x": "" });
    expect([await main(host), host.children]).toEqual([1, []]);
    expect(host.errorText()).toContain("ENAMETOOLONG");
  });

  test.each([
    [{}, "/nowhere", "it has no bin/spark-submit or no jars/spark-core_*.jar"],
    [
      { "/s/bin/spark-submit": "", "/s/jars/spark-core_2.13-4.1.4.jar": "" },
      "/s",
      "it has no jars/spark-kubernetes_*.jar",
    ],
  ])("rejects what is not a distribution for Kubernetes (SUBMIT_ERR_IMAGE_SPARK): %j", async (more, path, reason) => {
    const host = machine(["build", "spark", "--spark-home", path], buildah, more);
    expect(await main(host)).toBe(1);
    expect(host.errorText()).toContain(`Error: Cannot build a Spark image from ${path}: ${reason}.`);
  });

  test("rejects a distribution of another version", async () => {
    const host = machine(["build", "spark", "--spark-home", home, "--spark-version", "4.3"]);
    expect(await main(host)).toBe(1);
    expect(host.errorText()).toContain("it is Spark 4.1.4, not 4.3.");
  });

  test("reports an installation without Dockerfiles (SUBMIT_ERR_IMAGE_PACKAGE)", async () => {
    const host = testHost({ argv: ["image", "build", "spark"] });
    expect(await main(host)).toBe(1);
    expect(host.errorText()).toContain("Cannot build images: /opt/firesteel/images/spark/Dockerfile does not exist");
  });

  test("an interrupt ends the engine and the command", async () => {
    const host = machine(
      ["build", "spark", "firesteel-client", "--spark-home", home, "--engine", "buildah"],
      (child, machine) => {
        if (child.args[0] === "build") void Promise.resolve().then(() => machine.raise("SIGTERM"));
        else child.exit(0);
      },
    );
    expect([await main(host), host.outText(), host.children.length]).toEqual([143, "", 2]);
    expect(host.children.at(-1)?.signals).toEqual(["SIGTERM"]);
  });
});

test("firesteel image list prints what can be built", async () => {
  const host = machine(["list"]);
  expect(await main(host)).toBe(0);
  expect(host.outText()).toMatch(/^spark {2,}Spark for applications in Java and Scala\n/);
  const json = machine(["list", "--json"]);
  expect(await main(json)).toBe(0);
  expect(JSON.parse(json.outText())).toEqual(imageDefinitions.map(({ name, summary }) => ({ name, summary })));
});
