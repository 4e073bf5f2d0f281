import { join } from "node:path";
import { expect, test } from "vitest";
import { available } from "../requirements.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";
import { describeWith } from "../test-with.ts";
import { debianWithNode } from "./base-image.ts";
import { imageStore } from "./image-store.ts";
import { type RegistryUser, startRegistry } from "./registry.ts";

const base = debianWithNode();

describeWith(base)("images of programs that Buildah builds", { timeout: 1_200_000 }, () => {
  const store = imageStore(join(available(base).directory, "root.tar"));
  const { configOf, inside, leftovers } = store;
  const cluster = sparkCluster();

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

  test("firesteel-server has what the shuffle service needs to send files without copying them", () => {
    const script = `
      mkdir /tmp/files && echo spark.authenticate=false > /tmp/properties
      (firesteel shuffle-service --port 0 --directories /tmp/files --properties-file /tmp/properties & echo $! > /tmp/pid; wait) |
        { read -r line && echo "$line" && kill "$(cat /tmp/pid)" && cat; }`;
    const output = inside("localhost/firesteel-server:test", script);
    expect(output).toContain('"sendsFiles":"directly"');
  });

  test("firesteel-client starts with compiled code of its own Node, with any user and without a cache", () => {
    const tag = "localhost/firesteel-client:test";
    const script = `
      export HOME=/nonexistent FIRESTEEL_STATE=/tmp/state KUBECONFIG=/tmp/state/clusters/default/kubeconfig
      firesteel cluster start --api-only > /dev/null
      printf '%s' "$PRELOAD" > /tmp/preload.cjs
      NODE_OPTIONS='--require /tmp/preload.cjs' spark-submit --master "k8s://$(sed -n 's/^ *server: //p' "$KUBECONFIG")" \
        --deploy-mode cluster --class Main --conf spark.kubernetes.container.image=spark \
        --conf spark.kubernetes.submission.waitAppCompletion=false local:///app.jar 2> /dev/null
      firesteel cluster stop > /dev/null`;
    const output = inside(tag, script, "--user", "12345", "--env", `PRELOAD=${preload}`);
    expect(output.split("\n").filter(Boolean)).toEqual(["base.cjs true", "resolution.cjs true", "submission.cjs true"]);
  });

  test("a registry without accounts takes an image and gives it out", async () => {
    const address = await startRegistry();
    const tag = `${address}/team/init-container:1`;
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
    const tag = `${address}/team/init-container:1`;
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

  /** Returns what `firesteel doctor` says of an image, in a cluster with a node that pulls images. */
  async function checkedImage(tag: string, ...args: readonly string[]): Promise<readonly string[]> {
    const { call } = await cluster.api();
    const nodeInfo = { containerRuntimeVersion: "containerd://2.1.0" };
    await call("POST", "/api/v1/nodes", { metadata: { name: "pulling" }, status: { nodeInfo } });
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
});

/** Prints whether V8 accepted the stored code of each chunk. */
const preload = `
const vm = require("node:vm");
const { Script } = vm;
vm.Script = function (source, options) {
  const script = new Script(source, options);
  const isAccepted = options.cachedData !== undefined && !script.cachedDataRejected;
  require("node:fs").writeSync(1, options.filename.replace("firesteel/", "") + " " + isAccepted + "\\n");
  return script;
};`;

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly cause?: string;
}
