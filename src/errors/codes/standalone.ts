import { define } from "../error-code-entry.ts";
import { exceptionClasses } from "./exception-classes.ts";

/** Package of Spark's client for the REST gateway of standalone masters. */
const restPackage = "org.apache.spark.deploy.rest";
const waitingForResponse = "Exception while waiting for response";

function rejectionHint(status: number, message: string): string {
  if (/Current state is not alive: (?:COMPLETING_)?RECOVER/.test(message)) {
    return "Try again in a minute: this master has just become the leader and is still recovering its state.";
  }
  if (/Current state is not alive/.test(message)) {
    return "List all masters, spark://HOST:PORT,HOST:PORT: a standby master accepts no submissions.";
  }
  if (status === 401 || status === 403) {
    return "Set spark.firesteel.rest.tokenFile to the file with the token that the gateway's filter requires.";
  }
  if (status === 468) return "Use a gateway of protocol version v1; this gateway has another version.";
  return "Check the master's log.";
}

/** Codes about standalone masters, and Mesos, through their REST gateway. */
export const standaloneCodes = {
  SUBMIT_ERR_REST_MASTER: define<{ master: string }>({
    kind: "setting",
    text: ({ master }) => `Invalid master URL "${master}": it is not the address of a master.`,
    hint: () =>
      "Write spark://HOST:PORT, several masters as spark://HOST:PORT,HOST:PORT, or for Spark 3.5 mesos://HOST:PORT. PORT is the port of the REST gateway, usually 6066.",
  }),
  SUBMIT_ERR_REST_ADDRESS: define<{ url: string; index: number }>({
    kind: "setting",
    wording: "spark",
    javaClass: exceptionClasses.uriSyntax,
    text: ({ url, index }) => `Illegal character in path at index ${index}: ${url}`,
  }),
  SUBMIT_ERR_REST_HOST: define<{ master: string; host: string }>({
    kind: "unreachable",
    wording: "spark",
    javaClass: "java.net.UnknownHostException",
    text: ({ host }) => host,
    hint: ({ master }) => `Check the spelling of the host in ${master}: this machine cannot resolve it.`,
  }),
  SUBMIT_ERR_REST_UNREACHABLE: define<{ master: string; reason: string }>({
    kind: "unreachable",
    wording: "spark",
    javaClass: `${restPackage}.SubmitRestConnectionException`,
    text: () => "Unable to connect to server",
    hint: ({ master, reason }) =>
      `Check that a REST gateway listens at ${master} (${reason}). The master's web UI shows its address as "REST URL"; the usual port is 6066, and spark.master.rest.enabled=true on the master enables it.`,
    causes: ({ reason }) => [
      `java.net.ConnectException: ${/ECONNREFUSED/.test(reason) ? "Connection refused" : reason}`,
    ],
  }),
  SUBMIT_ERR_REST_NO_RESPONSE: define<{ master: string; reason: string }>({
    kind: "timeout",
    wording: "spark",
    javaClass: `${restPackage}.SubmitRestConnectionException`,
    text: () => "No response from server",
    hint: ({ master, reason }) => `Check the health of ${master}, which accepted the request: ${reason}.`,
  }),
  SUBMIT_ERR_REST_MALFORMED: define<{ cause: string; reason: string }>({
    kind: "cluster",
    wording: "spark",
    javaClass: `${restPackage}.SubmitRestProtocolException`,
    text: () => "Malformed response received from server",
    hint: ({ reason }) =>
      `Compare the address with the "REST URL" in the master's web UI; the response is not one of a REST gateway: ${reason}.`,
    causes: ({ cause }) => [cause],
  }),
  SUBMIT_ERR_REST_RESPONSE_UNKNOWN: define<{ action: string }>({
    kind: "cluster",
    wording: "spark",
    text: () => waitingForResponse,
    hint: ({ action }) => `Check that the address is a REST gateway: its response has the unknown type ${action}.`,
    causes: ({ action }) => [`java.lang.ClassNotFoundException: ${restPackage}.${action}`],
  }),
  SUBMIT_ERR_REST_WAIT: define<{ cause: string; reason: string }>({
    kind: "cluster",
    wording: "spark",
    text: () => waitingForResponse,
    hint: ({ reason }) => `Check that the address is a REST gateway: its response cannot be read: ${reason}.`,
    causes: ({ cause }) => [cause],
  }),
  SUBMIT_ERR_REST_REJECTED: define<{ master: string; status: number; message: string }>({
    kind: "cluster",
    text: ({ master, status, message }) =>
      `${master} rejected the request${status === 200 ? "" : ` (HTTP ${status})`}: ${message}`,
    hint: ({ status, message }) => rejectionHint(status, message),
  }),
  SUBMIT_ERR_REST_UNCERTAIN: define<{ master: string; reason: string }>({
    kind: "cluster",
    text: ({ master, reason }) =>
      `${master} accepted the submission but sent no response (${reason}): the driver may have been created.`,
    hint: () => "Before you submit again, check in the master's web UI whether the driver exists.",
  }),
  SUBMIT_ERR_REST_DRIVER_UNKNOWN: define<{ id: string; master: string }>({
    kind: "setting",
    text: ({ id, master }) => `${master} has no driver ${id}.`,
    hint: () =>
      "Choose a driver from the master's web UI. A master removes finished drivers after a while and when it is cleared.",
  }),
  SUBMIT_ERR_REST_SUBMISSION_ID_INVALID: define<{ id: string; master: string }>({
    kind: "usage",
    text: ({ id, master }) => `Invalid submission ID "${id}" for ${master}: patterns are not supported.`,
    hint: () => "Use one ID, such as driver-20260101000000-0000; the master's web UI lists all IDs.",
  }),
  SUBMIT_ERR_REST_TOKEN: define<{ key: string; path: string; reason: string }>({
    kind: "setting",
    text: ({ key, path, reason }) => `Cannot read a token from ${path} (${key}): ${reason}`,
    hint: () => "Write a file of one line: the token to send as Authorization: Bearer TOKEN.",
  }),
  SUBMIT_ERR_LEGACY_GATEWAY: define<{ master: string }>({
    kind: "setting",
    text: ({ master }) =>
      `Cannot submit to ${master}: its REST gateway is off, and Spark's RPC requires the JVM of a local Spark distribution.`,
    hint: () =>
      "Use the REST gateway, usually spark://HOST:6066, and set spark.master.rest.enabled=true here and, before Spark 4.1, on the master. Or set SPARK_HOME to a Spark distribution, or install one: firesteel spark install",
  }),
  SUBMIT_ERR_MESOS_REST: define<Record<never, never>>({
    kind: "setting",
    wording: "spark",
    javaClass: "java.lang.AssertionError",
    text: () => "assertion failed: Mesos cluster mode is only supported through the REST submission API",
    hint: () => "Set spark.master.rest.enabled=true.",
  }),
};
