import { cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { load } from "js-yaml";
import type { CronJob, Job } from "kubernetes-types/batch/v1.d.ts";
import type { PodSpec } from "kubernetes-types/core/v1.d.ts";
import { beforeAll, describe, expect, test } from "vitest";
import type { ConfigMap, KubeResource, Pod } from "../../src/kube/types.ts";
import { findStructType } from "../../src/local-cluster/api/schema/schema.ts";
import { strictErrors } from "../../src/local-cluster/api/schema/strict-errors.ts";
import { root } from "../acceptance/programs.ts";
import type { ContractClient } from "../contract/contract-client.ts";
import { pageBlocks } from "../page-blocks.ts";
import { sparkCluster } from "../spark/spark-cluster.ts";

const nodeDirectory = dirname(process.execPath);
const cluster = sparkCluster(["--host-path", tmpdir(), "--host-path", nodeDirectory]);
const [settingsText = "", jobText = "", cronJobText = ""] = pageBlocks("docs/kubernetes-jobs.md", "yaml");
const settings = parseYaml<ConfigMap>(settingsText);
const job = parseYaml<Job>(jobText);
const jobsPath = "/apis/batch/v1/namespaces/jobs/jobs";
const configMapsPath = "/api/v1/namespaces/jobs/configmaps";
const podsPath = "/api/v1/namespaces/jobs/pods";
const specs = new Map<string, PodSpec>();

/** Content of the client's image. */
beforeAll(() => {
  for (const name of ["dist", "package.json"])
    cpSync(join(root, name), join(cluster.directory, "client", name), { recursive: true });
});

function parseYaml<T>(text: string): T;
function parseYaml(text: string): unknown {
  return load(text);
}

function parseJson<T>(text: string): T {
  return JSON.parse(text);
}

/** Makes the page's Job run without the client's image: with this project's programs, which its pod mounts. */
function runnableJob(name: string, args: (own: readonly string[]) => string[] = (own) => [...own]): Job {
  const spec = structuredClone(job.spec);
  const pod = spec?.template.spec;
  const container = pod?.containers[0];
  if (spec === undefined || pod === undefined || container === undefined) throw new Error("The Job has no container.");
  pod.volumes?.push(
    { name: "client", hostPath: { path: join(cluster.directory, "client") } },
    { name: "node", hostPath: { path: nodeDirectory } },
  );
  container.volumeMounts?.push(
    { name: "client", mountPath: "/opt/firesteel" },
    { name: "node", mountPath: "/opt/node" },
  );
  container.env?.push({ name: "PATH", value: "/opt/node:/usr/bin:/bin" }, { name: "HOME", value: "/tmp" });
  container.image = "debian:13";
  container.command = container.command?.map((program) => `/opt/firesteel/dist/bin/${program}.cjs`) ?? [];
  container.args = args(container.args ?? []);
  return { ...job, metadata: { ...job.metadata, name }, spec };
}

async function create(api: ContractClient, path: string, object: object): Promise<void> {
  expect(await api.call("POST", path, object)).toMatchObject({ status: 201 });
}

/** Prepares the namespace as the page does. Opening the API's usual port for pods, 443, needs a permission. */
async function prepare(): Promise<ContractClient> {
  expect(await cluster.firesteel("setup", "namespace", "jobs")).toMatchObject({ exit: 0 });
  const api = await cluster.api();
  const text = JSON.stringify(settings);
  const isPrivileged = process.getuid?.() === 0;
  const reachable = isPrivileged ? text : text.replace("https://kubernetes.default.svc", cluster.url());
  await api.call("POST", configMapsPath, parseJson(reachable));
  return api;
}

/** Lists pods, and notes the content of each. */
async function podsOf(api: ContractClient, selector: string): Promise<readonly (Pod & KubeResource)[]> {
  const { text } = await api.call("GET", `${podsPath}?labelSelector=${encodeURIComponent(selector)}`);
  const { items } = parseJson<{ readonly items: readonly (Pod & KubeResource)[] }>(text);
  for (const { metadata, spec } of items) if (spec !== undefined) specs.set(metadata.name ?? "", spec);
  return items;
}

/** Waits until a Job is complete or has failed. Returns the type of its condition. */
async function outcomeOf(api: ContractClient, name: string): Promise<string | undefined> {
  let outcome: string | undefined;
  const finished = async () => {
    await podsOf(api, "");
    const { status } = parseJson<Job>((await api.call("GET", `${jobsPath}/${name}`)).text);
    outcome = status?.conditions?.map(({ type }) => type).find((type) => type === "Complete" || type === "Failed");
    return outcome;
  };
  await expect.poll(finished, { timeout: 180_000, interval: 200 }).toBeDefined();
  return outcome;
}

async function logOf(api: ContractClient, pod: string): Promise<string> {
  return (await api.call("GET", `${podsPath}/${pod}/log`)).text;
}

/** Expects what the pod security level `restricted` requires. */
function expectRestricted({ securityContext, containers, initContainers = [] }: PodSpec): void {
  expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  const required = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  for (const container of [...containers, ...initContainers]) expect(container.securityContext).toMatchObject(required);
}

describe("the page's objects", () => {
  test("have only fields that Kubernetes knows, and the API accepts them", async () => {
    const api = await prepare();
    const strict = "?dryRun=All&fieldValidation=Strict";
    const other = { ...settings, metadata: { ...settings.metadata, name: "other" } };
    await create(api, configMapsPath + strict, other);
    await create(api, jobsPath + strict, job);
    for (const text of [settingsText, jobText, cronJobText]) {
      const object = parseYaml<KubeResource>(text);
      const type = findStructType(object.apiVersion, object.kind);
      expect(type === undefined ? ["unknown kind"] : strictErrors(JSON.stringify(object), type)).toEqual([]);
    }
  });

  test("run the same Job once and on a schedule", () => {
    const { spec } = parseYaml<CronJob>(cronJobText);
    expect(spec?.jobTemplate.spec).toEqual(job.spec);
    expect(spec?.concurrencyPolicy).toBe("Forbid");
  });
});

test("a pod that replaces a deleted one adopts the driver, and all pods match the pod security level restricted", async () => {
  const api = await prepare();
  await create(api, jobsPath, runnableJob("pi"));
  const clients = "batch.kubernetes.io/job-name=pi";
  await expect.poll(() => podsOf(api, "spark-role=driver"), { timeout: 60_000, interval: 200 }).toHaveLength(1);
  const [first] = await podsOf(api, clients);
  // A client that ends before it has created all objects deletes them.
  const log = () => logOf(api, first?.metadata.name ?? "");
  await expect.poll(log, { timeout: 60_000, interval: 200 }).toContain("Waiting for application");
  await api.call("DELETE", `${podsPath}/${first?.metadata.name}`);
  expect(await outcomeOf(api, "pi")).toBe("Complete");
  const [second] = await podsOf(api, clients);
  const adopted = await logOf(api, second?.metadata.name ?? "");
  expect(adopted).toContain("An earlier submission used the same token: adopting jobs:pi-");
  expect(adopted).toMatch(/^Pi is roughly 3\.1/m);
  expect(second?.metadata.name).not.toBe(first?.metadata.name);
  expect(await podsOf(api, "spark-role=driver")).toHaveLength(1);
  for (const kind of [/^pi-\w{5}$/, /^pi-.*-driver$/, /-exec-\d$/])
    expect([...specs.keys()]).toContainEqual(expect.stringMatching(kind));
  for (const spec of specs.values()) expectRestricted(spec);
});

test("each pod of the Job returns the exit code of a driver that failed", async () => {
  const api = await prepare();
  const failing = runnableJob("fails", (args) => [...args.slice(0, -1), "many"]);
  await create(api, jobsPath, { ...failing, spec: { ...failing.spec, backoffLimit: 1 } });
  expect(await outcomeOf(api, "fails")).toBe("Failed");
  const pods = await podsOf(api, "batch.kubernetes.io/job-name=fails");
  expect(pods.map(({ status }) => status?.containerStatuses?.[0]?.state?.terminated?.exitCode)).toEqual([1, 1]);
  const logs = await Promise.all(pods.map(({ metadata }) => logOf(api, metadata.name ?? "")));
  for (const log of logs) expect(log).toContain("invalid literal for int() with base 10: 'many'");
  expect(logs.filter((log) => log.includes("adopting"))).toHaveLength(1);
});
