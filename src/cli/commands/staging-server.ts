import type { Host } from "../../host/host.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest, parseOptions } from "../parse-options.ts";
import {
  optionTexts,
  readServerProperties,
  stagingOptions,
  variableOf,
} from "./staging-server/option-texts.ts";
import { serverSettings } from "./staging-server/server-settings.ts";

/** What `firesteel staging-server --help` shows. */
const stagingServerUsage = `Usage: firesteel staging-server --store PLACE [options] [PROPERTIES]

Keeps files of submissions until the pods that need them are gone, and gives these to the init containers of the pods.
Serves until SIGTERM or SIGINT; logs to stdout, a line of JSON each.

Options:
  --store PLACE           where everything is kept: a folder, or s3://bucket/folder
  --host ADDRESS          the address to listen on (default: 0.0.0.0)
  --port NUMBER           the port; 0: any free one (default: 10000)
  --auth WHO              kubernetes: whoever may create pods in the namespace (default); none: everybody
  --owners WAY            kubernetes: files stay as long as the pods (default); none: until their time is over
  --api-server URL        the cluster (default: https://kubernetes.default.svc, as the service account of the pod)
  --tls-key FILE          PEM of the key; with --tls-cert FILE, the server speaks TLS
  PROPERTIES              a file with settings, as the staging server of Spark on Kubernetes 2.2 had it

docs/staging-server-options.md has all options. Each is also a variable, e.g. ${variableOf("max-blob-size")} for
--max-blob-size, and a setting of the file; the command line wins over the environment, which wins over the file.
`;

/** `firesteel staging-server …`: serves until a signal comes; gives the exit code. */
export async function runStagingServerCommand(host: Host, args: readonly string[]): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(stagingServerUsage);
    return exitCodes.ok;
  }
  const flags = parseOptions(args, {
    flags: [],
    values: stagingOptions.map((option) => `--${option}` as const),
    maxPositionals: 1,
  });
  const { properties, issues: problems } = readServerProperties(host, flags.words[0]);
  const given = optionTexts(host, (option) => flags.value(`--${option}`), properties);
  const settings = serverSettings(given, { cwd: host.cwd, problems });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) host.onSignal(signal, resolve);
  });
  const { openStagingServer } = await import("../../staging-server/index.ts");
  const server = await openStagingServer(host, settings);
  host.stderr.write(`Resource staging server started on port ${server.port}.\n`);
  await stopped;
  await server.stop();
  return exitCodes.ok;
}
