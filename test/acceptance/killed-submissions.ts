import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Transport } from "../../src/kube/transport.ts";
import type { KubeResource } from "../../src/kube/types.ts";
import { testApi } from "../../src/kube-client/test-api.ts";

/** Kind of submission that is killed. */
export interface Sort {
  readonly name: string;
  /** Number of mutating calls: applies without owner, the pod, applies with owner. */
  readonly changes: number;
  /** Arguments of submission `number`; may write to the directory. */
  readonly args: (directory: string, number: number) => readonly string[];
  readonly env?: (directory: string) => Readonly<Record<string, string>>;
}

/** Kinds that differ in the created objects or in the transport. */
export const sorts: readonly Sort[] = [
  { name: "plain", changes: 7, args: () => [] },
  {
    name: "with a token",
    changes: 7,
    args: (_, number) => ["--submission-token", `nightly-${number}`],
  },
  {
    name: "with uploads and a token",
    changes: 7,
    args: (directory, number) => [
      ...["--submission-token", `uploading-${number}`],
      ...["--files", written(join(directory, "rules.txt"), "rules")],
      ...settings({ "spark.kubernetes.file.upload.path": `file://${join(directory, "shared")}` }),
    ],
  },
  {
    name: "with files in Secrets",
    changes: 9,
    args: (directory) => ["--files", written(join(directory, "rules.txt"), "rules")],
  },
  {
    name: "with Volcano, Hadoop, Kerberos, a claim and credentials",
    changes: 17,
    args: (directory) => [
      ...settings({
        "spark.kubernetes.driver.pod.featureSteps": "org.apache.spark.deploy.k8s.features.VolcanoFeatureStep",
        "spark.kubernetes.kerberos.krb5.path": written(join(directory, "krb5.conf"), "[libdefaults]\n"),
        "spark.kubernetes.driver.volumes.persistentVolumeClaim.data.mount.path": "/data",
        "spark.kubernetes.driver.volumes.persistentVolumeClaim.data.options.claimName": "OnDemand",
        "spark.kubernetes.driver.volumes.persistentVolumeClaim.data.options.storageClass": "fast",
        "spark.kubernetes.driver.volumes.persistentVolumeClaim.data.options.sizeLimit": "1Gi",
        "spark.kubernetes.authenticate.driver.oauthToken": "of-the-driver",
      }),
    ],
    env: (directory) => {
      written(join(directory, "hadoop", "core-site.xml"), "<configuration/>");
      return { HADOOP_CONF_DIR: join(directory, "hadoop") };
    },
  },
];

function settings(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => ["--conf", `${key}=${value}`]);
}

function written(path: string, text: string): string {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** API that also has Volcano's groups, which the embedded one lacks. */
export function withPodGroups(transport: Transport): {
  readonly transport: Transport;
  readonly groupsIn: (namespace: string) => readonly KubeResource[];
} {
  const groups = testApi();
  const prefix = "/apis/scheduling.volcano.sh/";
  return {
    transport: (request) =>
      request.path.startsWith(prefix)
        ? groups.transport({ ...request, ...(request.body && { body: String(request.body) }) })
        : transport(request),
    groupsIn: (namespace) =>
      [...groups.objects].flatMap(([path, group]) =>
        path.startsWith(`${prefix}v1beta1/namespaces/${namespace}/`) ? [group] : [],
      ),
  };
}
