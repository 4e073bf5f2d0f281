import type { RestartPolicy } from "../application.ts";
import { restartPolicy } from "../schema/application-schema.ts";
import { flag, integerFrom, listOf, mapOf, object, scalar, text, textList } from "../schema/schema.ts";

/** Text, number, or true or false, as YAML has them without quotes. */
type Scalar = string | number | boolean;

/** An application in Firesteel's own format. */
export interface OwnApplication {
  readonly name: string;
  readonly app: string;
  readonly class?: string;
  readonly args?: readonly Scalar[];
  readonly master?: string;
  readonly namespace?: string;
  readonly image?: string;
  readonly sparkVersion?: string;
  readonly profile?: string;
  readonly proxyUser?: string;
  readonly conf?: Readonly<Record<string, Scalar>>;
  readonly jars?: readonly string[];
  readonly files?: readonly string[];
  readonly archives?: readonly string[];
  readonly pyFiles?: readonly string[];
  readonly packages?: readonly string[];
  readonly excludePackages?: readonly string[];
  readonly repositories?: readonly string[];
  readonly python?: { readonly environment?: string; readonly executable?: string };
  readonly restartPolicy?: RestartPolicy;
  readonly suspend?: boolean;
  readonly timeToLiveSeconds?: number;
}

/** Schema of `OwnApplication`. */
export const ownSchema = object({
  "name!": text,
  "app!": text,
  class: text,
  args: listOf(scalar),
  master: text,
  namespace: text,
  image: text,
  sparkVersion: text,
  profile: text,
  proxyUser: text,
  conf: mapOf(scalar),
  jars: textList,
  files: textList,
  archives: textList,
  pyFiles: textList,
  packages: textList,
  excludePackages: textList,
  repositories: textList,
  python: object({ environment: text, executable: text }),
  restartPolicy,
  suspend: flag,
  timeToLiveSeconds: integerFrom(0),
});

/** Descriptions of the fields, for the JSON Schema and its page. */
export const ownDescriptions: Readonly<Record<keyof OwnApplication, string>> = {
  name: "Name of the application: a DNS label. The driver's pod is NAME-driver.",
  app: "Main file: a path of this machine, local:///path in the image, or a URL.",
  class: "Main class of a Java or Scala application.",
  args: "Arguments of the application.",
  master:
    "Cluster, as --master: k8s://https://HOST:PORT or k8s://embedded. The default is the cluster of the kubeconfig.",
  namespace: "Namespace, as spark.kubernetes.namespace.",
  image: "Image, as spark.kubernetes.container.image.",
  sparkVersion: "Version of Spark in the image, in quotes. The default is the tag of the image.",
  profile: "Profile of firesteel.yaml whose settings apply, too.",
  proxyUser: "User to impersonate.",
  conf: "Settings, by key. Values need no quotes.",
  jars: "Jars of the class path.",
  files: "Files in the working directory of driver and executors.",
  archives: "Archives that are unpacked there; FILE#NAME chooses the directory.",
  pyFiles: "Modules of Python: .zip, .egg or .py.",
  packages: "Maven packages: GROUP:ARTIFACT:VERSION.",
  excludePackages: "Packages to leave out: GROUP:ARTIFACT.",
  repositories: "Further Maven repositories.",
  python: "Python: environment as --python-env, or executable: the path of an interpreter in the image.",
  restartPolicy: "When a run is repeated, with the fields of a SparkApplication; apply --watch follows it.",
  suspend: "Whether the application must not run.",
  timeToLiveSeconds: "Seconds after which apply --watch deletes the driver of an ended application.",
};
