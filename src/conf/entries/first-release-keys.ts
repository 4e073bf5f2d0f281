import { type Issue, issue } from "../../errors/issue.ts";
import type { Behaviors } from "../behaviors.ts";
import type { Setting } from "../setting.ts";
import { firstReleaseNamespace } from "./first-release-namespace.ts";
import { shuffleServiceEnabled, shuffleTrackingEnabled } from "./shuffle.ts";

/** Effect of a key of the first releases. */
export type FirstReleaseEffect =
  | { readonly kind: "renamed"; readonly to: string }
  /** A value without a unit is a number of `unit`. */
  | { readonly kind: "duration"; readonly to: string; readonly unit: "min" | "s" }
  /** The key is current, but a number of at most `max` without a unit is in seconds. */
  | { readonly kind: "seconds"; readonly max: number }
  /** The value is a list `name=value,name=value`; each name is a key of its own after the prefix. */
  | { readonly kind: "list"; readonly to: string }
  | { readonly kind: "none"; readonly reason: string };

/** Key of the first releases of Spark on Kubernetes, or a family of keys if it ends with a dot. */
export interface FirstReleaseKey {
  readonly key: string;
  readonly effect: FirstReleaseEffect;
}

const renamed: Readonly<Record<string, string>> = {
  "spark.kubernetes.driver.docker.image": "spark.kubernetes.driver.container.image",
  "spark.kubernetes.executor.docker.image": "spark.kubernetes.executor.container.image",
  "spark.kubernetes.initcontainer.docker.image": "spark.firesteel.staging.initContainer.image",
  "spark.kubernetes.initContainer.image": "spark.firesteel.staging.initContainer.image",
  "spark.kubernetes.docker.image.pullPolicy": "spark.kubernetes.container.image.pullPolicy",
  "spark.kubernetes.driver.memoryOverhead": "spark.driver.memoryOverhead",
  "spark.kubernetes.executor.memoryOverhead": "spark.executor.memoryOverhead",
  "spark.kubernetes.kerberos.keytab": "spark.kerberos.keytab",
  "spark.kubernetes.kerberos.principal": "spark.kerberos.principal",
  "spark.kubernetes.kerberos.tokensecret.name": "spark.kubernetes.kerberos.tokenSecret.name",
  "spark.kubernetes.kerberos.tokensecret.itemkey": "spark.kubernetes.kerberos.tokenSecret.itemKey",
  "spark.kubernetes.kerberos.dt.label": "spark.kubernetes.kerberos.tokenSecret.itemKey",
  "spark.kubernetes.submit.caCertFile": "spark.kubernetes.authenticate.submission.caCertFile",
  "spark.kubernetes.submit.clientKeyFile": "spark.kubernetes.authenticate.submission.clientKeyFile",
  "spark.kubernetes.submit.clientCertFile": "spark.kubernetes.authenticate.submission.clientCertFile",
  "spark.kubernetes.submit.oauthToken": "spark.kubernetes.authenticate.submission.oauthToken",
  [firstReleaseNamespace]: "spark.kubernetes.namespace",
  "spark.kubernetes.submit.serviceAccountName": "spark.kubernetes.authenticate.driver.serviceAccountName",
  "spark.kubernetes.submit.waitAppCompletion": "spark.kubernetes.submission.waitAppCompletion",
  "spark.ssl.kubernetes.resourceStagingServer.clientCertPem": "spark.firesteel.staging.server.caCertFile",
  "spark.ssl.kubernetes.driversubmitserver.enabled": "spark.firesteel.staging.push.tls",
  "spark.ssl.kubernetes.driversubmitserver.keyPem": "spark.firesteel.staging.push.tls.keyPem",
  "spark.ssl.kubernetes.driversubmitserver.serverCertPem": "spark.firesteel.staging.push.tls.serverCertPem",
  "spark.ssl.kubernetes.driversubmitserver.clientCertPem": "spark.firesteel.staging.push.tls.clientCertPem",
  "spark.ssl.kubernetes.submit.enabled": "spark.firesteel.staging.push.tls",
  "spark.ssl.kubernetes.submit.keyPem": "spark.firesteel.staging.push.tls.keyPem",
  "spark.ssl.kubernetes.submit.serverCertPem": "spark.firesteel.staging.push.tls.serverCertPem",
  "spark.ssl.kubernetes.submit.clientCertPem": "spark.firesteel.staging.push.tls.clientCertPem",
};

const shufflePrefix = "spark.kubernetes.shuffle.";

const oneDirectory =
  "jars and other files share one directory, see spark.firesteel.staging.directory, and applications get their paths in it";
const noShuffleService =
  "Spark's executors on Kubernetes use no external shuffle service; shuffle tracking replaces it for dynamic allocation";
const serverSetting =
  "it is a setting of the staging server, which reads its own file; submissions need only the server's address";
const pemOnly =
  "key stores of Java are not read: specify keyPem, serverCertPem and clientCertPem of spark.firesteel.staging.push.tls";

const noSubmissionServer = "drivers contain no submission server; files get to them in other ways";
const ownObject = "the client chooses the names and paths of its own objects";
const ownSecret = `${ownObject}; spark.kubernetes.kerberos.tokenSecret.name names an existing Secret`;
const ownHadoopFiles =
  "the client sends the files of HADOOP_CONF_DIR to driver and executors; spark.kubernetes.hadoop.configMapName names an existing ConfigMap";

const withoutEffect: Readonly<Record<string, string>> = {
  "spark.kubernetes.mountdependencies.jarsDownloadDir": oneDirectory,
  "spark.kubernetes.mountdependencies.filesDownloadDir": oneDirectory,
  "spark.kubernetes.mountDependencies.jarsDownloadDir": oneDirectory,
  "spark.kubernetes.mountDependencies.filesDownloadDir": oneDirectory,
  "spark.kubernetes.mountDependencies.maxSimultaneousDownloads": "the init container chooses the number itself",
  "spark.kubernetes.mountDependencies.mountTimeout": "the kubelet determines how long a mount may take",
  [shufflePrefix]: noShuffleService,
  "spark.kubernetes.authenticate.shuffleService.": noShuffleService,
  "spark.shuffle.service.host": noShuffleService,
  "spark.kubernetes.kerberos.enabled": "Kerberos is used if the configuration of Hadoop requires it",
  "spark.kubernetes.kerberos.renewer.principal": "the renewer is the user who submits",
  "spark.kubernetes.authenticate.resourceStagingServer.": serverSetting,
  "spark.kubernetes.resourceStagingServer.port": serverSetting,
  "spark.kubernetes.resourceStagingServer.apiServer.": serverSetting,
  "spark.kubernetes.resourceStagingServer.initialAccessExpirationTimeout": serverSetting,
  "spark.ssl.kubernetes.resourceStagingServer.":
    "the address of the staging server determines TLS, and spark.firesteel.staging.server.caCertFile its authority",
  "spark.ssl.kubernetes.driversubmitserver.": pemOnly,
  "spark.ssl.kubernetes.submit.": pemOnly,
  "spark.kubernetes.driver.submissionServerMemory": noSubmissionServer,
  "spark.kubernetes.driver.hdfslocality.clusterNodeNameDNSLookup.enabled":
    "Spark's scheduler compares only the addresses of executors",
  "spark.kubernetes.initcontainer.": ownObject,
  "spark.kubernetes.mountdependencies.smallfiles.executor.": ownObject,
  "spark.kubernetes.driver.service.name": ownObject,
  "spark.kubernetes.hadoop.conf.dir": ownHadoopFiles,
  "spark.kubernetes.hadoop.executor.hadoopConfigMapName": ownHadoopFiles,
  "spark.kubernetes.kerberos.delegation-token-secret-name": ownSecret,
  "spark.kubernetes.kerberos.key-tab-secret-name": ownSecret,
  "spark.kubernetes.kerberos.key-tab-secret-key": ownSecret,
};

const lists: Readonly<Record<string, string>> = {
  "spark.kubernetes.driver.labels": "spark.kubernetes.driver.label.",
  "spark.kubernetes.driver.annotations": "spark.kubernetes.driver.annotation.",
  "spark.kubernetes.executor.labels": "spark.kubernetes.executor.label.",
  "spark.kubernetes.executor.annotations": "spark.kubernetes.executor.annotation.",
};

const durations: Readonly<Record<string, Extract<FirstReleaseEffect, { readonly kind: "duration" | "seconds" }>>> = {
  "spark.kubernetes.mountdependencies.mountTimeout": {
    ...{ kind: "duration", to: "spark.firesteel.staging.initContainer.timeout", unit: "min" },
  },
  "spark.kubernetes.driverSubmissionTimeout": {
    ...{ kind: "duration", to: "spark.firesteel.staging.push.timeout", unit: "s" },
  },
  "spark.kubernetes.driverSubmitTimeout": {
    ...{ kind: "duration", to: "spark.firesteel.staging.push.timeout", unit: "s" },
  },
  // Spark reads a number without a unit as milliseconds since 2.3, and rejects at most 100 ms since 4.0.
  "spark.kubernetes.allocation.batch.delay": { kind: "seconds", max: 100 },
};

/**
 * Lists the keys of the first releases of Spark on Kubernetes (2016 and 2017, based on Spark 2.1 and 2.2) that Spark does not read any more,
 * or whose values it reads in another way.
 *
 * Source: the user guide of that time, and the settings in its code.
 */
export function firstReleaseKeys(): readonly FirstReleaseKey[] {
  const table = (rows: Readonly<Record<string, string>>, effect: (target: string) => FirstReleaseEffect) =>
    Object.entries(rows).map(([key, target]) => ({ key, effect: effect(target) }));
  return [
    ...table(renamed, (to) => ({ kind: "renamed", to })),
    ...Object.entries(durations).map(([key, effect]) => ({ key, effect })),
    ...table(lists, (to) => ({ kind: "list", to })),
    ...table(withoutEffect, (reason) => ({ kind: "none", reason })),
  ];
}

/** Settings without keys of the first releases. */
interface CurrentSettings {
  readonly settings: readonly Setting[];
  /** A sentence for each replaced key. */
  readonly warnings: readonly string[];
  readonly issues: readonly Issue[];
}

/**
 * Replaces keys of the first releases by the current ones. A setting with the current key takes precedence. Apache's client passes them on,
 * and rejects the option of that time.
 *
 * Errors, in `issues`: SUBMIT_ERR_SETTING_VALUE, SUBMIT_ERR_ARG_UNKNOWN.
 */
export function replaceFirstReleaseKeys(
  settings: readonly Setting[],
  behaviors: Pick<Behaviors, "firstReleaseKeys">,
): CurrentSettings {
  if (behaviors.firstReleaseKeys === "spark") {
    const options = settings.filter(({ key }) => key === firstReleaseNamespace).map(({ origin }) => origin);
    const rejected = options.flatMap((origin) =>
      origin.kind === "option" ? [issue("SUBMIT_ERR_ARG_UNKNOWN", origin)] : [],
    );
    return { settings, warnings: [], issues: rejected };
  }
  const known = firstReleaseKeys();
  const current = new Map<string, Setting>();
  const old: { readonly setting: Setting; readonly effect: FirstReleaseEffect }[] = [];
  for (const setting of settings) {
    const effect = effectOf(setting, known);
    if (effect === undefined) current.set(setting.key, setting);
    else old.push({ setting, effect });
  }
  const warnings: string[] = [];
  const issues: Issue[] = [];
  for (const { setting, effect } of old) {
    if (effect.kind === "none") {
      warnings.push(`${nameOf(setting)} of the first releases has no effect: ${effect.reason}.`);
      continue;
    }
    if (effect.kind === "seconds") {
      const value = `${setting.value.trim()}s`;
      const form = `The number ${setting.value.trim()} of ${setting.key} is read as seconds, as in the first releases.`;
      warnings.push(`${form} This form is deprecated. Please use ${value} instead.`);
      current.set(setting.key, { ...setting, value });
      continue;
    }
    const replaced = replacementsOf(setting, effect);
    if (replaced === undefined) {
      const requirement = "Must be a list name=value,name=value.";
      issues.push(issue("SUBMIT_ERR_SETTING_VALUE", { ...setting, requirement, condition: false }));
      continue;
    }
    const to = effect.kind === "list" ? `${effect.to}NAME` : effect.to;
    const ignored = replaced.filter(({ key }) => current.has(key)).map(({ key }) => key);
    const precedence = ignored.length === 0 ? "" : ` It is ignored, because ${ignored.join(", ")} is set.`;
    warnings.push(`${nameOf(setting)} of the first releases is deprecated. Please use ${to} instead.${precedence}`);
    for (const replacement of replaced) {
      if (!current.has(replacement.key)) current.set(replacement.key, replacement);
    }
  }
  if (old.some(({ setting }) => setting.key.startsWith(shufflePrefix))) replaceShuffleService(current, warnings);
  return { settings: [...current.values()], warnings, issues };
}

/** Replaces the service that the guide of that time started for dynamic allocation: executors that look for it end at once. */
function replaceShuffleService(current: Map<string, Setting>, warnings: string[]): void {
  const service = current.get(shuffleServiceEnabled.key);
  if (service?.value.trim().toLowerCase() !== "true") return;
  const { key } = shuffleTrackingEnabled;
  current.delete(service.key);
  if (!current.has(key)) current.set(key, { ...service, key });
  warnings.push(
    `${nameOf(service)} is replaced by ${key}, because there is no shuffle service for ${shufflePrefix}* of the first releases.`,
  );
}

function nameOf({ key, origin }: Setting): string {
  return origin.kind === "option" ? `The option ${origin.option}` : `The setting ${key}`;
}

function effectOf({ key, value }: Setting, known: readonly FirstReleaseKey[]): FirstReleaseEffect | undefined {
  const own =
    known.find((row) => row.key === key) ?? known.find((row) => row.key.endsWith(".") && key.startsWith(row.key));
  const isCurrent = own?.effect.kind === "seconds" && !(isNumber(value) && Number(value) <= own.effect.max);
  return isCurrent ? undefined : own?.effect;
}

function isNumber(value: string): boolean {
  return /^\s*\d+\s*$/.test(value);
}

function replacementsOf(
  setting: Setting,
  effect: Exclude<FirstReleaseEffect, { readonly kind: "none" | "seconds" }>,
): readonly Setting[] | undefined {
  if (effect.kind === "renamed") return [{ ...setting, key: effect.to }];
  if (effect.kind === "duration") {
    const value = isNumber(setting.value) ? `${setting.value.trim()}${effect.unit}` : setting.value;
    return [{ ...setting, key: effect.to, value }];
  }
  const pairs = setting.value.split(",").map((pair) => /^\s*([^=\s]+)=(.*?)\s*$/.exec(pair));
  const replaced = pairs.flatMap((pair) =>
    pair === null ? [] : [{ ...setting, key: `${effect.to}${pair[1]}`, value: pair[2] ?? "" }],
  );
  return replaced.length === pairs.length ? replaced : undefined;
}
