import { type Behaviors, behaviorsOf } from "../conf/behaviors.ts";
import { defaultTextOf } from "../conf/entries/topics.ts";
import { SparkConf } from "../conf/spark-conf.ts";
import { newestLine, newestRelease, type SparkLine } from "../conf/spark-version.ts";
import { toAppId } from "../values/identity.ts";
import { type DriverConf, planDriver } from "./driver-conf.ts";
import type { Facts } from "./facts.ts";
import type { SubmitRequest } from "./submit-request.ts";

/** Facts of a machine without configuration files, templates or credentials. */
export const testFacts: Facts = {
  appId: toAppId("01234567-89ab-cdef-0123-456789abcdef"),
  uniqueIds: { resourceNamePrefix: "aaaaaa1", driverService: "bbbbbb1", confMap: "cccccc1" },
  localDirUuid: "11111111-2222-3333-4444-555555555555",
  submitDate: "Fri Jan 02 03:04:05 UTC 2026",
  userName: "tester",
  env: {},
  confDirectory: undefined,
  driverTemplate: undefined,
  executorTemplateText: undefined,
  credentialFiles: {},
  dependencies: ["1", "2", "3", "4", "5"].map((uuid) => ({ uuid, sizeBytes: 10 })),
  hadoopDirectory: undefined,
  kerberos: { krb5: undefined, keytab: undefined, tokens: undefined },
  podGroupTemplate: undefined,
  driverMaster: undefined,
};

/** Properties of a submission in a test; the others have defaults. */
export interface TestSubmission extends Partial<Omit<SubmitRequest, "conf" | "behaviors">> {
  /** Over Firesteel's own. */
  readonly behaviors?: Partial<Behaviors>;
  /** Settings besides an application name, a master and an image; `undefined` removes one of these. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  readonly facts?: Partial<Facts>;
  readonly line?: SparkLine;
}

/** Behaviors of Apache's client. */
export const sparkBehaviors = behaviorsOf({ FIRESTEEL_STRICT: "1" });

/** Builds a request for a Java application in the image `img:1`. */
export function testRequest({
  settings = {},
  line = newestLine,
  behaviors = {},
  ...rest
}: TestSubmission = {}): SubmitRequest {
  const all = {
    "spark.app.name": "golden",
    "spark.master": "k8s://https://api:6443",
    "spark.kubernetes.container.image": "img:1",
    ...settings,
  };
  const origin = { kind: "conf" } as const;
  const { facts: _, ...request } = rest;
  return {
    apiServer: "https://api:6443",
    access: undefined,
    appResource: { kind: "java", uri: "local:///opt/app/app.jar" },
    mainClass: "org.example.Main",
    appArgs: [],
    proxyUser: undefined,
    conf: new SparkConf(
      Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value, origin }])),
      { line, text: newestRelease(line).text },
      { env: {}, defaults: defaultTextOf },
    ),
    behaviors: { ...behaviorsOf({}), ...behaviors },
    ...request,
  };
}

/** Plans the driver of a valid submission. */
export function testDriver(submission: TestSubmission = {}): DriverConf {
  const plan = planDriver(testRequest(submission), { ...testFacts, ...submission.facts });
  if (!plan.ok) throw new Error(plan.issues.map(({ message }) => message).join("\n"));
  return plan.value;
}
