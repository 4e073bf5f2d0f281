import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { start } from "../acceptance/programs.ts";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { describeWith } from "../test-with.ts";
import { debianWithNode } from "./base-image.ts";
import { imageStore } from "./image-store.ts";
import { type RegistryUser, startRegistry } from "./registry.ts";

const base = debianWithNode();

describeWith(base)("images that Buildah builds", { timeout: 1_200_000 }, () => {
  const store = imageStore(join(available(base).directory, "root.tar"));
  const cluster = sparkCluster();

  /** Returns the configuration of an image. */
  const configOf = (tag: string) => JSON.parse(store.buildah("inspect", "--type", "image", tag)).OCIv1.config;

  /** Runs a command in a new container of an image, as its user. */
  const inside = (tag: string, command: string, ...options: readonly string[]) => {
    const container = store.buildah("from", "--pull-never", tag).trim();
    onTestFinished(() => void store.buildah("rm", container));
    return store.buildah("run", ...options, container, "--", "sh", "-c", command);
  };

  /** Files of package managers and secrets, which no image may have. */
  const leftovers = (tag: string) =>
    inside(
      tag,
      `find /var/lib/apt/lists /var/cache/apt /root /tmp /home -type f -not -name .bashrc -not -name .profile
       find /opt -type f -name '.npmrc' -o -name '*.pem' -o -name '*.key'`,
      ...["--user", "0"],
    );

  test.each([
    { name: "spark-init-container", command: "node --version", output: /^v24\./m },
    { name: "firesteel-server", command: "firesteel --version", output: /^firesteel \d/m },
    { name: "firesteel-client", command: "spark-submit --version 2>&1", output: /version 4\.3/ },
  ])("$name runs as user 185, with labels and nothing but its programs", async ({ name, command, output }) => {
    const tag = `localhost/${name}:test`;
    const built = await store.build(name, "--tag", tag);
    expect(built, built.stderr).toMatchObject({ exit: 0, stdout: `${tag}\n` });
    const { User, Labels } = configOf(tag);
    expect(User).toMatch(/^185(:0)?$/);
    expect(Labels).toMatchObject({
      "org.opencontainers.image.title": name,
      "org.opencontainers.image.licenses": "Apache-2.0",
      "org.opencontainers.image.version": expect.stringMatching(/^\d/),
    });
    expect(inside(tag, "id -u")).toBe("185\n");
    expect(inside(tag, command)).toMatch(output);
    expect(leftovers(tag)).toBe("");
  });

  test("an interrupted build leaves no image", async () => {
    const tag = "localhost/interrupted:test";
    const args = [
      "image",
      "build",
      "spark",
      "--engine",
      "buildah",
      "--base",
      "localhost/debian-node:test",
      "--tag",
      tag,
    ];
    const { child, ended } = start("firesteel", args, { env: { ...store.env, ...cluster.env() } });
    await new Promise<void>((resolve) => {
      child.stderr.on("data", (chunk) => {
        if (String(chunk).includes("STEP 5")) resolve();
      });
      child.once("close", () => resolve());
    });
    child.kill("SIGINT");
    expect((await ended).exit).toBe(130);
    expect(store.buildah("images", "--format", "{{.Name}}:{{.Tag}}")).not.toContain(tag);
  });

  test("a registry without accounts takes an image and gives it out", async () => {
    const address = await startRegistry();
    const tag = `${address}/team/spark-init-container:1`;
    const built = await store.build("spark-init-container", "--tag", tag, "--push");
    expect(built, built.stderr).toMatchObject({ exit: 0, stdout: `${tag}\n` });
    store.buildah("rmi", tag);
    store.buildah("pull", "--tls-verify=false", tag);
    expect(await checkedImage(tag)).toEqual(["ok"]);
    expect(await checkedImage(`${address}/team/gone:1`)).toEqual(["failure image-not-found"]);
  });

  test("a registry with accounts needs a login, and doctor a pull secret", async () => {
    const user: RegistryUser = { name: "builder", password: "of-a-test" };
    const address = await startRegistry(user);
    const tag = `${address}/team/spark-init-container:1`;
    const refused = await store.build("spark-init-container", "--tag", tag, "--push");
    expect(refused.exit).toBe(1);
    expect(refused.stderr).toMatch(/^Error: .*buildah could not push .*(unauthorized|authentication required)/m);
    expect(refused.stderr).toMatch(/^Hint: Log in to the registry .*buildah login/m);
    store.buildah("login", "--tls-verify=false", "--username", user.name, "--password", user.password, address);
    expect(await store.build("spark-init-container", "--tag", tag, "--push")).toMatchObject({ exit: 0 });

    expect(await checkedImage(tag)).toEqual(["warning image-unauthorized"]);
    const { call } = await cluster.api();
    const auths = { [address]: { username: user.name, password: user.password } };
    const secret = {
      metadata: { name: "registry" },
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": JSON.stringify({ auths }) },
    };
    expect((await call("POST", "/api/v1/namespaces/default/secrets", secret)).status).toBe(201);
    expect(await checkedImage(tag, "--conf", "spark.kubernetes.container.image.pullSecrets=registry")).toEqual(["ok"]);
  });

  /** Returns what `firesteel doctor` says of an image. */
  async function checkedImage(tag: string, ...args: readonly string[]): Promise<readonly string[]> {
    const { stdout, stderr } = await cluster.firesteel(
      ...["doctor", "--json", "--master", `k8s://${cluster.url()}`, "--deploy-mode", "cluster"],
      ...["--conf", `spark.kubernetes.container.image=${tag}`, ...args, "local:///opt/app.py"],
    );
    if (stdout === "") throw new Error(stderr);
    const findings: readonly Finding[] = JSON.parse(stdout).findings;
    return findings
      .filter(({ check }) => check === "image")
      .map(({ status, cause }) => [status, cause].filter(Boolean).join(" "));
  }

  test("spark-py shares its classes, and grows by less than 200 MB", async () => {
    const archive = join(store.directory, "spark-py.tar");
    const tag = "localhost/spark-py:test";
    const built = await store.build("spark-py", "--tag", tag, "--output", `docker-archive:${archive}`);
    expect(built, built.stderr).toMatchObject({ exit: 0, stdout: `${tag}\n` });
    const { User, Labels, Entrypoint } = configOf(tag);
    expect([User, Labels["org.opencontainers.image.title"], Entrypoint]).toEqual([
      "185",
      "spark",
      ["/opt/entrypoint.sh"],
    ]);
    expect(leftovers(tag)).toBe("");
    const sizeBytes = Number(inside(tag, "stat --format %s /opt/class-sharing/spark.jsa"));
    expect(sizeBytes).toBeLessThan(200_000_000);
    expect(existsSync(archive) && statSync(archive).size).toBeGreaterThan(sizeBytes);

    const loaded = await cluster.firesteel("cluster", "image", "load", archive, "--tag", "spark-py:test");
    expect(loaded, loaded.stderr).toMatchObject({ exit: 0 });
    const { exit, stdout, stderr } = await cluster.submit(
      ...["--conf", "spark.kubernetes.container.image=spark-py:test", "--conf", "spark.executor.instances=2"],
      ...["--conf", "spark.driver.extraJavaOptions=-Xlog:class+load"],
      ...["local:///opt/spark/examples/src/main/python/pi.py", "4"],
    );
    expect(stdout, stderr).toMatch(/^Pi is roughly 3\.1/m);
    expect(exit).toBe(0);
    expect(stdout.match(/ source: shared objects file \(top\)$/gm)?.length).toBeGreaterThan(8000);
  });
});

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly cause?: string;
}
