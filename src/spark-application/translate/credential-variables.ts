/** Variables that name the file of a credential, by the type of its Secret. */
const files: Readonly<Record<string, { readonly variable: string; readonly file: string }>> = {
  GCPServiceAccount: { variable: "GOOGLE_APPLICATION_CREDENTIALS", file: "key.json" },
  HadoopDelegationToken: { variable: "HADOOP_TOKEN_FILE_LOCATION", file: "hadoop.token" },
};

/** Returns the variable with the file of a mounted Secret; none for other types. */
export function credentialVariables({
  path,
  secretType,
}: {
  readonly path: string;
  readonly secretType: string;
}): Readonly<Record<string, string>> {
  const known = Object.hasOwn(files, secretType) ? files[secretType] : undefined;
  return known === undefined ? {} : { [known.variable]: `${path.replace(/\/$/, "")}/${known.file}` };
}
