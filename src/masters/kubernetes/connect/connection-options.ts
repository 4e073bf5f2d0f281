import { authenticateSubmission, authenticateSubmissionPrefix } from "../../../conf/entries/authenticate.ts";
import * as submission from "../../../conf/entries/submission.ts";
import type { ConfEntry } from "../../../conf/entry.ts";
import { traitsOf } from "../../../conf/spark-version.ts";
import type { Log } from "../../../host/log.ts";
import type { ConnectOptions } from "../../../kube-client/connect-options.ts";
import type { SubmitRequest } from "../../../plan/submit-request.ts";
import type { OpenClient } from "../../master-strategy.ts";

/** Settings of the connection to the API. */
export const connectionEntries: readonly ConfEntry<unknown>[] = [
  submission.context,
  submission.submissionRequestTimeout,
  submission.submissionConnectionTimeout,
  submission.trustCertificates,
  ...Object.values(authenticateSubmission),
];

/** Inputs of a connection: the API, credentials and settings. */
export type ClusterConnection = Pick<SubmitRequest, "apiServer" | "access" | "conf" | "behaviors">;

/** Prints the cluster as a value of `--master`. */
export function printMaster({ apiServer, access }: Pick<ClusterConnection, "apiServer" | "access">): string {
  return access?.master ?? `k8s://${apiServer}`;
}

/** Prints the cluster as values of `--master` and `--context`. */
export function printCluster({ conf, ...cluster }: Pick<ClusterConnection, "apiServer" | "access" | "conf">) {
  return { master: printMaster(cluster), context: conf.get(submission.context) || undefined };
}

/** Returns the connection options that the settings specify. */
export function connectionOptions({ apiServer, access, conf, behaviors }: ClusterConnection, log: Log): ConnectOptions {
  const options = {
    server: apiServer,
    log,
    requestTimeoutMs: conf.get(submission.submissionRequestTimeout),
    connectionTimeoutMs: conf.get(submission.submissionConnectionTimeout),
  };
  if (access !== undefined) {
    const { certificateAuthority, token, requireRunning } = access;
    return { ...options, access: { kind: "known", authority: certificateAuthority, token, requireRunning } };
  }
  const context = conf.get(submission.context);
  return {
    ...options,
    access: {
      kind: "user",
      context: context === "" ? undefined : context,
      settingPrefix: authenticateSubmissionPrefix,
      caCertFile: conf.get(authenticateSubmission.caCertFile),
      clientKeyFile: conf.get(authenticateSubmission.clientKeyFile),
      clientCertFile: conf.get(authenticateSubmission.clientCertFile),
      oauthToken: conf.get(authenticateSubmission.oauthToken),
      oauthTokenFile: conf.get(authenticateSubmission.oauthTokenFile),
      trustCertificates: conf.get(submission.trustCertificates),
      behaviors,
      traits: traitsOf(conf.version.line),
    },
  };
}

/** Opens a client over the network, whose code is loaded only here. */
export const connectOverNetwork: OpenClient = async (host, options) => {
  const { connect } = await import("../../../kube-client/connect.ts");
  return connect(host, options);
};
