import {
  hadoopProperties,
  kerberosKeytab,
  kerberosPrincipal,
  kerberosTokenSecretItemKey,
  kerberosTokenSecretName,
  krb5ConfigMapName,
  krb5Path,
} from "../conf/entries/hadoop.ts";
import type { ConfEntry } from "../conf/entry.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { ConfigMap } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import type { SubmitterFile } from "../plan/facts.ts";
import { excludedSteps, stepNames } from "../plan/feature-steps.ts";
import { isHadoopSecure } from "../plan/hadoop-security.ts";
import { kerberosEntries } from "../plan/kerberos-entries.ts";
import type { LogLine } from "../plan/log-line.ts";
import { principalsOfKeytab } from "../values/keytab.ts";
import { decodeUtf8, decodeUtf8Leniently } from "../values/utf8.ts";
import { contributeLogin } from "./kerberos-login.ts";
import type { Contribution } from "./step.ts";

/** Reports conflicting Kerberos settings. */
export function kerberosIssues(driver: DriverConf): readonly Issue[] {
  const { conf } = driver;
  const keys = [krb5Path.key, krb5ConfigMapName.key];
  const isTwice = conf.has(krb5Path) && conf.has(krb5ConfigMapName);
  return [
    ...conf.check(kerberosEntries),
    ...(isTwice ? [issue("SUBMIT_ERR_KRB5_CONFLICT", { keys })] : []),
    ...half(driver, [kerberosKeytab, "a Kerberos keytab"], [kerberosPrincipal, "a Kerberos principal"]),
    ...half(
      driver,
      [kerberosTokenSecretName, "a secret storing a Kerberos Delegation Token", "the name of the secret"],
      [
        kerberosTokenSecretItemKey,
        "a secret data item-key where the data of the Kerberos Delegation Token",
        "the item-key where the data is stored",
      ],
    ),
    ...krb5TextIssues(driver),
    ...keytabIssues(driver),
  ];
}

/** Reports a principal whose keys the keytab does not have: the driver could not log in. */
function keytabIssues({ conf, facts }: DriverConf): readonly Issue[] {
  const principal = conf.get(kerberosPrincipal);
  const { keytab } = facts.kerberos;
  const found = keytab === undefined ? undefined : principalsOfKeytab(keytab.bytes);
  if (principal === undefined || found === undefined) return [];
  const isFound = found.some((one) => one === principal || one.replace(/@[^@]*$/, "") === principal);
  const path = conf.get(kerberosKeytab) ?? "";
  return isFound ? [] : [issue("SUBMIT_ERR_KEYTAB_PRINCIPAL", { principal, path, found })];
}

/** Setting with Spark's name for it, and the name for a missing one. */
type Named = readonly [entry: ConfEntry<unknown>, name: string, missingName?: string];

/** Reports a pair of settings of which only one is set. */
function half({ conf }: DriverConf, ...pair: readonly [Named, Named]): readonly Issue[] {
  const specified = pair.find(([entry]) => conf.has(entry));
  const missing = pair.find(([entry]) => !conf.has(entry));
  if (specified === undefined || missing === undefined) return [];
  const [{ key: specifiedKey }, what] = specified;
  const [{ key: missingKey }, other, otherMissing = other] = missing;
  return [
    issue("SUBMIT_ERR_KERBEROS_INCOMPLETE", {
      specified: what,
      missing: otherMissing,
      specifiedKey,
      missingKey,
    }),
  ];
}

function krb5TextIssues({ conf, facts, traits }: DriverConf): readonly Issue[] {
  const { krb5 } = facts.kerberos;
  if (krb5 === undefined || !traits.refusesOtherThanUtf8 || decodeUtf8(krb5.bytes) !== undefined) return [];
  return [issue("SUBMIT_ERR_NOT_UTF8", { path: conf.get(krb5Path) ?? krb5.name })];
}

const krb5Hint =
  "You have not specified a krb5.conf file locally or via a ConfigMap. Make sure that you have the krb5.conf locally on the driver image.";

/** Returns Spark's hint about krb5.conf. Spark logs it for all submissions, Firesteel only for those that use Kerberos. */
export function announceKerberos(driver: DriverConf): readonly LogLine[] {
  const { conf, facts, behaviors } = driver;
  if (conf.has(krb5Path) || conf.has(krb5ConfigMapName)) return [];
  const isUsed =
    kerberosEntries.some((entry) => conf.has(entry)) || facts.kerberos.tokens !== undefined || isHadoopSecure(driver);
  const isEnabled = behaviors.kerberosHint === "spark" || (isUsed && !excludedSteps(conf).has(stepNames.kerberos));
  return isEnabled ? [{ level: "INFO", logger: stepNames.kerberos, text: krb5Hint }] : [];
}

/** Adds `krb5.conf` and the files of the login. The user renews the tokens: Spark SparkSubmit.setRMPrincipal. */
export function contributeKerberos(driver: DriverConf): Contribution {
  const contribution = joined(contributeKrb5(driver), contributeLogin(driver));
  const userName = driver.facts.kerberos.login?.userName;
  if (userName === undefined) return contribution;
  return { ...contribution, properties: { ...contribution.properties, [renewerKey]: userName } };
}

const renewerKey = `${hadoopProperties.prefix}yarn.resourcemanager.principal`;

const krb5Volume = "krb5-file";
const krb5Mount = { name: krb5Volume, mountPath: "/etc/krb5.conf", subPath: "krb5.conf" };

function contributeKrb5(driver: DriverConf): Contribution {
  const { krb5 } = driver.facts.kerberos;
  if (krb5 !== undefined) return embeddedKrb5(driver, krb5);
  const name = driver.conf.get(krb5ConfigMapName);
  if (name === undefined) return {};
  return { volumes: [{ name: krb5Volume, configMap: { name } }], mounts: [krb5Mount] };
}

function embeddedKrb5({ resourceNamePrefix, behaviors }: DriverConf, file: SubmitterFile): Contribution {
  const name = `${resourceNamePrefix}-krb5-file`;
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    immutable: true,
    data: { [file.name]: decodeUtf8Leniently(file.bytes) },
  } satisfies ConfigMap;
  // Spark keeps the file's name, so that a file with another name is not mounted.
  const path = behaviors.krb5Mount === "spark" ? file.name : krb5Mount.subPath;
  return {
    volumes: [{ name: krb5Volume, configMap: { name, items: [{ key: file.name, path }] } }],
    mounts: [krb5Mount],
    resources: [map],
  };
}

/** Adds up the two contributions, of which only `login` sets other fields than volumes, mounts and resources. */
function joined(krb5: Contribution, login: Contribution): Contribution {
  const volumes = [...(krb5.volumes ?? []), ...(login.volumes ?? [])];
  const mounts = [...(krb5.mounts ?? []), ...(login.mounts ?? [])];
  const resources = [...(krb5.resources ?? []), ...(login.resources ?? [])];
  return {
    ...login,
    ...(volumes.length === 0 ? {} : { volumes, mounts }),
    ...(resources.length === 0 ? {} : { resources }),
  };
}
