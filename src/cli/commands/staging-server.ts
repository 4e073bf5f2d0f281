import type { Host } from "../../host/host.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseOptions } from "../parse-options.ts";
import { optionTexts, readServerProperties, stagingOptions, variableOf } from "./staging-server/option-texts.ts";
import { serverSettings } from "./staging-server/server-settings.ts";

const describedOptions: ReadonlySet<string> = new Set([
  ...["store", "host", "port", "auth", "owners", "api-server", "tls-key", "tls-cert"],
]);

/** Options without a description in the usage text, which documentation describes. */
const furtherOptions = stagingOptions
  .filter((option) => !describedOptions.has(option))
  .map((option) => `  --${option} VALUE\n`)
  .join("");

const stagingServerUsage = `Usage: firesteel staging-server --store DIR [options] [FILE]

Store the files of submissions until their pods are deleted, and serve them to the pods' init containers.
Run until SIGTERM or SIGINT. Log to stdout, one line of JSON per entry.

Options:
  --store DIR             storage: a directory, s3://BUCKET/DIR, or hdfs://HOST/DIR
  --host ADDRESS          address to listen on (default: 0.0.0.0)
  --port NUMBER           port to listen on; 0 is any free port (default: 10000)
  --auth MODE             kubernetes: any account that can create pods in the namespace; none: any client
                          (default: kubernetes)
  --owners MODE           kubernetes: files live as long as their pods; none: files live until they expire
                          (default: kubernetes)
  --api-server URL        Kubernetes API (default: https://kubernetes.default.svc, with the service account of the pod)
  --tls-key FILE          private key as PEM; with --tls-cert, it enables TLS
  --tls-cert FILE         certificate as PEM
  FILE                    properties file, as for the staging server of Spark on Kubernetes 2.2

Further options:
${furtherOptions}
See docs/staging-server-options.md for them. Each option is also an environment variable, e.g.
${variableOf("max-blob-size")} for --max-blob-size, and a key of the properties file. The command line overrides the
environment, which overrides the file.
`;

/** Runs `firesteel staging-server` until a signal arrives. @returns the exit code */
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
  const { properties, issues: problems } = readServerProperties(host, flags.positionals[0]);
  const texts = optionTexts(host, (option) => flags.value(`--${option}`), properties);
  const settings = serverSettings(texts, { cwd: host.cwd, problems });
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
