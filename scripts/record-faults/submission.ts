/** Submits the application of a scenario. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Cluster } from "./cluster.ts";
import type { Scenario } from "./scenario.ts";

/** Runs a program of Node. Throws with its output if it fails. */
const runNode = (args: readonly string[], env = process.env) =>
  promisify(execFile)(process.execPath, args, { encoding: "utf8", env });

const bin = (name: string) => join("dist", "bin", `${name}.cjs`);

/** Rejected request of a submission. */
export interface RecordedRejection {
  readonly ms: number;
  readonly request: string;
  readonly status: number;
  readonly body: unknown;
}

const fastStart = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

const commonSettings = {
  "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
  // Without the optimizing compiler, Spark starts in about half the time.
  "spark.driver.defaultJavaOptions": fastStart,
  "spark.executor.defaultJavaOptions": fastStart,
  "spark.driver.memory": "512m",
  "spark.driver.memoryOverhead": "384m",
  "spark.executor.memory": "512m",
  "spark.executor.memoryOverhead": "384m",
  "spark.executor.instances": "1",
  "spark.kubernetes.driver.request.cores": "0.1",
  "spark.kubernetes.executor.request.cores": "0.1",
};

/** A submission to make. */
interface SubmissionCall {
  readonly cluster: Cluster;
  readonly scenario: Scenario;
  readonly namespace: string;
  readonly startedAt: number;
}

/** Creates the objects of the submission in the order of Spark's client. Returns the request that the API rejected, if any. */
export async function submit(call: SubmissionCall): Promise<RecordedRejection | undefined> {
  const { scenario, cluster, namespace } = call;
  if (scenario.python !== undefined) {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await cluster.create(path, { metadata: { name: "application" }, data: { "report.py": scenario.python } });
  }
  const directory = mkdtempSync(join(tmpdir(), "firesteel-scenario-"));
  try {
    if (!scenario.isUploaded) return await createRendered(call, directory);
    const env = { ...process.env, KUBECONFIG: cluster.kubeconfig };
    const waits = ["--conf", "spark.kubernetes.submission.waitAppCompletion=false"];
    await runNode([bin("spark-submit"), ...waits, ...submitArguments(call, directory)], env);
    return undefined;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function submitArguments({ scenario, cluster, namespace }: SubmissionCall, directory: string): readonly string[] {
  const { id, python, isUploaded, application, spark } = scenario;
  const server = /server:\s*"?([^\s"]+)/.exec(readFileSync(cluster.kubeconfig, "utf8"))?.[1] ?? "";
  const settings = {
    ...commonSettings,
    "spark.kubernetes.container.image": `spark:${spark}`,
    "spark.kubernetes.namespace": namespace,
    "spark.kubernetes.driver.master": server,
    ...templates(scenario, directory),
    ...scenario.settings,
  };
  const script = join(directory, "report.py");
  if (isUploaded) writeFileSync(script, python ?? "");
  const pythonApplication = [isUploaded ? script : "local:///opt/application/report.py"];
  return [
    ...["--master", `k8s://${server}`, "--deploy-mode", "cluster", "--name", id],
    ...Object.entries(settings).flatMap(([key, value]) => ["--conf", `${key}=${value}`]),
    ...(python === undefined ? application : pythonApplication),
    ...scenario.arguments,
  ];
}

function templates({ driverTemplate, executorTemplate, python, isUploaded }: Scenario, directory: string) {
  const mounted = python !== undefined && !isUploaded;
  const written = {
    driver: mounted ? withApplication(driverTemplate ?? {}) : driverTemplate,
    executor: executorTemplate,
  };
  return Object.fromEntries(
    Object.entries(written).flatMap(([role, template]) => {
      if (template === undefined) return [];
      const path = join(directory, `${role}.json`);
      writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "Pod", ...template }));
      return [[`spark.kubernetes.${role}.podTemplateFile`, path]];
    }),
  );
}

interface Template {
  readonly spec?: { readonly containers?: readonly Container[]; readonly volumes?: readonly unknown[] };
}

interface Container {
  readonly name?: string;
  readonly volumeMounts?: readonly unknown[];
}

/** Adds the ConfigMap with the application to the pod. */
function withApplication(template: Template): Template {
  const [main = { name: "spark-kubernetes-driver" }, ...others] = template.spec?.containers ?? [];
  const mount = { name: "application", mountPath: "/opt/application" };
  const volume = { name: "application", configMap: { name: "application" } };
  return {
    ...template,
    spec: {
      ...template.spec,
      containers: [{ ...main, volumeMounts: [...(main.volumeMounts ?? []), mount] }, ...others],
      volumes: [...(template.spec?.volumes ?? []), volume],
    },
  };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const collections: Readonly<Record<string, string>> = {
  ConfigMap: "/api/v1/namespaces/{namespace}/configmaps",
  NetworkPolicy: "/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies",
  PersistentVolumeClaim: "/api/v1/namespaces/{namespace}/persistentvolumeclaims",
  Pod: "/api/v1/namespaces/{namespace}/pods",
  Secret: "/api/v1/namespaces/{namespace}/secrets",
  Service: "/api/v1/namespaces/{namespace}/services",
};

async function createRendered(call: SubmissionCall, directory: string): Promise<RecordedRejection | undefined> {
  const { cluster, namespace, startedAt } = call;
  const only = "driver,resources";
  const args = [
    bin("firesteel"),
    "render",
    "--json",
    "--only",
    only,
    "--show-secrets",
    ...submitArguments(call, directory),
  ];
  const { items }: { items: readonly Manifest[] } = JSON.parse((await runNode(args)).stdout);
  let owner: unknown;
  for (const object of items) {
    const path = collections[object.kind]?.replace("{namespace}", namespace);
    if (path === undefined) throw new Error(`a submission creates the kind ${object.kind}`);
    const owned = owner === undefined ? {} : { ownerReferences: [owner] };
    const response = await cluster.call("POST", path, {
      ...object,
      metadata: { ...object.metadata, namespace, ...owned },
    });
    if (response.status >= 300) {
      return { ms: Date.now() - startedAt, request: `POST ${path}`, status: response.status, body: response.body };
    }
    const { kind, metadata } = response.body;
    if (object.kind === "Pod")
      owner = { apiVersion: "v1", kind: kind ?? "Pod", name: metadata.name, uid: metadata.uid };
  }
  return undefined;
}
