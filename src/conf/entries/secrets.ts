import { type PrefixEntry, roleEntry } from "../entry.ts";

/** Members: secret name to mount path. */
export const secrets = roleEntry<PrefixEntry>((role) => ({
  prefix: `spark.kubernetes.${role}.secrets.`,
  doc: `Secrets mounted in the ${role}, by name; the value is the path.`,
  since: "2.3.0",
}));

/** Members: variable name to `secret:key`. */
export const secretKeyRefs = roleEntry<PrefixEntry>((role) => ({
  prefix: `spark.kubernetes.${role}.secretKeyRef.`,
  doc: `Environment variables of the ${role} that come from secrets, as \`secret:key\`.`,
  since: "2.4.0",
}));
