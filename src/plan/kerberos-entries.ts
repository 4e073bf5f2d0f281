import {
  kerberosKeytab,
  kerberosPrincipal,
  kerberosTokenSecretItemKey,
  kerberosTokenSecretName,
  krb5ConfigMapName,
  krb5Path,
} from "../conf/entries/hadoop.ts";

/** Who gives one of them uses Kerberos. */
export const kerberosEntries = [
  krb5Path,
  krb5ConfigMapName,
  kerberosPrincipal,
  kerberosKeytab,
  kerberosTokenSecretName,
  kerberosTokenSecretItemKey,
];
