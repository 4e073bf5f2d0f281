import { testHost } from "../../host/test-host.ts";
import type { Container, KubeResource } from "../../kube/types.ts";
import { main } from "../main.ts";

/** Writes a SparkApplication: its spec is indented by two spaces, and replaces the same fields of a minimal one. */
export function applicationText(spec = "", metadata = ""): string {
  const minimal = [
    "  type: Scala",
    "  sparkVersion: 4.0.5",
    "  image: registry.example/spark:4.0.5",
    "  mainClass: org.example.Job",
    "  mainApplicationFile: local:///opt/app/job.jar",
    "  driver: {}",
    "  executor: {}",
  ];
  const fields = spec.split("\n").flatMap((line) => /^ {2}(\w+):/.exec(line)?.[1] ?? []);
  const kept = minimal.filter((line) => !fields.some((field) => line.startsWith(`  ${field}:`)));
  const head = ["apiVersion: sparkoperator.k8s.io/v1beta2", "kind: SparkApplication", "metadata:", "  name: pi"];
  return [...head, "  namespace: jobs", ...(metadata === "" ? [] : [metadata]), "spec:", ...kept, spec, ""].join("\n");
}

/** Runs a command with files in the working directory. */
export async function runWithFiles(argv: readonly string[], files: Readonly<Record<string, string>>) {
  const cwd = "/w";
  const placed = Object.fromEntries(Object.entries(files).map(([name, text]) => [`${cwd}/${name}`, text]));
  const host = testHost({ argv, files: placed, env: { SPARK_CONF_DIR: "/conf" }, cwd });
  const exit = await main(host);
  return { exit, out: host.outText(), error: host.errorText() };
}

/** Renders a SparkApplication as JSON. */
export async function renderApplication(
  text: string,
  options: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
) {
  const argv = ["render", "--json", "--spark-application", "app.yaml", "--seed", "s", ...options];
  const { exit, out, error } = await runWithFiles(argv, { "app.yaml": text, ...files });
  const list: { readonly items: readonly RenderedObject[] } = out.startsWith("{") ? JSON.parse(out) : { items: [] };
  const items = list.items ?? [];
  const pod = (role: string) => items.find(({ metadata }) => metadata.labels?.["spark-role"] === role);
  return { exit, error, items, driver: viewOf(pod("driver")), executor: viewOf(pod("executor")) };
}

interface RenderedObject extends KubeResource {
  readonly spec?: { readonly containers?: readonly Container[]; readonly [field: string]: unknown };
  readonly data?: Readonly<Record<string, string>>;
}

/** Returns what tests compare of a pod: Spark's container with its variables, of which the last of a name counts. */
function viewOf(pod: RenderedObject | undefined) {
  const containers = pod?.spec?.containers ?? [];
  const container = containers.find(({ name }) => name.startsWith("spark-kubernetes-"));
  const env = Object.fromEntries(
    (container?.env ?? []).map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
  );
  return { metadata: pod?.metadata, spec: pod?.spec, container, containers, env };
}
