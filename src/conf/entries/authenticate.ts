import { optionalEntry } from "../entry.ts";
import { text } from "../kinds.ts";

const credential = { since: "2.3.0", raw: true } as const;

/** Suffix of keys whose values are hidden in the driver's properties. */
export const oauthTokenSuffix = "oauthToken";

/** Prefix of the submission's own credentials. */
export const authenticateSubmissionPrefix = "spark.kubernetes.authenticate.submission";

/** Credentials of the submission for the API server. All are paths except the token. */
export const authenticateSubmission = {
  ...certificates(authenticateSubmissionPrefix, "the submission"),
  oauthToken: token(authenticateSubmissionPrefix, "the submission"),
  oauthTokenFile: tokenFile(authenticateSubmissionPrefix, "the submission"),
};

/** Credentials of the driver, which the submission reads and stores in a Secret. */
export const authenticateDriver = {
  ...certificates("spark.kubernetes.authenticate.driver", "the driver; read here and uploaded"),
  oauthToken: token("spark.kubernetes.authenticate.driver", "the driver"),
  serviceAccountName: optionalEntry(text, {
    key: "spark.kubernetes.authenticate.driver.serviceAccountName",
    doc: "Service account of the driver's pod, unless credentials are uploaded.",
    since: "2.3.0",
  }),
};

export const executorServiceAccountName = optionalEntry(text, {
  key: "spark.kubernetes.authenticate.executor.serviceAccountName",
  doc: "Service account of the executors' pods. The default is the driver's.",
  since: "3.1.0",
  alternatives: ["spark.kubernetes.authenticate.driver.serviceAccountName"],
});

/** Prefix of the driver's credentials in its pod. */
export const authenticateDriverMountedPrefix = "spark.kubernetes.authenticate.driver.mounted";

/** Paths of the driver's credentials in its pod. */
export const authenticateDriverMounted = {
  ...certificates(authenticateDriverMountedPrefix, "the driver, as a path in its pod"),
  oauthTokenFile: tokenFile(authenticateDriverMountedPrefix, "the driver, as a path in its pod"),
};

function certificates(prefix: string, whose: string) {
  return {
    caCertFile: optionalEntry(text, {
      ...credential,
      key: `${prefix}.caCertFile`,
      doc: `CA certificate that proves the API server to ${whose}.`,
    }),
    clientKeyFile: optionalEntry(text, {
      ...credential,
      key: `${prefix}.clientKeyFile`,
      doc: `Key of the client certificate of ${whose}.`,
    }),
    clientCertFile: optionalEntry(text, {
      ...credential,
      key: `${prefix}.clientCertFile`,
      doc: `Client certificate of ${whose}.`,
    }),
  };
}

function token(prefix: string, whose: string) {
  return optionalEntry(text, { ...credential, key: `${prefix}.${oauthTokenSuffix}`, doc: `Bearer token of ${whose}.` });
}

function tokenFile(prefix: string, whose: string) {
  return optionalEntry(text, {
    ...credential,
    key: `${prefix}.oauthTokenFile`,
    doc: `File with the bearer token of ${whose}.`,
  });
}
