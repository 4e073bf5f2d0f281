import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { isHadoopSecure } from "../../plan/hadoop-security.ts";
import type { KubernetesOutcome } from "../submit-outcome.ts";
import type { DriverTokens } from "./log-in-driver.ts";
import type { CompleteDriver } from "./prepare-driver.ts";

interface TokenSubmission {
  readonly host: Host;
  readonly log: Log;
}

/**
 * Submits a driver with delegation tokens, if Hadoop requires Kerberos. Cancels the tokens if no driver is created.
 *
 * Source: Spark KerberosConfDriverFeatureStep, HadoopDelegationTokenManager.
 *
 * @throws what `submit` throws; SUBMIT_ERR_KERBEROS_…, SUBMIT_ERR_HADOOP_…
 */
export async function withDriverTokens(
  submission: TokenSubmission,
  submit: (complete: CompleteDriver) => Promise<KubernetesOutcome>,
): Promise<KubernetesOutcome> {
  let opened: DriverTokens = { cancel: async () => {}, close: () => {} };
  const complete: CompleteDriver = async (planned) => {
    if (!isHadoopSecure(planned)) return planned;
    const { logInDriver } = await import("./log-in-driver.ts");
    const login = await logInDriver(submission, planned, (tokens) => {
      opened = tokens;
    });
    if (login === undefined) return planned;
    const { facts } = planned;
    return { ...planned, facts: { ...facts, userName: login.userName, kerberos: { ...facts.kerberos, login } } };
  };
  try {
    const outcome = await submit(complete);
    const { end } = outcome;
    if (end.kind === "interrupted" && end.driver === "rolledBack") await opened.cancel();
    return outcome;
  } catch (error) {
    await opened.cancel();
    throw error;
  } finally {
    opened.close();
  }
}
