import { hadoopProperties } from "../conf/entries/hadoop.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { stepNames } from "../plan/feature-steps.ts";
import { kerberosEntries } from "../plan/kerberos-entries.ts";
import { announceKerberos, contributeKerberos, kerberosIssues } from "./kerberos-access.ts";
import type { FeatureStep } from "./step.ts";

/** Files for the driver's Kerberos login: `krb5.conf`, and a keytab or delegation tokens. */
export const kerberosConf: FeatureStep<DriverConf> = {
  name: stepNames.kerberos,
  check: (driver) => (mayBeUsed(driver) ? kerberosIssues(driver) : []),
  announce: (driver) =>
    driver.behaviors.kerberosHint === "spark" || mayBeUsed(driver) ? announceKerberos(driver) : [],
  contribute: (driver) => (mayBeUsed(driver) ? contributeKerberos(driver) : {}),
};

/** Whether settings or files are about Kerberos, or about Hadoop, whose configuration may require Kerberos. */
function mayBeUsed({ conf, facts }: DriverConf): boolean {
  const { kerberos, hadoopDirectory } = facts;
  return (
    kerberosEntries.some((entry) => conf.has(entry)) ||
    [kerberos.krb5, kerberos.keytab, kerberos.tokens, hadoopDirectory].some((found) => found !== undefined) ||
    conf.withPrefix(hadoopProperties).size > 0
  );
}
