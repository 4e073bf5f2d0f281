import { authenticateDriver } from "../conf/entries/authenticate.ts";
import { podTemplateFile } from "../conf/entries/driver.ts";
import { kerberosKeytab, krb5Path } from "../conf/entries/hadoop.ts";
import { stagingMode } from "../conf/entries/localizing.ts";
import { type Issue, issuesOf, type Result, success } from "../errors/issue.ts";
import type { Host } from "../host/host.ts";
import type { StringMap } from "../kube/types.ts";
import type { Facts, SubmissionIds } from "../plan/facts.ts";
import { isAddedStep, stepNames } from "../plan/feature-steps.ts";
import { mayNeedStaging } from "../plan/needs-staging.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { toAppId } from "../values/identity.ts";
import { readConfDirectory } from "./read-conf-directory.ts";
import { readHadoopFacts } from "./read-hadoop.ts";
import { readPodGroupTemplate } from "./read-pod-group-template.ts";
import { parseExecutorTemplate, readDriverTemplate, readExecutorTemplate } from "./read-template.ts";

/** Environment variables that feature steps read. */
const variables = ["SPARK_USER", "SPARK_LOCAL_DIRS", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"];

/**
 * Reads the facts of this machine that planning needs, and makes the IDs of one submission: random ones, or derived from a
 * seed.
 *
 * Errors, reported together: SUBMIT_ERR_TEMPLATE_UNUSABLE, SUBMIT_ERR_TEMPLATE_SCHEME, SUBMIT_ERR_TEMPLATE_UNREADABLE,
 * SUBMIT_ERR_CREDENTIAL_FILE, SUBMIT_ERR_CONF_FILE, SUBMIT_ERR_HADOOP_CONF_SIZE, SUBMIT_ERR_FILE_UNREADABLE.
 *
 * @example
 * ```ts
 * const { facts, issues } = await readFacts(nodeHost(), request);
 * if (issues.length === 0) console.log(facts.submitDate);
 * ```
 */
export async function readFacts(host: Host, request: SubmitRequest, seed?: string): Promise<ReadFacts> {
  const { values, issues } = await readFiles(host, request);
  const { executorTemplateText } = values;
  const isRead = executorTemplateText === undefined || !request.conf.has(stagingMode);
  const executorTemplate = isRead ? success(undefined) : await parseExecutorTemplate(request, executorTemplateText);
  const dependencies = await readDependencies(host, request);
  const submitTime = host.clock.now();
  return {
    facts: {
      ...(seed === undefined ? makeIds(host, submitTime) : await idsOfSeed(seed)),
      submitDate: printJavaDate(new Date(submitTime)),
      userName: host.env["HADOOP_USER_NAME"] ?? host.user.name,
      env: Object.fromEntries(variables.map((name) => [name, host.env[name]])),
      ...values,
      ...(isRead || !executorTemplate.ok ? {} : { executorTemplate: executorTemplate.value }),
      dependencies: dependencies.facts,
      driverMaster: request.access?.driverMaster,
    },
    issues: [...issues, ...issuesOf(executorTemplate), ...dependencies.issues],
  };
}

/** Facts of this machine, and the problems of its files. Files with problems are absent from the facts. */
interface ReadFacts {
  readonly facts: Facts;
  readonly issues: readonly Issue[];
}

/** Reads the files that settings and environment name. Code for the others is not loaded. */
async function readFiles(host: Host, request: SubmitRequest) {
  const { conf } = request;
  const { env } = host;
  const usesHadoop =
    env["HADOOP_CONF_DIR"] !== undefined ||
    env["HADOOP_TOKEN_FILE_LOCATION"] ||
    [krb5Path, kerberosKeytab].some((entry) => conf.has(entry));
  const hadoop = usesHadoop ? readHadoopFacts(host, request) : { values: noHadoop, issues: [] };
  const results = {
    driverTemplate: conf.has(podTemplateFile.driver) ? await readDriverTemplate(host, request) : success(undefined),
    credentialFiles: await readNamedCredentials(host, conf),
    executorTemplateText: conf.has(podTemplateFile.executor)
      ? await readExecutorTemplate(host, request)
      : success(undefined),
    confDirectory: readConfDirectory(host, conf),
    podGroupTemplate: isAddedStep(conf, stepNames.volcano)
      ? await readPodGroupTemplate(host, request)
      : success(undefined),
  };
  return {
    values: {
      driverTemplate: valueOr(results.driverTemplate, emptyTemplate),
      credentialFiles: valueOr(results.credentialFiles, {}),
      executorTemplateText: valueOr(results.executorTemplateText, undefined),
      confDirectory: valueOr(results.confDirectory, undefined),
      ...hadoop.values,
      podGroupTemplate: valueOr(results.podGroupTemplate, undefined),
    },
    issues: [...Object.values(results).flatMap(issuesOf), ...hadoop.issues],
  };
}

/** Placeholder of a template that cannot be read: the plan must not report it again. */
const emptyTemplate = { apiVersion: "v1", kind: "Pod", spec: {} };

const noHadoop = { hadoopDirectory: undefined, kerberos: { krb5: undefined, keytab: undefined, tokens: undefined } };

function valueOr<T>(result: Result<T>, placeholder: T): T {
  return result.ok ? result.value : placeholder;
}

function makeIds({ random }: Host, submitTime: number): SubmissionIds {
  const uniqueId = () => `${hex(random.bytes(3))}${(submitTime % 2 ** 40).toString(16)}`;
  return {
    appId: toAppId(random.uuid()),
    uniqueIds: { resourceNamePrefix: uniqueId(), driverService: uniqueId(), confMap: uniqueId() },
    localDirUuid: random.uuid(),
  };
}

async function idsOfSeed(seed: string): Promise<SubmissionIds> {
  const { seededIds } = await import("./seeded-ids.ts");
  return seededIds(seed);
}

async function readNamedCredentials(host: Host, conf: SubmitRequest["conf"]): Promise<Result<StringMap>> {
  const { caCertFile, clientKeyFile, clientCertFile } = authenticateDriver;
  if (![caCertFile, clientKeyFile, clientCertFile].some((entry) => conf.has(entry))) return success({});
  const { readCredentialFiles } = await import("./read-credential-files.ts");
  return readCredentialFiles(host, conf);
}

async function readDependencies(host: Host, request: SubmitRequest) {
  if (!mayNeedStaging(request)) return { facts: [], issues: [] };
  const { readDependencyFacts } = await import("./read-dependency-facts.ts");
  return readDependencyFacts(host, request);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Prints local time as `java.util.Date` does, with a zone other than UTC as its offset, e.g. `GMT+01:00`. */
function printJavaDate(date: Date): string {
  const two = (part: number) => String(Math.floor(part)).padStart(2, "0");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  const minutes = -date.getTimezoneOffset();
  const offset = `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  const zone = minutes === 0 ? "UTC" : `GMT${offset}`;
  return `${days[date.getDay()]} ${months[date.getMonth()]} ${two(date.getDate())} ${time} ${zone} ${date.getFullYear()}`;
}
