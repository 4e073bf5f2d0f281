import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, test } from "vitest";
import { outputs, strictSchema } from "../../scripts/docs/json-schemas/outputs.ts";
import { chooseUi } from "../../src/cli/commands/cluster/ui.ts";
import { testHost } from "../../src/host/test-host.ts";
import { resourcePath, resourceTypes } from "../../src/kube/resources.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import { testApi } from "../../src/kube-client/test-api.ts";
import type { EmbeddedCluster } from "../../src/local-cluster/index.ts";
import { fetchActivity } from "../../src/masters/kubernetes/applications/application-activity.ts";
import { isFields } from "../../src/values/fields.ts";
import { call } from "./embedded-api.ts";
import { serve } from "./file-server.ts";
import { ended, libraryClient, running, setStatus, testedApi } from "./library-cluster.ts";
import { root, run, start, temporaryDirectory } from "./programs.ts";

const validated = new Set<string>();
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });

/** Returns the differences between an output and its schema, published and strict: the strict one has no other properties. */
function problemsOf(name: string, output: unknown): readonly string[] {
  validated.add(name);
  const published: unknown = JSON.parse(readFileSync(join(root, "docs", "schemas", `${name}.schema.json`), "utf8"));
  if (typeof published !== "object" || published === null) return ["no schema"];
  return [published, strictSchema(name)].flatMap((schema) => {
    const validate = ajv.compile(schema);
    return validate(output)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  });
}

interface Machine {
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
}

/** Creates the home directory of a user of an API. */
function machineOf(api?: EmbeddedCluster): Machine {
  const directory = temporaryDirectory();
  const kubeconfig = join(directory, "kubeconfig");
  if (api !== undefined) writeFileSync(kubeconfig, api.kubeconfig);
  return { directory, env: { HOME: directory, KUBECONFIG: kubeconfig } };
}

/** Runs a command and parses its output. */
async function jsonOf({ env, directory }: Machine, ...args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await run("firesteel", args, { env, cwd: directory });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

const app = "local:///opt/app.py";
const submission = [
  ...["--master", "k8s://https://127.0.0.1:1", "--deploy-mode", "cluster"],
  ...["--conf", "spark.kubernetes.container.image=spark:4.3.0"],
];

describe("the output of commands has its published schema, and no other properties", () => {
  test("ps, status, events and diagnose", async () => {
    const api = await testedApi();
    const machine = machineOf(api);
    const { firesteel } = libraryClient(api);
    const [first, second] = [await firesteel.submit({ app }), await firesteel.submit({ app })];
    const label = "spark.kubernetes.driver.label.firesteel.dev/connect-server";
    const third = await firesteel.submit({ app, conf: { [label]: "15002" } });
    await setStatus(api, first.id, running);
    await setStatus(api, second.id, ended(137, "OOMKilled"));
    await call(api, "POST", resourcePath(resourceTypes.event, "default"), {
      ...{ metadata: { name: "e1", namespace: "default" }, type: "Normal", reason: "Pulled", count: 1, message: "m" },
      involvedObject: { kind: "Pod", name: second.podName, namespace: "default" },
      lastTimestamp: "2026-01-31T12:00:00Z",
    });
    const applications = await jsonOf(machine, "ps", "--json");
    expect(applications).toMatchObject({ applications: [{}, {}, {}] });
    expect(problemsOf("applications", applications)).toEqual([]);
    const servers = await jsonOf(machine, "connect", "list", "--json");
    expect(servers).toMatchObject({ servers: [{ submissionId: third.id }] });
    expect(problemsOf("connect-servers", servers)).toEqual([]);
    const drivers = await jsonOf(machine, "status", "*", "--json");
    expect(drivers).toMatchObject({ drivers: [{}, {}, {}] });
    expect(problemsOf("drivers", drivers)).toEqual([]);
    const events = await jsonOf(machine, "events", second.id, "--json");
    expect(events).toMatchObject({ events: [{ reason: "Pulled" }] });
    expect(problemsOf("events", events)).toEqual([]);
    const written = await jsonOf(machine, "bundle", second.id, "-o", "b.tar.gz", "--json");
    expect(problemsOf("written-bundle", written)).toEqual([]);
    const manifest = Object.entries(isFields(written) ? written : {}).filter(([key]) => key !== "path");
    expect(problemsOf("bundle", Object.fromEntries(manifest))).toEqual([]);
    const diagnosis = await jsonOf(machine, "diagnose", second.id, "--json");
    expect(diagnosis).toMatchObject({ cause: "oom-killed" });
    expect(problemsOf("diagnosis", diagnosis)).toEqual([]);
    const healthy = await jsonOf(machine, "diagnose", first.id, "--json");
    expect(healthy).toMatchObject({ cause: "none" });
    expect(problemsOf("diagnosis", healthy)).toEqual([]);
    await third.kill();
    const watched = start("firesteel", ["ps", "--watch", "--json"], { env: machine.env });
    const lines: string[] = [];
    watched.child.stdout.on("data", (chunk) => lines.push(...String(chunk).trim().split("\n")));
    await expect.poll(() => lines.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    watched.child.kill("SIGINT");
    expect(lines.flatMap((line) => problemsOf("application", JSON.parse(line)))).toEqual([]);
  });

  test("diagnose of a record", async () => {
    const machine = machineOf();
    const metadata = { name: "d", namespace: "ns", creationTimestamp: "2026-01-31T12:00:00Z" };
    const pod = { metadata, spec: { containers: [{ name: "spark-kubernetes-driver" }] }, status: ended(3) };
    const record = { startedAt: metadata.creationTimestamp, endMs: 2000, driverPod: "d", timeline: [{ ms: 10, pod }] };
    writeFileSync(join(machine.directory, "r.json"), JSON.stringify(record));
    const { stdout } = await run("firesteel", ["diagnose", "--record", "r.json", "--timeline"], {
      ...{ env: machine.env, cwd: machine.directory },
    });
    const lines = stdout.trim().split("\n");
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.flatMap((line) => problemsOf("timeline-entry", JSON.parse(line)))).toEqual([]);
  });

  test("doctor, also for invalid arguments", async () => {
    const api = await testedApi();
    const machine = machineOf(api);
    const args = ["--deploy-mode", "cluster", "--conf", "spark.kubernetes.container.image=spark:4.3.0", app];
    const findings = await jsonOf(machine, "doctor", "--json", "--master", `k8s://${api.url}`, ...args);
    expect(findings).toMatchObject({ findings: expect.arrayContaining([expect.objectContaining({ check: "api" })]) });
    expect(problemsOf("findings", findings)).toEqual([]);
    const invalid = await jsonOf(machine, "doctor", "--json", ...submission, "--conf", "spark.driver.cores=0", app);
    expect(invalid).toMatchObject({ passed: false });
    expect(problemsOf("findings", invalid)).toEqual([]);
  });

  test("render, explain and diff", async () => {
    const machine = machineOf();
    writeFileSync(join(machine.directory, "a.conf"), "spark.executor.cores 2\n");
    const args = [...submission, "--properties-file", "a.conf", "--name", "etl", app, "7"];
    expect(problemsOf("objects", await jsonOf(machine, "render", "--output", "json", ...args))).toEqual([]);
    expect(problemsOf("explanation", await jsonOf(machine, "explain", "--json", ...args))).toEqual([]);
    const networked = ["--conf", "spark.kubernetes.driver.label.team=b"];
    const changes = await jsonOf(machine, "diff", "--json", ...submission, app, "--", ...submission, ...networked, app);
    expect(changes).toMatchObject({ same: false });
    expect(problemsOf("changes", changes)).toEqual([]);
    const same = await jsonOf(machine, "diff", "--json", ...submission, app, "--", ...submission, app);
    expect([same, problemsOf("changes", same)]).toEqual([{ same: true, changes: [] }, []]);
  });

  test("apply", async () => {
    const machine = machineOf(await testedApi());
    const lines: unknown[] = [];
    for (const change of [{}, {}, { conf: { "spark.driver.cores": 2 } }, { suspend: true }]) {
      const file = { name: "job", app, image: "spark:4.3.0", ...change };
      writeFileSync(join(machine.directory, "job.json"), JSON.stringify(file));
      const options = ["--conf", "spark.kubernetes.submission.waitAppCompletion=false"];
      const { env, directory: cwd } = machine;
      const { stdout } = await run("firesteel", ["apply", "-f", "job.json", "--json", ...options], { env, cwd });
      lines.push(
        ...stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      );
    }
    expect(lines.flatMap((line) => problemsOf("applied", line))).toEqual([]);
    expect(lines).toMatchObject(
      ["created", "unchanged", "changed", "created", "suspended"].map((action) => ({ action, application: "job" })),
    );
  });

  test("convert and schedule", async () => {
    const machine = machineOf();
    for (const format of ["spark-application", "own", "command"]) {
      const converted = await jsonOf(machine, "convert", "--to", format, "--json", ...submission, app);
      expect(problemsOf("conversion", converted)).toEqual([]);
    }
    const template = {
      ...{ type: "Python", pythonVersion: "3", mode: "cluster", sparkVersion: "4.0.5", mainApplicationFile: app },
      ...{ driver: {}, executor: {} },
    };
    const nightly = {
      ...{ apiVersion: "sparkoperator.k8s.io/v1beta2", kind: "ScheduledSparkApplication" },
      ...{ metadata: { name: "nightly" }, spec: { schedule: "@daily", template } },
    };
    writeFileSync(join(machine.directory, "nightly.json"), JSON.stringify(nightly));
    const times = await jsonOf(machine, "schedule", "-f", "nightly.json", "--json", "--from", "2026-01-31T12:00:00Z");
    expect(times).toHaveLength(5);
    expect(problemsOf("schedule-times", times)).toEqual([]);
  });

  test("top", async () => {
    const responses: Readonly<Record<string, unknown>> = {
      applications: [{ id: "spark-1", name: "etl" }],
      jobs: [{ jobId: 1 }],
      stages: [{ stageId: 3, attemptId: 0, name: "count", numTasks: 4 }],
      executors: [
        { id: "1", totalCores: 4 },
        { id: "2", peakMemoryMetrics: { JVMHeapMemory: 7 } },
      ],
    };
    const { transport } = testApi(({ path }) => {
      const [, resource = ""] = /\/(\w+)(?:\?.*)?$/.exec(path) ?? [];
      return { status: 200, body: JSON.stringify(responses[resource]) };
    });
    const { clock } = testHost();
    const connection = { transport, server: "https://h", clock, requestTimeoutMs: 5000, defaultNamespace: "ns" };
    const driver = { metadata: { name: "d", namespace: "ns" }, spec: { containers: [{ name: "driver" }] } };
    const activity = await fetchActivity({ client: kubeClient({ ...connection, log: () => {} }), driver });
    expect(activity).toMatchObject({ appId: "spark-1", stages: [{ id: 3 }], executors: [{}, { peakHeapBytes: 7 }] });
    expect(problemsOf("activity", JSON.parse(JSON.stringify(activity)))).toEqual([]);
  });

  test("packages resolve", async () => {
    const machine = machineOf();
    const pom =
      "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>";
    const { url } = await serve((request, response) => {
      const content = { "/g/a/1/a-1.pom": pom, "/g/a/1/a-1.jar": "jar" }[request.url ?? ""];
      response.writeHead(content === undefined ? 404 : 200).end(content);
    });
    const resolver = `<ibiblio name="test" m2compatible="true" root="${url}" />`;
    writeFileSync(
      join(machine.directory, "ivy.xml"),
      `<ivysettings><settings defaultResolver="test" /><resolvers>${resolver}</resolvers></ivysettings>`,
    );
    const settings = ["--conf", `spark.jars.ivySettings=${join(machine.directory, "ivy.xml")}`];
    const args = ["packages", "resolve", "g:a:1", ...settings, "--json"];
    const jars = await jsonOf(machine, ...args, "--into", "jars");
    expect(jars).toMatchObject({ jars: [{ coordinate: "g:a:1", sizeBytes: 3 }] });
    expect(problemsOf("jars", jars)).toEqual([]);
    expect(problemsOf("jars", await jsonOf(machine, ...args, "--list"))).toEqual([]);
  });

  test("image list and image build", async () => {
    const machine = machineOf();
    expect(problemsOf("image-definitions", await jsonOf(machine, "image", "list", "--json"))).toEqual([]);
    const bin = join(machine.directory, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "docker"), "#!/bin/sh\nexit 0\n");
    chmodSync(join(bin, "docker"), 0o755);
    const env = { ...machine.env, PATH: `${bin}:${process.env["PATH"]}` };
    const args = ["image", "build", "spark-init-container", "--engine", "docker", "--json"];
    const built = await jsonOf({ ...machine, env }, ...args);
    expect(built).toMatchObject([{ name: "spark-init-container", engine: "docker" }]);
    expect(problemsOf("built-images", built)).toEqual([]);
  });

  test("the commands of the embedded cluster", async () => {
    const machine = machineOf();
    const name = ["--name", "json-outputs"];
    const stopped = await jsonOf(machine, "cluster", "status", ...name, "--json");
    expect(problemsOf("cluster", stopped)).toEqual([]);
    try {
      const started = await jsonOf(machine, "cluster", "start", "--api-only", ...name, "--json");
      expect(started).toMatchObject({ running: true, apiOnly: true });
      expect(problemsOf("cluster", started)).toEqual([]);
      expect(problemsOf("cluster", await jsonOf(machine, "cluster", "status", ...name, "--json"))).toEqual([]);
      const chaos = (...args: readonly string[]) => jsonOf(machine, "cluster", "chaos", ...args, ...name, "--json");
      expect(problemsOf("chaos-rule", await chaos("add", "503", "--resource", "pods", "--for", "1min"))).toEqual([]);
      const state = await chaos("list");
      expect(state).toMatchObject({ rules: [{ rule: { fault: "503" } }] });
      expect(problemsOf("chaos-state", state)).toEqual([]);
      expect(problemsOf("removed-chaos-rule", await chaos("remove", "chaos-1"))).toEqual([]);
      expect(problemsOf("chaos-state", await chaos("clear"))).toEqual([]);
    } finally {
      await run("firesteel", ["cluster", "stop", ...name], { env: machine.env });
    }
    expect(problemsOf("cluster-images", await jsonOf(machine, "cluster", "image", "list", "--json"))).toEqual([]);
    expect(problemsOf("cluster-images", [{ name: null, id: "sha256:0", sizeBytes: 1 }])).toEqual([]);
    const ports = [{ name: "spark-ui", containerPort: 4040 }];
    const ui = chooseUi(
      [
        {
          ...{ metadata: { name: "d", namespace: "ns" }, spec: { containers: [{ name: "c", ports }] } },
          status: { phase: "Running", podIP: "127.90.0.2" },
        },
      ],
      undefined,
    );
    expect(problemsOf("cluster-ui", ui)).toEqual([]);
  });

  test("a wrong output is noticed", () => {
    expect(problemsOf("events", { events: [{ time: 1 }] })).not.toEqual([]);
    expect(problemsOf("applications", { applications: [], more: 1 })).toEqual([" must NOT have additional properties"]);
  });

  afterAll(() => expect([...validated].sort()).toEqual(Object.keys(outputs).sort()));
});
