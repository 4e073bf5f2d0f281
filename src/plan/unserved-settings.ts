import * as hadoop from "../conf/entries/hadoop.ts";
import type { ConfEntry } from "../conf/entry.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { DriverConf } from "./driver-conf.ts";
import { excludedSteps } from "./feature-steps.ts";
import type { LogLine } from "./log-line.ts";

const hadoopStep = "HadoopConfDriverFeatureStep";
const kerberosStep = "KerberosConfDriverFeatureStep";

const unserved: readonly (readonly [step: string, entry: ConfEntry<unknown>])[] = [
  [hadoopStep, hadoop.hadoopConfigMapName],
  [kerberosStep, hadoop.krb5Path],
  [kerberosStep, hadoop.krb5ConfigMapName],
  [kerberosStep, hadoop.kerberosTokenSecretName],
  [kerberosStep, hadoop.kerberosTokenSecretItemKey],
  [kerberosStep, hadoop.kerberosPrincipal],
  [kerberosStep, hadoop.kerberosKeytab],
];

/** Settings that ask for what no step does: better refused than a driver without it. */
export function unservedIssues({ conf }: DriverConf): readonly Issue[] {
  const excluded = excludedSteps(conf);
  const keytab = conf.text(hadoop.kerberosKeytab.key);
  // With a keytab in the image the driver logs in by itself.
  const isDriversOwn = keytab?.startsWith("local:") === true && conf.has(hadoop.kerberosPrincipal);
  return unserved
    .filter(([step, entry]) => conf.has(entry) && !excluded.has(step))
    .filter(([, entry]) => !(isDriversOwn && isLogin(entry)))
    .map(([, { key }]) => issue("SUBMIT_ERR_SETTING_NOT_SERVED", { key }));
}

function isLogin(entry: ConfEntry<unknown>): boolean {
  return entry === hadoop.kerberosPrincipal || entry === hadoop.kerberosKeytab;
}

/** What is passed over where it is too common to be refused. */
export function unservedLog({ conf, facts }: DriverConf): readonly LogLine[] {
  const directory = facts.env["HADOOP_CONF_DIR"];
  if (directory === undefined || excludedSteps(conf).has(hadoopStep)) return [];
  const text = `HADOOP_CONF_DIR is set, but the files in ${directory} are not carried to the driver; what it needs of them can be set as spark.hadoop.*.`;
  return [{ level: "WARN", logger: hadoopStep, text }];
}
