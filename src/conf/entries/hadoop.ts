import { optionalEntry, type PrefixEntry } from "../entry.ts";
import { text } from "../kinds.ts";

/** Members: names of Hadoop properties. */
export const hadoopProperties: PrefixEntry = {
  prefix: "spark.hadoop.",
  doc: "Properties of Hadoop, for uploads, remote templates and delegation tokens.",
  since: "1.0.0",
};

/** Hadoop property with the way in which clients authenticate: `simple` or `kerberos`. */
export const hadoopAuthentication = "hadoop.security.authentication";

export const hadoopConfigMapName = optionalEntry(text, {
  key: "spark.kubernetes.hadoop.configMapName",
  doc: "A ConfigMap with the Hadoop configuration, instead of HADOOP_CONF_DIR.",
  since: "3.0.0",
});

export const kerberosPrincipal = optionalEntry(text, {
  key: "spark.kerberos.principal",
  doc: "Kerberos principal.",
  since: "3.0.0",
  alternatives: ["spark.yarn.principal"],
});

export const kerberosKeytab = optionalEntry(text, {
  key: "spark.kerberos.keytab",
  doc: "File with the keys of the principal.",
  since: "3.0.0",
  alternatives: ["spark.yarn.keytab"],
});

export const krb5Path = optionalEntry(text, {
  key: "spark.kubernetes.kerberos.krb5.path",
  doc: "A local krb5.conf for the driver.",
  since: "3.0.0",
});

export const krb5ConfigMapName = optionalEntry(text, {
  key: "spark.kubernetes.kerberos.krb5.configMapName",
  doc: "A ConfigMap with a krb5.conf for the driver.",
  since: "3.0.0",
});

export const kerberosTokenSecretName = optionalEntry(text, {
  key: "spark.kubernetes.kerberos.tokenSecret.name",
  doc: "A secret with delegation tokens.",
  since: "3.0.0",
});

export const kerberosTokenSecretItemKey = optionalEntry(text, {
  key: "spark.kubernetes.kerberos.tokenSecret.itemKey",
  doc: "The key of the tokens in that secret.",
  since: "3.0.0",
});
