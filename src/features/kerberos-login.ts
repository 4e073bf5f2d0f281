import { kerberosKeytab, kerberosTokenSecretItemKey, kerberosTokenSecretName } from "../conf/entries/hadoop.ts";
import type { Secret } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import type { SubmitterFile, TokenFile } from "../plan/facts.ts";
import { isHadoopSecure } from "../plan/hadoop-security.ts";
import { inspectTokenStorage } from "../values/token-storage.ts";
import type { Contribution } from "./step.ts";

const keytabVolume = "kerberos-keytab";
const keytabDirectory = "/mnt/secrets/kerberos-keytab";
const tokensVolume = "hadoop-secret";
const tokensDirectory = "/mnt/secrets/hadoop-credentials";
const tokensKey = "hadoop-tokens";

/**
 * Adds the driver's Kerberos login: a keytab, else the tokens of a Secret, else those of HADOOP_TOKEN_FILE_LOCATION.
 *
 * With Kerberos, the submission adds new tokens to those of the file. Source: Spark KerberosConfDriverFeatureStep.
 */
export function contributeLogin(driver: DriverConf): Contribution {
  const { conf, facts } = driver;
  if (facts.kerberos.keytab !== undefined) return embeddedKeytab(driver, facts.kerberos.keytab);
  const secretName = conf.get(kerberosTokenSecretName);
  const itemKey = conf.get(kerberosTokenSecretItemKey);
  if (secretName !== undefined && itemKey !== undefined) return mountedTokens(secretName, itemKey);
  if (conf.has(kerberosKeytab)) return {};
  return embeddedTokens(driver);
}

function embeddedKeytab({ resourceNamePrefix }: DriverConf, { name, bytes }: SubmitterFile): Contribution {
  const secretName = `${resourceNamePrefix}-kerberos-keytab`;
  return {
    volumes: [{ name: keytabVolume, secret: { secretName } }],
    mounts: [{ name: keytabVolume, mountPath: keytabDirectory }],
    properties: { [kerberosKeytab.key]: `${keytabDirectory}/${name}` },
    resources: [secret(secretName, name, bytes)],
  };
}

function mountedTokens(secretName: string, itemKey: string): Contribution {
  return {
    volumes: [{ name: tokensVolume, secret: { secretName } }],
    mounts: [{ name: tokensVolume, mountPath: tokensDirectory }],
    env: [{ name: "HADOOP_TOKEN_FILE_LOCATION", value: `${tokensDirectory}/${itemKey}` }],
  };
}

function embeddedTokens(driver: DriverConf): Contribution {
  const { tokens, login } = driver.facts.kerberos;
  if (login?.tokens !== undefined) return tokenSecret(driver, login.tokens);
  // Spark submits as the proxy user, who does not have the tokens of the user that runs the submission.
  if (tokens === undefined || driver.proxyUser !== undefined) return withoutTokens(driver);
  const { bytes } = tokens;
  const problem = problemOf(tokens);
  if (bytes === undefined || problem !== undefined) return { warnings: [problem ?? ""] };
  if (inspectTokenStorage(bytes).kind === "empty") return withoutTokens(driver);
  return tokenSecret(driver, bytes);
}

function tokenSecret({ resourceNamePrefix }: DriverConf, bytes: Uint8Array): Contribution {
  const secretName = `${resourceNamePrefix}-delegation-tokens`;
  return {
    ...mountedTokens(secretName, tokensKey),
    resources: [secret(secretName, tokensKey, bytes)],
  };
}

/** Returns the warning of Hadoop or Spark, which also continue without the tokens. */
function problemOf({ path, bytes }: TokenFile): string | undefined {
  if (bytes === undefined) return `Token file ${path} does not exist`;
  const storage = inspectTokenStorage(bytes);
  return storage.kind === "unreadable"
    ? `Fail to get credentials: Exception reading ${path}: ${storage.reason}`
    : undefined;
}

/** Warns about missing tokens if Hadoop requires Kerberos. */
function withoutTokens(driver: DriverConf): Contribution {
  if (!isHadoopSecure(driver) || driver.facts.kerberos.login !== undefined) return {};
  const text = `Hadoop requires Kerberos, but the driver gets no delegation tokens: there is no ticket. Run kinit before the submission, or specify a keytab (--principal and --keytab), the name of a Secret with tokens (${kerberosTokenSecretName.key}), or a file of tokens (HADOOP_TOKEN_FILE_LOCATION).`;
  return { warnings: [text] };
}

function secret(name: string, key: string, bytes: Uint8Array) {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    immutable: true,
    data: { [key]: Buffer.from(bytes).toString("base64") },
  } satisfies Secret;
}
