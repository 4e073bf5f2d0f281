import {
  kerberosKeytab,
  kerberosPrincipal,
  kerberosTokenSecretItemKey,
  kerberosTokenSecretName,
  krb5ConfigMapName,
  krb5Path,
} from "../conf/entries/hadoop.ts";

/** Settings that imply the use of Kerberos. */
export const kerberosEntries = [
  krb5Path,
  krb5ConfigMapName,
  kerberosPrincipal,
  kerberosKeytab,
  kerberosTokenSecretName,
  kerberosTokenSecretItemKey,
];
