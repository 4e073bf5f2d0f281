import type { SparkConf } from "../conf/spark-conf.ts";

const prefixes = "(?:driver\\.|executor\\.)?(?:service\\.)?(?:label|annotation|node.selector)\\.";
/** Settings that an API server or the driver checks. Groups: the name of a label, annotation or node selector; `cores`; others that are never plain. */
const checkedKey = new RegExp(
  `^spark.kubernetes.(?:${prefixes}(.*)|.*\\.(?:(cores)|(delay|master|volumes\\..*))|namespace|driver.pod.name)$`,
  "s",
);
const plainName = /^[a-z](?:[a-z0-9-]{0,40}[a-z0-9])?$/;
const plainAmount = /^[0-9]{1,6}m?$/;

/**
 * Returns whether the settings that `invalidValueIssues` and `invalidLabelIssues` check are valid in any place: short names of lower-case
 * letters, and numbers of CPUs. Volumes, delays and addresses are not plain.
 */
export function hasOnlyPlainValues(conf: Pick<SparkConf, "settings">): boolean {
  return conf.settings().every(({ key, value }) => {
    const match = checkedKey.exec(key);
    if (match === null) return true;
    const [, name = "a", cores, other] = match;
    if (cores !== undefined) return plainAmount.test(value);
    return other === undefined && plainName.test(name) && plainName.test(value);
  });
}
