import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Application, FiresteelError } from "../../src/index.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import type { Pod } from "../../src/kube/types.ts";
import { call, createNamespace, objectsIn } from "./embedded-api.ts";
import { deletePod, ended, libraryClient, running, setStatus, testedApi, textResponse } from "./library-cluster.ts";
import { temporaryDirectory } from "./programs.ts";

const app = "local:///opt/app.py";

/** Returns the failure of a call. */
async function failureOf(action: Promise<unknown>): Promise<unknown> {
  return action.then(
    () => "no failure",
    (error: unknown) => error,
  );
}

/** Waits until a watch shows a state. */
async function untilState(application: Application, state: Application["state"]): Promise<void> {
  await expect.poll(() => application.state, { timeout: 30_000 }).toBe(state);
}

describe("a submission", () => {
  test("creates the driver that the same command line creates, and returns a handle with its identity", async () => {
    const api = await testedApi();
    await createNamespace(api, "jobs");
    const { firesteel } = libraryClient(api, { namespace: "jobs" });
    const application = await firesteel.submit({
      ...{ app, name: "Nightly report", args: ["2026", "1"], image: "registry.example/etl:7" },
      conf: { "spark.executor.instances": 4, "spark.kubernetes.driver.label.team": "billing" },
      extraConf: { "spark.mycompany.team": "billing" },
      python: { executable: "python3.12" },
    });
    const { id, namespace, podName, appId, appName, state } = application;
    expect({ id, namespace, appName, state }).toEqual({
      ...{ id: `jobs:${podName}`, namespace: "jobs", appName: "Nightly report", state: "pending" },
    });
    const pod = await call<Pod>(api, "GET", `${resourcePath(resourceTypes.pod, "jobs")}/${podName}`);
    expect(pod.metadata?.labels).toMatchObject({ team: "billing", "spark-app-selector": appId });
    expect(pod.spec?.containers[0]?.image).toBe("registry.example/etl:7");
    expect(pod.spec?.containers[0]?.args?.slice(-3)).toEqual([app, "2026", "1"]);
    const objects = JSON.stringify(await objectsIn(api, "jobs"));
    for (const line of [
      "spark.executor.instances=4",
      "spark.mycompany.team=billing",
      "spark.pyspark.python=python3.12",
    ])
      expect(objects).toContain(line);
  });

  test("reports all problems of its options together, without a request (SUBMIT_ERR_LIBRARY_OPTION)", async () => {
    const api = await testedApi();
    const { firesteel, requests } = libraryClient(api);
    const options = JSON.parse('{ "app": " ", "files": ["a,b", 1, ""], "extraConf": { "team": "x", "spark.a": {} } }');
    const error = await failureOf(firesteel.submit(options));
    expect(error).toBeInstanceOf(FiresteelError);
    expect(error).toMatchObject({ name: "FiresteelError", code: "SUBMIT_ERR_LIBRARY_OPTION", isRetryable: false });
    expect(error instanceof FiresteelError ? error.issues.map(({ message }) => message) : error).toEqual([
      "Invalid option app: the text is empty.",
      "Invalid option files[0]: the text contains a comma, which separates items.",
      "Invalid option files[1]: the number 1 is not a string.",
      "Invalid option files[2]: the text is empty.",
      'Invalid option extraConf["team"]: the text has a key that does not begin with spark.',
      'Invalid option extraConf["spark.a"]: the object is not a text, number or boolean.',
    ]);
    expect(requests).toEqual([]);
  });

  test("to another master than Kubernetes is rejected (SUBMIT_ERR_MASTER_NOT_SERVED)", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const error = await failureOf(
      firesteel.submit({ app: "local:///a.jar", mainClass: "A", master: "spark://127.0.0.1:7077" }),
    );
    expect(error).toMatchObject({ code: "SUBMIT_ERR_MASTER_NOT_SERVED", kind: "setting" });
  });

  test("to the cluster of the command line is rejected, also by a list", async () => {
    const api = await testedApi();
    const { firesteel, requests } = libraryClient(api, { master: "k8s://embedded" });
    const message = "Invalid option master: k8s://embedded is only for the command line.";
    expect(await failureOf(firesteel.submit({ app }))).toMatchObject({ code: "SUBMIT_ERR_LIBRARY_OPTION", message });
    expect(await failureOf(firesteel.list())).toMatchObject({ code: "SUBMIT_ERR_LIBRARY_OPTION", message });
    expect(requests).toEqual([]);
  });

  test("can be a command line", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const application = await firesteel.submitArguments([
      "--name",
      "etl",
      "--conf",
      "spark.kubernetes.driver.pod.name=etl-1",
      app,
      "7",
    ]);
    expect([application.appName, application.id]).toEqual(["etl", "default:etl-1"]);
    const error = await failureOf(firesteel.submitArguments(["--kill", "jobs:etl"]));
    expect(error).toMatchObject({ code: "SUBMIT_ERR_LIBRARY_OPTION" });
  });

  test("that is aborted before the driver exists removes what it created, and rejects with the signal's reason", async () => {
    const api = await testedApi();
    await createNamespace(api, "jobs");
    const aborting = new AbortController();
    const reason = new Error("enough");
    const { firesteel } = libraryClient(api, { namespace: "jobs" }, ({ method, path }) => {
      if (method === "POST" && path.includes("/pods")) aborting.abort(reason);
      return undefined;
    });
    const error = await failureOf(firesteel.submit({ app, signal: aborting.signal }));
    expect(error).toBe(reason);
    expect(await objectsIn(api, "jobs")).toEqual([]);
    const late = await failureOf(firesteel.submit({ app, signal: AbortSignal.abort(reason) }));
    expect(late).toBe(reason);
  });

  test("with local files waits until the driver has them", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "etl.py"), "print(1)\n");
    await firesteel.submit({ app: join(directory, "etl.py") });
    const secrets = (await objectsIn(api, "default")).filter(({ kind }) => kind === "Secret");
    expect(secrets).toHaveLength(1);
  });

  test("with removeUploads leaves no files in the upload directory after a wait", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const [directory, shared] = [temporaryDirectory(), temporaryDirectory()];
    writeFileSync(join(directory, "etl.py"), "print(1)\n");
    const application = await firesteel.submit({
      app: join(directory, "etl.py"),
      conf: { "spark.kubernetes.file.upload.path": `file://${shared}`, "spark.firesteel.staging.removeUploads": true },
    });
    expect(readdirSync(shared)).toHaveLength(1);
    await setStatus(api, application.id, ended(0));
    await application.wait();
    expect(readdirSync(shared)).toEqual([]);
  });

  test("that the cluster rejects has its code; an unreachable cluster is worth a later attempt", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api, { namespace: "missing" });
    expect(await failureOf(firesteel.submit({ app }))).toMatchObject({
      ...{ code: "SUBMIT_ERR_KUBE_NOT_FOUND", kind: "cluster", isRetryable: false },
    });
    const unreachable = await failureOf(firesteel.submit({ app, master: "k8s://https://127.0.0.1:1" }));
    expect(unreachable).toMatchObject({ code: "SUBMIT_ERR_KUBE_UNREACHABLE", isRetryable: true });
  });
});

describe("a followed application", () => {
  test("shows its state, and its end as an outcome", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const application = await firesteel.submit({ app });
    await setStatus(api, application.id, running);
    await untilState(application, "running");
    const outcome = application.wait();
    await setStatus(api, application.id, ended(0));
    expect(await outcome).toEqual({
      ...{ state: "succeeded", exitCode: 0, reason: undefined, message: undefined, failedBy: undefined },
      diagnosis: undefined,
    });
    expect(application.state).toBe("succeeded");
    // An ended application has no watch, so a second wait needs none.
    expect(await application.wait()).toMatchObject({ state: "succeeded" });
  });

  test("that failed by itself has a diagnosis; one that lost its node failed by infrastructure", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const [failed, lost] = [await firesteel.submit({ app }), await firesteel.submit({ app })];
    await setStatus(api, failed.id, ended(137, "OOMKilled"));
    await setStatus(api, lost.id, {
      ...{ phase: "Failed", reason: "NodeLost", message: "Node a stopped reporting." },
      conditions: [{ type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" }],
    });
    expect(await failed.wait()).toMatchObject({
      ...{ state: "failed", exitCode: 137, reason: "OOMKilled", failedBy: "application" },
      diagnosis: { cause: "oom-killed" },
    });
    expect(await lost.wait({ diagnose: false })).toMatchObject({
      ...{ state: "failed", exitCode: undefined, reason: "NodeLost", failedBy: "infrastructure", diagnosis: undefined },
    });
  });

  test("whose pod is deleted ends as deleted, also if it was not followed then", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const watched = await firesteel.submit({ app });
    await setStatus(api, watched.id, running);
    await untilState(watched, "running");
    await deletePod(api, watched.id);
    expect(await watched.wait({ diagnose: false })).toMatchObject({ state: "deleted", failedBy: undefined });
    const unwatched = await firesteel.submit({ app });
    unwatched.close();
    await deletePod(api, unwatched.id);
    expect(await unwatched.status()).toMatchObject({ state: "deleted", podName: unwatched.podName });
  });

  test("is found by its IDs and its name, and killed", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const { id, appId } = await firesteel.submit({ app, name: "etl" });
    for (const text of [id, appId, "etl", "last"]) expect((await firesteel.application(text)).id).toBe(id);
    expect(await failureOf(firesteel.application("other"))).toMatchObject({ code: "SUBMIT_ERR_DRIVER_MISSING" });
    const application = await firesteel.application(id);
    expect(await application.status()).toMatchObject({ submissionId: id, state: "pending" });
    expect(await application.kill({ gracePeriodSeconds: 0 })).toBe(true);
    expect(await application.wait({ diagnose: false })).toMatchObject({ state: "deleted" });
    expect(await application.kill()).toBe(false);
  });

  test("has events, and a diagnosis before its end", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const application = await firesteel.submit({ app });
    const reason = "FailedScheduling";
    await call(api, "POST", resourcePath(resourceTypes.event, "default"), {
      ...{ metadata: { name: "e1", namespace: "default" }, type: "Warning", reason, count: 2 },
      message: "0/2 nodes are available: 2 Insufficient memory.",
      lastTimestamp: "2026-01-31T12:00:00Z",
      involvedObject: { kind: "Pod", name: application.podName, namespace: "default" },
    });
    await setStatus(api, application.id, {
      phase: "Pending",
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason: "Unschedulable",
          message: "0/2 nodes are available: 2 Insufficient memory.",
        },
      ],
    });
    expect(await application.events()).toMatchObject([{ reason, count: 2, object: `Pod/${application.podName}` }]);
    expect(await application.diagnose()).toMatchObject({ cause: "insufficient-memory" });
  });

  test("rejects a wait with the signal's reason, and after it or the client is closed", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const [first, second] = [await firesteel.submit({ app }), await firesteel.submit({ app })];
    const reason = new Error("enough");
    const aborting = new AbortController();
    const wait = failureOf(first.wait({ signal: aborting.signal }));
    aborting.abort(reason);
    expect(await wait).toBe(reason);
    const closed = failureOf(first.wait());
    await first[Symbol.asyncDispose]();
    expect(await closed).toMatchObject({ name: "AbortError" });
    const waiting = failureOf(second.wait());
    await firesteel.close();
    expect(await waiting).toMatchObject({ name: "AbortError" });
    expect(await failureOf(firesteel.list())).toMatchObject({ name: "AbortError" });
  });

  test("can share a signal with many calls, and Node warns of nothing", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api);
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => void warnings.push(message);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const { signal } = new AbortController();
    const application = await firesteel.submit({ app, signal });
    const waits = Array.from({ length: 30 }, () => application.wait({ signal, diagnose: false }));
    await Promise.all(Array.from({ length: 30 }, () => firesteel.submit({ app, signal })));
    await Promise.all(Array.from({ length: 30 }, () => firesteel.watch({ signal }).next()));
    await Promise.all(Array.from({ length: 30 }, () => firesteel.watch().next()));
    await setStatus(api, application.id, ended(0));
    await Promise.all(waits);
    expect(warnings).toEqual([]);
  });

  test("of an account that may not list pods rejects a wait and a log, but not the submission", async () => {
    const api = await testedApi();
    const forbidden = async () => ({
      ...{ status: 403, headers: { "content-type": "application/json" } },
      body: (
        await textResponse(
          '{"kind":"Status","code":403,"reason":"Forbidden","message":"pods is forbidden: User "ci" cannot list resource "pods" in API group "" in the namespace "default""}',
        )
      ).body,
    });
    const { firesteel } = libraryClient(api, {}, ({ method, path }) =>
      method === "GET" && /\/pods\?/.test(path) ? forbidden() : undefined,
    );
    const application = await firesteel.submit({ app });
    expect(await failureOf(application.wait())).toMatchObject({ code: "SUBMIT_ERR_KUBE_FORBIDDEN" });
    expect(await failureOf(application.logs().next())).toMatchObject({ code: "SUBMIT_ERR_KUBE_FORBIDDEN" });
    expect(await application.status()).toMatchObject({ state: "pending" });
  });
});

describe("the log", () => {
  const lines = Array.from(
    { length: 5000 },
    (_, index) => `2026-01-31T12:00:00.${String(index).padStart(9, "0")}Z line ${index}\n`,
  );

  test("is read line by line until the driver ends", async () => {
    const api = await testedApi();
    const { firesteel, watches } = libraryClient(api, {}, ({ path }) =>
      path.includes("/log?") ? textResponse(...lines) : undefined,
    );
    const application = await firesteel.submit({ app });
    await setStatus(api, application.id, running);
    await untilState(application, "running");
    const read: string[] = [];
    for await (const line of application.logs()) {
      read.push(line);
      if (line === "line 10") await setStatus(api, application.id, ended(0));
    }
    expect(read).toHaveLength(5000);
    expect(read.at(-1)).toBe("line 4999");
    expect(watches).toHaveLength(1);
  });

  test("ends with the loop, and can be the part that exists", async () => {
    const api = await testedApi();
    const requested: string[] = [];
    const { firesteel } = libraryClient(api, {}, ({ path }) => {
      if (!path.includes("/log?")) return undefined;
      requested.push(path);
      return textResponse("a\nb\nc");
    });
    const application = await firesteel.submit({ app });
    await setStatus(api, application.id, running);
    const read: string[] = [];
    const options = { follow: false, tailLines: 3, since: new Date("2026-01-31T12:00:00Z") };
    for await (const line of application.logs(options)) read.push(line);
    expect(read).toEqual(["a", "b", "c"]);
    expect(requested[0]).toMatch(/sinceTime=2026-01-31T12%3A00%3A00Z.*tailLines=3|tailLines=3.*sinceTime/);
    for await (const line of application.logs({ follow: false })) if (line === "a") break;
  });

  test("that may not be read ends with an error", async () => {
    const api = await testedApi();
    const { firesteel } = libraryClient(api, {}, ({ path }) =>
      path.includes("/log?") ? textResponse().then(({ body }) => ({ status: 403, headers: {}, body })) : undefined,
    );
    const application = await firesteel.submit({ app });
    await setStatus(api, application.id, ended(0));
    const error = await failureOf(application.logs().next());
    expect(error).toMatchObject({ name: "FiresteelError", code: "SUBMIT_ERR_KUBE_FORBIDDEN" });
  });
});

describe("a client", () => {
  test("lists applications by namespace and state", async () => {
    const api = await testedApi();
    await createNamespace(api, "other");
    const { firesteel } = libraryClient(api);
    const first = await firesteel.submit({ app });
    const second = await firesteel.submit({ app, namespace: "other" });
    await setStatus(api, first.id, ended(0));
    const ids = async (options: Parameters<typeof firesteel.list>[0]) =>
      (await firesteel.list(options)).map(({ submissionId }) => submissionId);
    expect(await ids({})).toEqual([first.id]);
    expect((await ids({ namespace: { all: true } })).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(await ids({ namespace: { all: true }, states: ["succeeded"] })).toEqual([first.id]);
  });

  test("watches applications: those that exist, then each change", async () => {
    const api = await testedApi();
    const { firesteel, watches } = libraryClient(api);
    const application = await firesteel.submit({ app });
    const seen: string[] = [];
    for await (const { type, application: changed } of firesteel.watch()) {
      seen.push(`${type} ${changed.state}`);
      if (seen.length === 1) await setStatus(api, application.id, running);
      if (seen.length === 2) await deletePod(api, application.id);
      if (type === "deleted") break;
    }
    expect(seen.filter((change) => change !== "changed deleting")).toEqual([
      ...["added pending", "changed running", "deleted deleted"],
    ]);
    expect(watches).toHaveLength(1);
    const aborted = firesteel.watch({ signal: AbortSignal.abort(new Error("enough")) });
    expect(await failureOf(aborted.next())).toMatchObject({ message: "enough" });
  });

  test("reports what Spark's client would write, and writes nothing", async () => {
    const api = await testedApi();
    const { firesteel, logged } = libraryClient(api, { extraConf: { "spark.kubernetes.driver.memoy": "1g" } });
    await firesteel.submit({ app });
    expect(
      logged
        .filter(({ level }) => level === "WARN")
        .map(({ message }) => message)
        .join(),
    ).toContain("memoy");
  });
});
