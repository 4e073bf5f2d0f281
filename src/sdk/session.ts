import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import { nodeHost } from "../host/node-host.ts";
import type { Pod } from "../kube/types.ts";
import { sharedConnections } from "../kube-client/shared-connections.ts";
import { findCluster } from "../masters/kubernetes/connect/find-cluster.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import { withSparkEnv } from "../resolve/spark-env.ts";
import type { Application } from "./application.ts";
import { archiveAsConfigured } from "./archive-as-configured.ts";
import type { FiresteelEnvironment } from "./client-options.ts";
import { type Cluster, type Clusters, sharedClusters } from "./clusters.ts";
import { followApplication } from "./follow-application.ts";
import { libraryHost, libraryLog } from "./library-host.ts";
import type { AnyFiresteelOptions } from "./to-invocation.ts";

/** Machine, connections and applications that all calls of one client share. */
export interface Session {
  readonly log: Log;
  /** Returns the machine with the environment that Spark's shell scripts prepare. @throws SUBMIT_ERR_SPARK_ENV */
  readonly host: () => Promise<Host>;
  readonly clusters: () => Promise<Clusters>;
  /** Follows a driver. */
  readonly follow: (driver: FollowedDriver) => Promise<Application>;
  /** Aborts when the client is closed. */
  readonly closed: AbortSignal;
  readonly close: () => Promise<void>;
}

interface FollowedDriver {
  readonly cluster: Cluster;
  readonly pod: Pod;
  readonly appName?: string | undefined;
  readonly commandLine: CommandLineSettings;
  /** `asConfigured`: the handle archives the application if its settings say so. @default "never": another process archives it */
  readonly archives?: "asConfigured" | "never";
}

function hasEnded({ state }: Application): boolean {
  return state === "succeeded" || state === "failed" || state === "deleted";
}

/** Creates the session of a client. Nothing is read or connected yet. */
export function openSession(options: AnyFiresteelOptions, environment: FiresteelEnvironment): Session {
  const machine = libraryHost(environment.host ?? nodeHost(), options);
  const log = libraryLog(options.log);
  const connections = sharedConnections();
  const { openClient = connections.openClient } = environment;
  const applications = new Set<Application>();
  const closed = new AbortController();
  let prepared: Promise<Host> | undefined;
  let shared: Promise<Clusters> | undefined;
  const host = () => (prepared ??= withSparkEnv(machine));
  const clusters = async () =>
    sharedClusters({ host: await host(), log, openClient, credentials: options.credentials });
  const session: Session = {
    log,
    host,
    clusters: () => (shared ??= clusters()),
    async follow({ cluster, pod: existing, appName, commandLine, archives }) {
      const [machine, { openClient: open }] = [await host(), await session.clusters()];
      closed.signal.throwIfAborted();
      const ended: (() => void)[] = [];
      const application = followApplication(
        {
          ...{ host: machine, log, cluster, pod: existing, appName, commandLine, openClient: open(() => {}) },
          async removeUploads(pod) {
            const { conf } = await findCluster({ host: machine, commandLine });
            const { removeUploadsAtEnd } = await import("../masters/kubernetes/stage/uploads/remove-uploads.ts");
            await removeUploadsAtEnd({ host: machine, owner: { conf }, client: cluster.client, log }, pod);
          },
          archive:
            archives === "asConfigured"
              ? (pod, signal) => archiveAsConfigured({ host: machine, log, cluster, commandLine }, pod, signal)
              : async () => {},
        },
        () => {
          for (const remove of ended) remove();
        },
      );
      // One that has ended before is not followed.
      if (hasEnded(application)) return application;
      applications.add(application);
      ended.push(() => applications.delete(application));
      return application;
    },
    closed: closed.signal,
    async close() {
      closed.abort(new DOMException("The client is closed.", "AbortError"));
      for (const application of applications) application.close();
      (await shared?.catch(() => undefined))?.close();
      connections.close();
    },
  };
  return session;
}
