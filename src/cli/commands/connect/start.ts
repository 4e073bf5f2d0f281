import { context as contextEntry } from "../../../conf/entries/submission.ts";
import { issue } from "../../../errors/issue.ts";
import { submitError, throwIssues } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { overrideHost } from "../../../host/override-host.ts";
import { visibleLine } from "../../../host/visible-text.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { parseIdleTimeout } from "../../../masters/kubernetes/connect-server/idle-timeout.ts";
import { serveDriver } from "../../../masters/kubernetes/connect-server/serve-driver.ts";
import { connectServerStep } from "../../../masters/kubernetes/connect-server/server-step.ts";
import type { DriverWait } from "../../../masters/master-strategy.ts";
import { printSpan } from "../../../masters/print-span.ts";
import { submitInvocation } from "../../../masters/submit-invocation.ts";
import { findRunningCluster } from "../../cluster-record.ts";
import { localSpark, withEmbedded, withLauncherEnvironment } from "../../environment.ts";
import { exitCodeOf, exitCodes } from "../../exit-codes.ts";
import { parseInterleavedArgs } from "../../parse-interleaved-args.ts";
import { parsePort } from "../../parse-port.ts";
import { printOutcome } from "../../print-outcome.ts";
import { readCommandLine } from "../../read-command-line.ts";
import { startForwarder } from "./forwarder.ts";
import type { ConnectCall } from "./list.ts";
import { serverArguments } from "./server-arguments.ts";

/** A server to start. */
interface ServerStart {
  readonly host: Host;
  readonly localPort: number | undefined;
  readonly idleSeconds: number;
  /** Whether a background process forwards the port. */
  readonly isDetached: boolean;
  /** Options of spark-submit that select the cluster, for the background process. */
  readonly clusterArgs: readonly string[];
}

/** Runs `firesteel connect start`. @returns the exit code, as of a submission that waits for its driver */
export async function startConnectServer({ host, args, openClient }: ConnectCall): Promise<number> {
  const { own, positionals, rest } = parseInterleavedArgs(args, {
    flags: ["--detach"],
    values: ["--idle-timeout", "--port", "--context"],
  });
  const { seconds: idleSeconds, issues } = parseIdleTimeout(own.value("--idle-timeout") ?? "30m");
  throwIssues([...positionals.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })), ...issues]);
  const localPort = parsePort(own.value("--port"));
  const context = own.value("--context");
  const options = [...rest, ...(context === undefined ? [] : ["--conf", `${contextEntry.key}=${context}`])];
  const machine = await withLauncherEnvironment(host);
  const { master, argv } = await serverArguments(machine, options, idleSeconds);
  const isDetached = own.has("--detach");
  if (isDetached && master === "k8s://embedded" && (await findRunningCluster(machine, "default")) === undefined)
    throw submitError("SUBMIT_ERR_CONNECT_DETACHED_INSIDE", {});
  const parsed = await readCommandLine(overrideHost(machine, { argv }));
  const { invocation } = parsed;
  if (invocation.action !== "submit") throw submitError("SUBMIT_ERR_CONNECT_MASTER", { master });
  const clusterArgs = [...options, ...(master === "" ? [] : ["--master", master])];
  const start = { host: machine, localPort, idleSeconds, isDetached, clusterArgs };
  return withEmbedded(machine, async (openEmbedded, opened) => {
    const served = serving(start);
    const outcome = await submitInvocation({
      ...{ ...parsed, invocation, host: machine, localSpark: await localSpark(machine), openEmbedded, openClient },
      ...{ extraSteps: [connectServerStep], onWait: served.start },
    });
    await served.settled();
    if (served.hasLeft()) return exitCodes.ok;
    if (outcome.podName === undefined) return outcome.end.exitCode;
    const { end, behaviors } = outcome;
    if (end.kind === "succeeded")
      host.stderr.write(`The server has ended: no client used it for ${printSpan(idleSeconds * 1000)}.\n`);
    else if (end.kind !== "notAwaited" && behaviors.errorText === "plain")
      host.stderr.write(printOutcome(outcome, { clusterEnds: opened()?.location === "inside" }));
    return exitCodeOf(outcome);
  });
}

/** Forwards the port of a server beside the wait for its driver. */
function serving(start: ServerStart) {
  const stopped = new AbortController();
  let hasLeft = false;
  let running: Promise<void> = Promise.resolve();
  const serve = async (wait: DriverWait) => {
    const port = await forwardPort(start, wait, stopped.signal);
    if (!start.isDetached || port === undefined) return;
    await startForwarder(start, wait, port);
    announce(start, wait, port);
    hasLeft = true;
  };
  return {
    hasLeft: () => hasLeft,
    start(wait: DriverWait) {
      running = serve(wait);
      // `settled` reports a failure.
      running.then(() => hasLeft && wait.leave(), wait.leave);
    },
    /** @throws the error of forwarding */
    async settled() {
      stopped.abort();
      await running;
    },
  };
}

/** Forwards the port, in detached mode until the server responds. Returns the port if it did. Deletes a server without a port. */
async function forwardPort(start: ServerStart, wait: DriverWait, signal: AbortSignal): Promise<number | undefined> {
  const { host, localPort, isDetached } = start;
  const { clock, random } = host;
  const { client, driver } = wait;
  let readyPort: number | undefined;
  try {
    await serveDriver({
      ...{ client, clock, random, driver, localPort, signal },
      onReady: async (port) => {
        readyPort = port;
        if (isDetached) return "close";
        announce(start, wait, port);
        return "keep";
      },
      onFailure: (reason) => wait.log("WARN", logger, `The server does not respond: ${visibleLine(reason)}`),
    });
    return readyPort;
  } catch (error) {
    const { namespace = "", name = "" } = driver.metadata ?? {};
    await client.delete({ type: resourceTypes.pod, namespace, name });
    throw error;
  }
}

const logger = "SparkConnect";

/** Prints the URL of a server on stdout, for programs, and logs how to use it. */
function announce({ idleSeconds, isDetached }: ServerStart, { driver, stdout, log }: DriverWait, port: number): void {
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const id = `${namespace}:${name}`;
  const url = `sc://127.0.0.1:${port}`;
  const idle = idleSeconds === 0 ? "" : `It ends after ${printSpan(idleSeconds * 1000)} without use. `;
  stdout.write(`${url}\n`);
  log("INFO", logger, `The server ${id} is ready: pyspark --remote ${url}`);
  log("INFO", logger, `${idle}To stop it, ${isDetached ? `run firesteel connect stop ${id}` : "press Ctrl-C"}.`);
}
