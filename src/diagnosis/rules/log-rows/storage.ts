import { keys } from "../../settings.ts";
import type { FoundInLog, LogRow } from "../log-row.ts";

/** Driver log rows about buckets, Kerberos, the Hive metastore and local disks. */
export const storageRows: readonly LogRow[] = [
  {
    cause: "s3-access-failed",
    scope: "failure",
    pattern:
      /NoAuthWithAWSException|NoAwsCredentialsException|Unable to load (?:AWS )?credentials|Bucket does not exist|\bNoSuchBucket\b|(?:Service: (?:Amazon )?S3, |Service: Amazon S3; )?Status Code: (?:301|400|401|403|404)\b.*|(?:amazonaws|awssdk|s3a).*(?:Unable to execute HTTP request|Connection refused|UnknownHostException).*|(?:on s3a:|s3a:).*: (?:SdkClientException|AWSClientIOException).*/,
    remedy: "Correct the credentials, the permissions, the bucket or the endpoint.",
    explain: (found) => (isAboutS3(found) ? s3Finding(found) : undefined),
  },
  {
    cause: "kerberos-failed",
    scope: "failure",
    pattern:
      /KerberosAuthException|Can't get Kerberos realm|Cannot locate default realm|LoginException|GSSException|KrbException|Failed to find any Kerberos|SIMPLE authentication is not enabled|Client cannot authenticate via/,
    remedy: "Correct the principal, the keytab and krb5.conf, and let pods reach the KDC.",
    explain: ({ failure, line }) => {
      const texts = (failure?.lines ?? [line]).map(({ text }) => text);
      // Hadoop's login also fails if the user of the container has no name.
      if (texts.some((text) => text.includes("invalid null input"))) return undefined;
      const login = texts
        .map((text) => /for principal: (\S+) from keytab (\S+)/.exec(text))
        .find((one) => one !== null);
      const reason = texts.findLast((text) =>
        /KrbException|LoginException|GSSException|ConnectException|realm/.test(text),
      );
      const who = login == null ? "" : ` for ${login[1]} with the keytab ${login[2]}`;
      return {
        message: `Kerberos authentication failed${who}: ${withoutHead((reason ?? line.text).replace(/^.* from keytab \S+ ?(?=\S)/, ""))}.`,
        nextStep:
          "Mount krb5.conf (spark.kubernetes.kerberos.krb5.path) and the keytab, and check that pods reach the KDC of the realm.",
      };
    },
  },
  {
    cause: "metastore-unreachable",
    scope: "failure",
    pattern:
      /Could not connect to meta store|Failed to connect to the MetaStore|Unable to instantiate \S*(?:HiveMetaStoreClient|SessionHiveMetaStoreClient)/,
    remedy: "Correct the address of the metastore, or let pods reach it.",
    explain: ({ view: { properties }, failure }) => {
      const address = properties[keys.metastoreUris];
      const texts = (failure?.lines ?? []).map(({ text }) => text);
      const reason = texts.findLast((text) => /UnknownHostException|ConnectException|TTransportException/.test(text));
      return {
        message: `The driver cannot connect to the Hive metastore${address === undefined ? "" : ` at ${address}`}${reason === undefined ? "" : `: ${withoutHead(reason)}`}.`,
        nextStep: `Correct ${keys.metastoreUris} (or hive-site.xml), and check that pods can reach the metastore.`,
        key: keys.metastoreUris,
      };
    },
  },
  {
    cause: "local-disk-full",
    scope: "failure",
    pattern: /No space left on device/,
    remedy: "Give the pods more local storage: a larger volume spark-local-dir-…, or smaller partitions.",
    explain: ({ failure }) => {
      const isOfTask = failure?.lines.some(({ text }) => /Lost task|Task \d+ in stage .* failed/.test(text)) === true;
      const role = isOfTask ? "an executor" : "the driver";
      const volume = `${isOfTask ? keys.executorVolume : keys.volume}`;
      return {
        message: `No space is left in a local directory of ${role}, where Spark keeps shuffle and temporary files.`,
        nextStep: `Mount a larger volume whose name begins with spark-local-dir- (${volume}…), or use more and smaller partitions.`,
        key: volume,
      };
    },
  },
];

/** Whether an exception is about a bucket: another server may respond with the same status. */
function isAboutS3({ failure, line }: FoundInLog): boolean {
  return (failure?.lines ?? [line]).some(({ text }) => /s3a?:\/\/|s3a\.|\.s3\.|amazonaws|awssdk|Amazon S3/.test(text));
}

function s3Finding({ failure, line, view: { properties } }: FoundInLog) {
  const texts = (failure?.lines ?? [line]).map(({ text }) => text);
  const text = texts.join("\n");
  const bucket = /s3a?:\/\/([\w.-]+)/.exec(text)?.[1] ?? /on ([\w.-]+): \S*(?:NoAuth|NoAws)/.exec(text)?.[1];
  const named = bucket === undefined ? "the bucket" : `the bucket ${bucket}`;
  const [what, nextStep] = s3Problem(text, properties[keys.s3Endpoint]);
  return { message: `The application cannot access ${named}: ${what}.`, nextStep };
}

function s3Problem(text: string, endpoint: string | undefined): readonly [string, string] {
  if (/NoAuthWithAWS|NoAwsCredentials|Unable to load (?:AWS )?credentials/.test(text)) {
    return [
      "the driver has no credentials",
      "Give driver and executors credentials: a Secret as environment (spark.kubernetes.driver.secretKeyRef.AWS_ACCESS_KEY_ID), or an account with a role.",
    ];
  }
  if (/Bucket does not exist|NoSuchBucket/.test(text)) {
    return ["it does not exist", "Correct the name of the bucket, its region or the endpoint, or create it."];
  }
  const code = /Error Code: (?!null)(\w+)/.exec(text) ?? /S3Exception: (?!null)([^(\n]{3,80}?) \(/.exec(text);
  const status = /Status Code: (\d+)/.exec(text)?.[1];
  const detail = code?.[1];
  if (status !== undefined) {
    const shown = `the object store responded with status ${status}${detail === undefined ? "" : ` (${detail})`}`;
    return [shown, "Check the access key, its permissions for the bucket, and the clock of the nodes."];
  }
  const at = endpoint === undefined ? "" : ` at ${endpoint}`;
  return [`no connection to the object store${at}`, `Correct ${keys.s3Endpoint}, and check that pods can reach it.`];
}

/** Removes the class of an exception. */
function withoutHead(text: string): string {
  return text
    .replace(/^\s*(?:Caused by: )?(?:: )?/, "")
    .replace(/^(?:[\w$]+\.)+([\w$]+): /, "")
    .trim()
    .replace(/\.$/, "");
}
