import { readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { KubeResource, Pod } from "../../src/kube/types.ts";
import type { LocalizeSource } from "../../src/staging-client/localize-config.ts";
import { apiNamespaces } from "../acceptance/api-namespaces.ts";
import { call } from "../acceptance/embedded-api.ts";
import type { RecordedRequest, RequestOutcome } from "../acceptance/fault-proxy.ts";
import { localize, programOutput, type Run, secret } from "../acceptance/localize.ts";
import { run, start, temporaryDirectory, withCaches } from "../acceptance/programs.ts";

const script = "print('of this machine')\n";
const secretText = "text that no other object may have";
const requestAnnotation = "spark-job.alpha.apache.org/provideExternalUri";
const resolvedAnnotation = "spark-job.alpha.apache.org/resolvedExternalUri";

/** Creates a directory with a script and a file. */
function jobDirectory(text = script): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "job.py"), text);
  writeFileSync(join(directory, "conf.txt"), secretText);
  return directory;
}

function toArgv(settings: Readonly<Record<string, string>>): readonly string[] {
  return [
    ...["--staging", "push"],
    ...Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]),
    ...["--files", "conf.txt", "job.py"],
  ];
}

/** Starts an ingress that serves another server's root below a path prefix. Returns its URL. */
async function rewriting(target: string, prefix: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", headers, url = "" } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end();
    const passed = request(`${target}${url.slice(prefix.length)}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    return void incoming.pipe(passed);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : address}${prefix}`;
}

describe("files that are pushed to a waiting init container", () => {
  const api = apiNamespaces("pushed");

  /** Starts a submission in a namespace without controllers. */
  async function submission(
    settings: Readonly<Record<string, string>> = {},
    decide?: (visit: RecordedRequest) => RequestOutcome,
  ) {
    const { namespace, proxy, args: target, objects } = await api.create(decide);
    const all = { "spark.kubernetes.driver.pod.name": "driver", ...settings };
    const args = [...target, "--verbose", ...toArgv(all)];
    const cwd = jobDirectory();
    const again = () => start("spark-submit", args, { cwd, env: withCaches({}) });
    const program = again();
    const pod = resourcePath(resourceTypes.pod, namespace, "driver");
    return {
      ...{ namespace, program, pod, proxy, again, objects },
      /** Resolves with all objects when the pod exists and owns them. */
      created: () =>
        expect
          .poll(async () => unownedIn(await objects()), { timeout: 60_000 })
          .toEqual([])
          .then(objects),
      gone: () => expect.poll(objects, { timeout: 60_000 }).toEqual([]),
      setStatus: (status: Pod["status"]) => call(api.cluster(), "PATCH", `${pod}/status`, { status }),
    };
  }

  /** Runs the init container of a submission from its objects, as a node would. */
  async function runInitContainer({
    created,
    setStatus,
  }: Awaited<ReturnType<typeof submission>>): Promise<Run & { readonly url: string; readonly secretText: string }> {
    const objects = await created();
    const text = Buffer.from(dataOf(objects, "-deps-token", "token"), "base64").toString();
    const [source]: LocalizeSource[] = JSON.parse(dataOf(objects, "-deps-conf", "localize.json")).sources;
    if (source?.kind !== "push") throw new Error("there is nothing to wait for");
    const waiting = localize([{ ...source, port: 0, secretFile: secret(text) }]);
    const port = /on port (\d+)\n/.exec(await programOutput(waiting, /on port \d+\n/))?.[1];
    const state = { running: { startedAt: "2026-11-22T00:00:00Z" } };
    await setStatus({ phase: "Pending", initContainerStatuses: [statusOf(state)] });
    return { ...waiting, url: `http://127.0.0.1:${port}`, secretText: text };
  }

  const serviceManagerSettings = (type: string) => ({
    "spark.firesteel.staging.push.serviceManagerType": type,
  });

  test("T83, T84: go to the URL in the service's annotation, after which the service exposes only the driver's UI", async () => {
    const submitted = await submission(serviceManagerSettings("ExternalAnnotation"));
    const { namespace, program, objects } = submitted;
    const { url, secretText: pushed, directory, program: init } = await runInitContainer(submitted);
    const service = (await objects()).find(
      ({ kind, metadata }) => kind === "Service" && metadata.name?.endsWith("-push"),
    );
    expect(service).toMatchObject({
      metadata: { annotations: { [requestAnnotation]: "true" }, ownerReferences: [{ kind: "Pod" }] },
      spec: { type: "ClusterIP", publishNotReadyAddresses: true, ports: [{ port: 7077, targetPort: 7077 }] },
    });
    const path = resourcePath(resourceTypes.service, namespace, service?.metadata.name);
    await call(api.cluster(), "PATCH", path, {
      metadata: { annotations: { [resolvedAnnotation]: await rewriting(url, "/drivers/1") } },
    });
    const { exit, stderr, stdout } = await program.ended;
    expect(exit, stderr).toBe(0);
    expect((await init.ended).exit).toBe(0);
    expect(readFileSync(join(directory, "files/conf.txt"), "utf8")).toBe(secretText);
    expect(readFileSync(join(directory, "pyfiles/job.py"), "utf8")).toBe(script);
    const after = await call(api.cluster(), "GET", path);
    expect(after).toMatchObject({
      spec: { type: "ClusterIP", ports: [{ name: "spark-ui-port", port: 4040 }] },
    });
    expect(after.metadata.annotations).not.toHaveProperty([requestAnnotation]);
    const others = (await objects()).filter(({ kind }) => kind !== "Secret");
    for (const text of [JSON.stringify(others), stdout, stderr]) {
      expect(text).not.toContain(pushed);
      expect(text).not.toContain(secretText);
    }
  });

  test("T83: fail with SUBMIT_ERR_STAGING_NO_ADDRESS without the annotation and leave no objects", async () => {
    const timeout = { "spark.kubernetes.driverSubmissionTimeout": "3s" };
    const submitted = await submission({ ...serviceManagerSettings("ExternalAnnotation"), ...timeout });
    await runInitContainer(submitted);
    const { exit, stderr } = await submitted.program.ended;
    expect(exit).toBe(1);
    expect(stderr).toContain(`no controller set the annotation ${resolvedAnnotation} of its service within 3 s`);
    await submitted.gone();
  });

  test("go through the port of a schedulable node with an address", async () => {
    const expose = { "spark.kubernetes.driver.service.exposeUiPort": "true" };
    const submitted = await submission({ ...serviceManagerSettings("NodePort"), ...expose });
    const { namespace, program, objects, created } = submitted;
    await created();
    const service = (await objects()).find(
      ({ kind, metadata }) => kind === "Service" && metadata.name?.endsWith("-push"),
    );
    const path = resourcePath(resourceTypes.service, namespace, service?.metadata.name);
    await addNode({ addresses: [{ type: "ExternalIP", address: "127.0.0.1" }] });
    const { url } = await runOn(submitted, path);
    const { exit, stderr } = await program.ended;
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain(`by ${url}`);
    expect(stderr).toMatch(/WARN Staging: Sending the files .* unencrypted/);
    expect(await call(api.cluster(), "GET", path)).toMatchObject({
      spec: { type: "NodePort", ports: [{ port: 4040 }] },
    });
  });

  /** Runs the init container on the node port of its service. */
  async function runOn(submitted: Awaited<ReturnType<typeof submission>>, path: string) {
    const objects = await submitted.created();
    const [source]: LocalizeSource[] = JSON.parse(dataOf(objects, "-deps-conf", "localize.json")).sources;
    if (source?.kind !== "push") throw new Error("there is nothing to wait for");
    const service = await call<{ spec: { ports: { nodePort: number }[] } }>(api.cluster(), "GET", path);
    const port = service.spec.ports[0]?.nodePort ?? 0;
    const text = Buffer.from(dataOf(objects, "-deps-token", "token"), "base64").toString();
    const waiting = localize([{ ...source, port, secretFile: secret(text) }]);
    await programOutput(waiting, /on port \d+\n/);
    const state = { running: { startedAt: "2026-11-22T00:00:00Z" } };
    await submitted.setStatus({ phase: "Pending", initContainerStatuses: [statusOf(state)] });
    return { url: `http://127.0.0.1:${port}` };
  }

  async function addNode(status: object) {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" }, status };
    await call(api.cluster(), "POST", resourcePath(resourceTypes.node), node);
  }

  test("fail with SUBMIT_ERR_STAGING_UNDELIVERED and leave no objects when the pod never starts", async () => {
    const submitted = await submission({ "spark.firesteel.staging.push.timeout": "2s" });
    const { exit, stderr } = await submitted.program.ended;
    expect(exit).toBe(1);
    expect(stderr).toContain("The driver pod driver did not receive the files of this machine: ");
    expect(stderr).toContain("It had 2 s to start its init container.");
    await submitted.gone();
  });

  test("leave no objects in the cluster after an interrupt", async () => {
    const submitted = await submission();
    await submitted.created();
    submitted.program.child.kill("SIGINT");
    expect((await submitted.program.ended).exit).toBe(130);
    await submitted.gone();
  });

  const tokenSettings = {
    ...serviceManagerSettings("ExternalAnnotation"),
    "spark.firesteel.submissionToken": "nightly-1",
  };

  /** Points the service of a submission to an init container. */
  async function lead({ objects, namespace }: Awaited<ReturnType<typeof submission>>, url: string) {
    const service = (await objects()).find(
      ({ kind, metadata }) => kind === "Service" && metadata.name?.endsWith("-push"),
    );
    const path = resourcePath(resourceTypes.service, namespace, service?.metadata.name);
    await call(api.cluster(), "PATCH", path, { metadata: { annotations: { [resolvedAnnotation]: url } } });
  }

  test("continue with the next client with the same token after a kill during the push", async () => {
    const submitted = await submission(tokenSettings);
    await submitted.created();
    submitted.program.child.kill("SIGKILL");
    await submitted.program.ended;
    const { url, secretText: pushed, directory, program: init } = await runInitContainer(submitted);
    const headers = { "x-submission-secret": pushed, "x-submission-client": "killed", "upload-offset": "0" };
    const part = await fetch(`${url}/v1/submissions/create`, {
      method: "POST",
      headers,
      body: secretText.slice(0, 5),
    });
    expect(part.status).toBe(204);
    await lead(submitted, url);
    const { exit, stderr } = await submitted.again().ended;
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain("adopting");
    expect((await init.ended).exit).toBe(0);
    expect(readFileSync(join(directory, "files/conf.txt"), "utf8")).toBe(secretText);
    expect(readFileSync(join(directory, "pyfiles/job.py"), "utf8")).toBe(script);
    expect(stderr).not.toContain(pushed);
  });

  test("are sent by the next client with the same token after a kill before the pod exists", async () => {
    let isHeld = false;
    const submitted = await submission(tokenSettings, ({ method, path }) => {
      if (isHeld || method !== "POST" || !path.includes("/pods")) return "pass";
      isHeld = true;
      return "hold-before";
    });
    await Promise.race([submitted.proxy.held, submitted.program.ended]);
    submitted.program.child.kill("SIGKILL");
    await submitted.program.ended;
    expect((await submitted.objects()).filter(({ kind }) => kind === "Secret")).toHaveLength(1);
    const second = submitted.again();
    // Objects that only the first client needed have no owner, and a sweep removes them.
    const owned = async () =>
      (await submitted.objects()).filter(({ metadata }) => metadata.ownerReferences !== undefined);
    const created = async () => {
      const kinds = async () => (await owned()).map(({ kind }) => kind).sort();
      const all = ["ConfigMap", "ConfigMap", "NetworkPolicy", "Secret", "Service", "Service"];
      await expect.poll(kinds, { timeout: 60_000 }).toEqual(all);
      return owned();
    };
    const { url, directory } = await runInitContainer({ ...submitted, created });
    await lead(submitted, url);
    const { exit, stderr } = await second.ended;
    expect(exit, stderr).toBe(0);
    expect(readFileSync(join(directory, "files/conf.txt"), "utf8")).toBe(secretText);
  });

  test("are not sent again when another client with the token has sent them", async () => {
    const submitted = await submission(tokenSettings);
    await submitted.created();
    const terminated = { exitCode: 0, reason: "Completed" };
    await submitted.setStatus({ phase: "Pending", initContainerStatuses: [statusOf({ terminated })] });
    const { exit, stderr } = await submitted.program.ended;
    expect(exit, stderr).toBe(0);
    expect((await submitted.objects()).map(({ kind }) => kind)).toContain("Pod");
  });

  test("report a pod that is deleted meanwhile", async () => {
    const submitted = await submission();
    await submitted.created();
    await call(api.cluster(), "DELETE", `${submitted.pod}?gracePeriodSeconds=0`);
    const { exit, stderr } = await submitted.program.ended;
    expect(stderr).toContain("The driver pod driver did not receive the files of this machine: It was deleted.");
    expect(exit).toBe(1);
    await submitted.gone();
  });

  test("T75: report why the init container failed, also without waiting, and keep the pod", async () => {
    const submitted = await submission();
    await submitted.created();
    const reason = { code: "noSpace", message: "4096 bytes are missing" };
    const terminated = { exitCode: 6, reason: "Error", message: JSON.stringify(reason) };
    await submitted.setStatus({ phase: "Failed", initContainerStatuses: [statusOf({ terminated })] });
    const { exit, stderr } = await submitted.program.ended;
    expect(stderr).toMatch(/The init container firesteel-localize ended with exit status 6: .*4096 bytes are missing/);
    expect(exit).toBe(1);
    const kinds = (await submitted.objects()).map(({ kind }) => kind);
    expect(kinds).toContain("Pod");
    expect(kinds).toContain("Secret");
  });
});

describe("on the embedded cluster", () => {
  test("pushed files go through the API's port forwarding, and Spark finds them", async () => {
    const text = `
import sys
from pyspark.sql import SparkSession
SparkSession.builder.getOrCreate()
print("at", sys.argv[0], "with", open("conf.txt").read())
`;
    const args = ["--master", "k8s://embedded", "--deploy-mode", "cluster", "--logs", "driver", ...toArgv({})];
    const { exit, stdout, stderr } = await run("spark-submit", args, {
      ...{ cwd: jobDirectory(text), env: withCaches({}) },
    });
    expect(stdout, stderr).toMatch(`at /opt/spark-deps/pyfiles/job.py with ${secretText}`);
    expect(stderr).toContain("by port forwarding of the Kubernetes API");
    expect(exit).toBe(0);
  });
});

function statusOf(state: object) {
  return {
    ...{ name: "firesteel-localize", image: "i", imageID: "", ready: false, restartCount: 0 },
    state,
  };
}

/** Returns objects without an owner, and a placeholder while the pod does not exist. */
function unownedIn(objects: readonly KubeResource[]): readonly string[] {
  if (objects.every(({ kind }) => kind !== "Pod")) return ["no pod"];
  return objects
    .filter(({ kind, metadata }) => kind !== "Pod" && (metadata.ownerReferences ?? []).length === 0)
    .map(({ metadata }) => metadata.name ?? "");
}

function dataOf(objects: readonly KubeResource[], nameEnd: string, key: string): string {
  const data = objects.find(({ metadata }) => metadata.name?.endsWith(nameEnd) === true)?.["data"];
  const found = typeof data === "object" && data !== null ? Object.entries(data) : [];
  return String(found.find(([name]) => name === key)?.[1]);
}
