import type { ApplicationRun } from "../../applications/application-run.ts";
import type { AppliedApplication } from "../../applications/applied-application.ts";
import { submittedApplication } from "../../applications/submitted-application.ts";
import type { Host } from "../../host/host.ts";
import { sparkLog } from "../../host/log.ts";
import { printMaster } from "../../masters/kubernetes/connect/connection-options.ts";
import { withClient } from "../../masters/kubernetes/connect/with-client.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import type { CommandLineSettings } from "../../plan/invocation.ts";
import { orRunningCluster } from "../default-master.ts";
import type { EmbeddedConnection } from "../embedded.ts";
import { localSpark, withEmbedded, withLauncherEnvironment } from "../environment.ts";
import { profileSettings } from "../profiles/with-profile.ts";

/** Inputs of a connection to the cluster of an application. */
interface RunInput {
  readonly host: Host;
  readonly application: AppliedApplication;
  readonly commandLine: CommandLineSettings;
  readonly openClient?: OpenClient | undefined;
  /** Connects to the embedded cluster. @default starts one inside this process if none runs in the background */
  readonly connect?: typeof withEmbedded | undefined;
}

/** Connects to the cluster of an application: that of the command line, else of its file, else of the kubeconfig, else the embedded one that runs. */
export async function withRun<T>(
  { host, application, commandLine, openClient, connect = withEmbedded }: RunInput,
  use: (run: ApplicationRun, opened: () => EmbeddedConnection | undefined) => Promise<T>,
): Promise<T> {
  const machine = await withLauncherEnvironment(host);
  const master = commandLine.fields.master ?? application.master;
  const name = commandLine.fields.profile ?? application.profile;
  const profile = name === undefined ? [] : await profileSettings(host, name);
  const fields = { ...commandLine.fields, ...(master !== undefined && { master }) };
  const specified = { ...commandLine, fields, settings: [...profile, ...commandLine.settings] };
  const settings = await orRunningCluster(machine, specified);
  return connect(machine, (openEmbedded, opened) => {
    const call = { host: machine, commandLine: settings, openEmbedded, openClient, log: sparkLog(machine, "WARN") };
    return withClient(call, { entries: [] }, async ({ client, cluster }) => {
      const overrides = { ...commandLine, profile, fields: { ...fields, master: printMaster(cluster) } };
      const input = { host: machine, overrides, localSpark: await localSpark(machine) };
      const submitted = submittedApplication(input, application);
      return use({ ...input, client, application: submitted, openEmbedded, openClient }, opened);
    });
  });
}
