import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Transport } from "../../src/kube/transport.ts";
import type { Pod } from "../../src/kube/types.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { namespaceObjects } from "../../src/setup/namespace-objects.ts";
import { parseSetup } from "../../src/setup/parse-setup.ts";
import { call, objectsIn, startApi } from "./embedded-api.ts";
import { type FaultProxy, openFaultProxy, type RecordedRequest, type RequestOutcome } from "./fault-proxy.ts";
import { sorts, withPodGroups } from "./killed-submissions.ts";
import { run, start, temporaryDirectory } from "./programs.ts";
import { grantedPermissions, requestedPermissions } from "./requested-permissions.ts";

const namespace = "jobs";
const allowed = "volcano,nodes";
const directory = mkdtempSync(join(tmpdir(), "firesteel-api-"));
let cluster: EmbeddedCluster;
let admin: FaultProxy;

beforeAll(async () => {
  cluster = await startApi(directory);
  admin = await openFaultProxy(cluster.transport, () => "pass");
});

afterAll(async () => {
  await admin.close();
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

const setup = (...options: readonly string[]) =>
  run("firesteel", ["setup", "namespace", namespace, "--master", `k8s://${admin.url}`, ...options]);

test("a set-up can be repeated and changed, and a sweep keeps its objects", async () => {
  const first = await setup("--quota", "pods=50", "--network-policy");
  expect(first).toMatchObject({ exit: 0, stderr: "" });
  expect(first.stdout.match(/^created /gm)).toHaveLength(9);
  const second = await setup("--quota", "pods=50", "--network-policy");
  expect(second.stdout.replaceAll(/^unchanged /gm, "created ")).toBe(first.stdout);
  const third = await setup("--quota", "pods=40", "--network-policy");
  expect(third.stdout.match(/^(?:created|changed) .*$/gm)).toEqual(["changed resourcequota/firesteel"]);
  const sweep = ["sweep", "--master", `k8s://${admin.url}`, "--namespace", namespace, "--older-than", "0s"];
  expect((await run("firesteel", sweep)).stdout).toBe(`Nothing to sweep in namespace ${namespace}.\n`);
  expect((await objectsIn(cluster, namespace)).map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
    "NetworkPolicy/firesteel",
  ]);
});

/** A client's account, which has the permissions of a set-up and no others. */
interface Submitter {
  readonly url: string;
  /** Permissions of all requests so far. */
  readonly used: ReadonlySet<string>;
  /** Messages of the requests that the API denied. */
  readonly denied: readonly string[];
  readonly proxy: FaultProxy;
}

/** Opens an API in which requests are those of the submitter. */
async function openAsSubmitter(decide: (request: RecordedRequest) => RequestOutcome): Promise<Submitter> {
  const used = new Set<string>();
  const denied: string[] = [];
  const { transport } = withPodGroups(cluster.transport);
  const recorded: Transport = async (request) => {
    const headers = { ...request.headers, "impersonate-user": `system:serviceaccount:${namespace}:spark-submitter` };
    const response = await transport({ ...request, headers });
    for (const permission of requestedPermissions({ ...request, status: response.status })) used.add(permission);
    if (response.status === 403) denied.push(`${request.method} ${request.path}`);
    return response;
  };
  const proxy = await openFaultProxy(recorded, decide);
  return { url: proxy.url, used, denied, proxy };
}

test("submitters have exactly the permissions that Firesteel's client uses", { timeout: 240_000 }, async () => {
  expect(await setup("--allow", allowed)).toMatchObject({ exit: 0 });
  let losesApplies = false;
  const submitter = await openAsSubmitter(({ method }) => (losesApplies && method === "PATCH" ? "lost" : "pass"));
  onTestFinished(() => submitter.proxy.close());
  await createEveryKind(submitter);
  losesApplies = true;
  await undoApplies(submitter);
  losesApplies = false;
  await waitForDriver(submitter);
  await pushFile(submitter);
  const values = (option: string) => (option === "--allow" ? [allowed] : []);
  const roles = namespaceObjects(parseSetup({ namespace, values, isIsolated: false })).filter(
    ({ kind, metadata }) => /Role$/.test(kind) && metadata.name !== "spark-driver",
  );
  const granted = grantedPermissions(roles.flatMap(({ rules }) => JSON.parse(JSON.stringify(rules))));
  expect(submitter.denied).toEqual([]);
  expect([...submitter.used].sort()).toEqual(granted.toSorted());
});

const java = ["--class", "org.example.Main", "local:///opt/app/app.jar"];

/** Builds the arguments of a submission whose driver is called `name`. */
function submission({ url }: Submitter, name: string, more: Readonly<Record<string, string>> = {}): readonly string[] {
  const settings = {
    "spark.kubernetes.namespace": namespace,
    "spark.kubernetes.container.image": "spark:4.3.0",
    "spark.kubernetes.driver.pod.name": name,
    "spark.kubernetes.submission.waitAppCompletion": "false",
    "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
    ...more,
  };
  const confs = Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]);
  return ["--master", `k8s://${url}`, "--deploy-mode", "cluster", ...confs];
}

/** Arguments and environment of a submission that creates every kind of object. */
function everyKind() {
  const directory = temporaryDirectory();
  const sort = sorts.find(({ name }) => name.startsWith("with Volcano"));
  return { args: [...(sort?.args(directory, 1) ?? []), ...java], env: sort?.env?.(directory) ?? {} };
}

async function createEveryKind(submitter: Submitter): Promise<void> {
  const { args, env } = everyKind();
  const command = (name: string) => [name, "--master", `k8s://${submitter.url}`];
  const submitted = [...submission(submitter, "all"), ...args];
  expect(await run("spark-submit", submitted, { env })).toMatchObject({ exit: 0 });
  expect(await run("firesteel", [...command("status"), `${namespace}:*`])).toMatchObject({ exit: 0 });
  const diff = ["diff", "--against", `${namespace}:all`, ...submitted];
  expect(await run("firesteel", diff, { env })).toMatchObject({ exit: 1 });
  expect(await run("firesteel", [...command("diagnose"), `${namespace}:all`])).toMatchObject({ exit: 0 });
  expect(await run("firesteel", [...command("kill"), `${namespace}:all`])).toMatchObject({ exit: 0 });
  const sweep = [...command("sweep"), "--namespace", namespace, "--older-than", "0s"];
  expect(await run("firesteel", sweep)).toMatchObject({ exit: 0 });
}

/** Submits without responses to applies: the client looks for the objects and deletes them. */
async function undoApplies(submitter: Submitter): Promise<void> {
  const { args, env } = everyKind();
  expect((await run("spark-submit", [...submission(submitter, "lost"), ...args], { env })).exit).toBe(1);
}

/** Waits for a driver on a node, with uploads, and prints its log. */
async function waitForDriver(submitter: Submitter): Promise<void> {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "job.py"), "print(1)\n");
  writeFileSync(join(directory, "template.json"), JSON.stringify({ spec: { nodeName: "node-1" } }));
  mkdirSync(join(directory, "shared"));
  const settings = {
    "spark.kubernetes.submission.waitAppCompletion": "true",
    "spark.kubernetes.file.upload.path": `file://${join(directory, "shared")}`,
    "spark.firesteel.staging.removeUploads": "true",
    "spark.firesteel.logs": "driver",
    "spark.kubernetes.driver.podTemplateFile": join(directory, "template.json"),
  };
  const waiting = start("spark-submit", [...submission(submitter, "waiting", settings), join(directory, "job.py")]);
  await podOf("waiting");
  const diagnose = ["diagnose", "--master", `k8s://${submitter.url}`, `${namespace}:waiting`];
  expect(await run("firesteel", diagnose)).toMatchObject({ exit: 0 });
  await setPhase("waiting", "Running");
  const used = () => [...submitter.used];
  await expect.poll(used, { timeout: 60_000 }).toEqual(expect.arrayContaining(["pods/log get", "pods/proxy get"]));
  await setPhase("waiting", "Succeeded");
  expect(await waiting.ended).toMatchObject({ exit: 0 });
}

/** Sends a file to an init container. The API has no node, so nothing receives it. */
async function pushFile(submitter: Submitter): Promise<void> {
  const jar = join(temporaryDirectory(), "big.jar");
  writeFileSync(jar, Buffer.alloc(1_000_000));
  const settings = {
    "spark.kubernetes.initContainer.image": "spark-init:1",
    "spark.firesteel.staging.transport": "push",
  };
  const pushing = start("spark-submit", [...submission(submitter, "pushing", settings), "--jars", jar, ...java]);
  await setPhase("pushing", "Pending");
  await expect.poll(() => [...submitter.used], { timeout: 60_000 }).toContain("pods/portforward get");
  pushing.child.kill("SIGINT");
  await pushing.ended;
}

/** Waits for a pod. */
async function podOf(name: string): Promise<Pod> {
  const find = () => call<Pod>(cluster, "GET", resourcePath(resourceTypes.pod, namespace, name)).catch(() => undefined);
  await expect.poll(find, { timeout: 60_000 }).toBeDefined();
  return (await find()) ?? {};
}

/** Waits for a pod and sets its status as a node does. */
async function setPhase(name: string, phase: "Pending" | "Running" | "Succeeded"): Promise<void> {
  const { containers = [], initContainers = [] } = (await podOf(name)).spec ?? {};
  // Drivers are asked for their jobs only some time after their start.
  const startedAt = new Date(Date.now() - 3_600_000).toISOString();
  const running = { running: { startedAt } };
  const ended = { terminated: { startedAt, finishedAt: startedAt, exitCode: 0, reason: "Completed" } };
  const statusOf = (containers: readonly { readonly name: string }[], state: object) =>
    containers.map((container) => ({
      name: container.name,
      image: "x",
      imageID: "x",
      ready: true,
      restartCount: 0,
      state,
    }));
  await call(cluster, "PATCH", `${resourcePath(resourceTypes.pod, namespace, name)}/status`, {
    status: {
      ...{ phase, podIP: "127.0.0.1", startTime: startedAt },
      ...(phase === "Pending"
        ? { initContainerStatuses: statusOf(initContainers, running) }
        : { containerStatuses: statusOf(containers, phase === "Running" ? running : ended) }),
    },
  });
}
