import { type TestHost, testHost } from "../host/test-host.ts";
import type { ApiResponse } from "../kube/transport.ts";
import { kubeClient } from "../kube-client/client.ts";
import { adminToken, type TestApi, testApi } from "../local-cluster/test-api.ts";
import type { SubmitInvocation } from "../plan/invocation.ts";
import { checkSubmission } from "./check-submission.ts";
import type { Finding } from "./finding.ts";

/** Set-up of a checked submission. */
export interface TestDoctor {
  readonly conf?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Fields of the cluster's node that differ from those of `testNode`. */
  readonly node?: Readonly<Record<string, unknown>>;
  /** Response of each registry. @default 404 */
  readonly registry?: { readonly status?: number; readonly body?: object };
  /** Changes the cluster before the check. */
  readonly setUp?: (cluster: TestApi) => unknown;
  /** Service account that submits; `default` has no permissions, and one that does not exist sends a token that the API does not accept. @default the administrator */
  readonly account?: string;
  /** Response to the creation of each pod, instead of the API's. */
  readonly podRejection?: { readonly status: number; readonly message: string };
}

/** Settings of a submission that has everything it needs. */
const healthy = {
  "spark.kubernetes.container.image": "spark:4.3.0",
  "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
};

/** Node of the test cluster: 4 CPUs and 8 GiB, with the image. */
const testNode = {
  ...{ apiVersion: "v1", kind: "Node" },
  metadata: {
    name: "one",
    labels: {
      ...{ "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "kubernetes.io/hostname": "one" },
      disk: "ssd",
    },
  },
  spec: {},
  status: {
    allocatable: { cpu: "4", memory: "8Gi", pods: "110", "ephemeral-storage": "50Gi" },
    images: [{ names: ["docker.io/library/spark:4.3.0"], sizeBytes: 1 }],
    nodeInfo: { architecture: "amd64", operatingSystem: "linux" },
  },
};

/** Checks a submission against the API of an embedded cluster with one node. */
export async function doctor({
  conf = {},
  files = {},
  node = {},
  registry = {},
  setUp,
  account,
  podRejection,
}: TestDoctor): Promise<readonly Finding[]> {
  const host: TestHost = testHost({ files, env: {} });
  const cluster = testApi(host);
  cluster.put("nodes", { ...structuredClone(testNode), ...node });
  await setUp?.(cluster);
  const token = tokenOf(cluster, account);
  const settings = Object.entries({ ...healthy, ...conf }).filter(([, value]) => value !== "");
  const invocation: SubmitInvocation = {
    ...{ action: "submit", resource: "local:///app.jar", appArgs: [], isExample: false, forwardedOptions: [] },
    fields: { master: "k8s://https://h", deployMode: "cluster", mainClass: "M" },
    settings: settings.map(([key, value]) => ({ key, value, origin: { kind: "conf" } })),
    ...{ propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false, supervise: false, verbose: false },
  };
  return host.settle(
    checkSubmission({
      host,
      input: { invocation, issues: [], localSpark: () => undefined },
      sendToRegistry: async () => {
        const { status = 404, body = {} } = registry;
        async function* content() {
          yield Buffer.from(JSON.stringify(body));
        }
        return { status, headers: {}, body: content(), close: () => {} };
      },
      openClient: async () =>
        kubeClient({
          async transport(request) {
            if (podRejection !== undefined && request.method === "POST" && /\/pods\?/.test(request.path))
              return rejectionOf(podRejection);
            return cluster.api({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
          },
          ...{ server: "https://h", clock: host.clock, requestTimeoutMs: 5000, log: () => {} },
        }),
    }),
  );
}

function tokenOf({ scope }: TestApi, account: TestDoctor["account"]): string {
  if (account === undefined) return adminToken;
  // The clock of the host runs while modules are loaded.
  const expirationSeconds = Number.POSITIVE_INFINITY;
  const request = { namespace: "default", serviceAccount: account, audiences: [], expirationSeconds };
  return scope.tokens.issue(request)?.token ?? account;
}

function rejectionOf({ status, message }: { readonly status: number; readonly message: string }): ApiResponse {
  async function* body() {
    yield Buffer.from(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, code: status }));
  }
  return { status, headers: { "content-type": "application/json" }, body: body() };
}

/** Returns the problems among findings, as `status check cause`. */
export function problems(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({ status }) => status === "failure" || status === "warning")
    .map(({ status, check, cause }) => `${status} ${check} ${cause ?? "none"}`);
}
