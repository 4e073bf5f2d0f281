import {
  authenticateDriver,
  authenticateDriverMounted,
  authenticateDriverMountedPrefix,
} from "../conf/entries/authenticate.ts";
import type { ConfEntry } from "../conf/entry.ts";
import type { Secret, StringMap } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import type { Contribution } from "./step.ts";

/** Builds a Secret with the configured credentials, its mount, and the settings with their paths. */
export function embedCredentials(driver: DriverConf): Contribution {
  const embedded = credentials.flatMap((credential) => {
    const data = dataOf(driver, credential);
    return data === undefined ? [] : [{ ...credential, data }];
  });
  return { ...mountedSecret(driver, embedded), properties: mountedPaths(driver, embedded) };
}

/** Credential that a submission can pass to the driver. */
interface Credential {
  readonly source: ConfEntry<string | undefined>;
  readonly mounted: ConfEntry<string | undefined>;
  /** Key in the Secret, and file name in the pod. */
  readonly file: string;
}

/** Credential that this submission passes to the driver. */
interface EmbeddedCredential extends Credential {
  /** Base64. */
  readonly data: string;
}

const credentials: readonly Credential[] = [
  {
    source: authenticateDriver.oauthToken,
    mounted: authenticateDriverMounted.oauthTokenFile,
    file: "oauth-token",
  },
  { source: authenticateDriver.caCertFile, mounted: authenticateDriverMounted.caCertFile, file: "ca-cert" },
  {
    source: authenticateDriver.clientKeyFile,
    mounted: authenticateDriverMounted.clientKeyFile,
    file: "client-key",
  },
  {
    source: authenticateDriver.clientCertFile,
    mounted: authenticateDriverMounted.clientCertFile,
    file: "client-cert",
  },
];

const volumeName = "kubernetes-credentials";
const directory = "/mnt/secrets/spark-kubernetes-credentials";

/** Returns the credential as base64; `undefined` when it is not configured. */
function dataOf({ conf, facts }: DriverConf, { source }: Credential): string | undefined {
  if (source !== authenticateDriver.oauthToken) return facts.credentialFiles[source.key];
  const token = conf.get(source);
  return token === undefined ? undefined : Buffer.from(token).toString("base64");
}

function mountedSecret(driver: DriverConf, embedded: readonly EmbeddedCredential[]): Contribution {
  const secretName = `${driver.resourceNamePrefix}-kubernetes-credentials`;
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName },
    immutable: true,
    data: Object.fromEntries(embedded.map(({ file, data }) => [file, data])),
  } satisfies Secret;
  return {
    volumes: [{ name: volumeName, secret: { secretName } }],
    mounts: [{ name: volumeName, mountPath: directory }],
    resources: [secret],
    warnings: droppedAccountWarning(driver, embedded),
  };
}

function droppedAccountWarning(driver: DriverConf, embedded: readonly EmbeddedCredential[]): readonly string[] {
  const { conf, traits, template } = driver;
  const entry = authenticateDriver.serviceAccountName;
  const account = conf.get(entry);
  const kept = template?.pod.spec?.serviceAccountName ?? template?.pod.spec?.serviceAccount;
  if (!traits.credentialsWarning || account === undefined || account === kept) return [];
  const keys = embedded.map(({ source }) => source.key).join(", ");
  const instead =
    kept === undefined
      ? "the pod falls back to the namespace's default account"
      : `the pod keeps ${kept}, named by its spec`;
  return [
    `Not applying ${entry.key}=${account} to the driver pod, because the driver credentials given by ${keys} take precedence: ${instead}. To have Spark apply that configuration anyway, put the credentials inside the driver pod and point the ${authenticateDriverMountedPrefix}.* configurations at them instead, which does not mount a secret.`,
  ];
}

function mountedPaths({ conf }: DriverConf, embedded: readonly EmbeddedCredential[]): StringMap {
  return Object.fromEntries(
    embedded.flatMap(({ mounted, file }) => (conf.has(mounted) ? [] : [[mounted.key, `${directory}/${file}`]])),
  );
}
