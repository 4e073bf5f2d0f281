import { hadoopAuthentication, hadoopProperties } from "../conf/entries/hadoop.ts";
import type { DriverConf } from "./driver-conf.ts";

/** Whether the Hadoop configuration asks for Kerberos. Source: Hadoop UserGroupInformation.isSecurityEnabled. */
export function isHadoopSecure({ conf, facts }: Pick<DriverConf, "conf" | "facts">): boolean {
  const setting = conf.withPrefix(hadoopProperties).get(hadoopAuthentication);
  const site = facts.hadoopDirectory?.files?.find(({ name }) => name === "core-site.xml");
  return (setting ?? propertyIn(site?.bytes))?.toLowerCase() === "kerberos";
}

function propertyIn(bytes: Uint8Array | undefined): string | undefined {
  const xml = Buffer.from(bytes ?? []).toString("utf8");
  const uncommented = xml.replace(/<!--[\s\S]*?-->/g, "");
  return /<name>\s*hadoop\.security\.authentication\s*<\/name>\s*<value>\s*([^<\s]*)\s*<\/value>/.exec(
    uncommented,
  )?.[1];
}
