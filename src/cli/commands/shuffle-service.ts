import type { Host } from "../../host/host.ts";
import { startWithSmallHeap } from "../../host/small-heap.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parseOptions } from "../parse-options.ts";
import { readServiceProperties, type ServiceOption, serviceOptions } from "./shuffle-service/service-properties.ts";
import { serviceSettings } from "./shuffle-service/service-settings.ts";

const shuffleServiceUsage = `Usage: firesteel shuffle-service [options]

Serve the shuffle files of executors on this machine, so that executors can end while others still need their output.
Replaces the external shuffle service of Spark 3.5 to 4.3, without a JVM. Run until SIGTERM or SIGINT. Log to stdout, one
line of JSON per entry.

Options:
  --properties-file FILE  Spark properties: spark.authenticate (required), secrets, and all other settings
  --directories DIR,...   directories that contain the local directories of executors (required)
  --state-dir DIR         directory for the registrations of executors, which survive a restart there
  --secrets-dir DIR       directory with a file for each application, which contains its secret
  --port NUMBER           port to listen on; 0 is any free port (default: 7337)
  --host ADDRESS          address to listen on (default: all addresses)
  --metrics-port NUMBER   port of /metrics, /healthz and /readyz
  --metrics-host ADDRESS  address of this port (default: as --host)
  --max-connections COUNT, --open-files COUNT
                          limits of open connections and of unused open files
  --buffer-memory SIZE, --request-memory SIZE
                          limits of the memory for file content and for requests
  --drain DURATION        time for running transfers when the service stops (default: 10s)
  --handshake-timeout DURATION
                          time in which a client must authenticate (default: 30s)
  --clean MODE            kubernetes: remove the files of applications whose driver pod has ended; none (default: none)
  --api-server URL        Kubernetes API for --clean kubernetes (default: https://kubernetes.default.svc)
  --namespace NAME        namespace of all drivers (default: all namespaces)
  --retention DURATION, --absence DURATION, --client-mode-absence DURATION, --clean-interval DURATION
                          times of the cleaner

See docs/shuffle-service.md for all settings. Options override the properties file.
`;

/** Size of the space for new objects beyond which fetches of small blocks become hardly faster. */
const newSpaceBytes = 4 * 1024 * 1024;

/** Runs `firesteel shuffle-service` until a signal arrives. @returns the exit code */
export async function runShuffleServiceCommand(host: Host, args: readonly string[]): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(shuffleServiceUsage);
    return exitCodes.ok;
  }
  const flags = parseOptions(args, {
    flags: [],
    values: ["--properties-file", ...serviceOptions.map((option) => `--${option}` as const)],
    maxPositionals: 0,
  });
  const { properties, issues } = readServiceProperties(host, flags.value("--properties-file"));
  const flag = (option: ServiceOption) => flags.value(`--${option}`);
  const settings = serviceSettings({ flag, properties }, { cwd: host.cwd, problems: issues });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) host.onSignal(signal, resolve);
  });
  const { openShuffleService } = await import("../../shuffle-service/index.ts");
  const service = await openShuffleService(host, settings);
  startWithSmallHeap(newSpaceBytes);
  host.stderr.write(`Shuffle service started on port ${service.port}.\n`);
  await stopped;
  await service.stop();
  return exitCodes.ok;
}
