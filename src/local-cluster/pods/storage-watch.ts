import type { Host } from "../../host/host.ts";
import { runCommand } from "../../host/run-command.ts";
import type { PodSpec } from "../../kube/types.ts";
import { addQuantities, parseQuantity, printQuantity, quantityUnits } from "../../values/quantity.ts";

/** Directory with a size limit. */
export interface LimitedDirectory {
  readonly path: string;
  readonly limitBytes: number;
  /** The kubelet's message when the limit is exceeded. */
  readonly message: string;
}

/** Returns the limit of an emptyDir volume; empty when it is zero or invalid. */
export function limitedVolume(name: string, path: string, limit: string): readonly LimitedDirectory[] {
  const limitBytes = bytesOf(limit);
  const message = `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;
  return limitBytes === undefined ? [] : [{ path, limitBytes, message }];
}

/** Returns the limit on a pod's disk usage, if its containers have limits. */
export function limitedPod({ containers }: PodSpec, path: string): readonly LimitedDirectory[] {
  const limits = containers.flatMap(({ resources }) => resources?.limits?.["ephemeral-storage"] ?? []);
  const amounts = limits.flatMap((limit) => parseQuantity(limit) ?? []);
  const [first, ...rest] = amounts;
  if (first === undefined) return [];
  const sum = rest.reduce(addQuantities, first);
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${printQuantity(sum)}. `;
  return [{ path, limitBytes: quantityUnits(sum), message }];
}

/** The kubelet checks every 10 s; here, a more frequent check is cheap because directories are few. */
const checkIntervalMs = 2000;

/**
 * Checks the size of directories every 2 s by `du`, until one exceeds its limit.
 *
 * @param onLimitExceeded is called once, with the message of the first directory that exceeds its limit.
 * @returns a function that stops the watch.
 */
export function watchStorage(
  host: Host,
  directories: readonly LimitedDirectory[],
  onLimitExceeded: (message: string) => void,
): () => void {
  let isStopped = directories.length === 0;
  let cancel = () => {};
  const check = async () => {
    const sizes = await diskUsage(host, directories);
    const full = directories.find(({ path, limitBytes }) => (sizes.get(path) ?? 0) > limitBytes);
    if (isStopped) return;
    if (full === undefined) {
      cancel = host.clock.after(checkIntervalMs, () => void check());
      return;
    }
    isStopped = true;
    onLimitExceeded(full.message);
  };
  if (!isStopped) cancel = host.clock.after(checkIntervalMs, () => void check());
  return () => {
    isStopped = true;
    cancel();
  };
}

/** Parses a limit; a limit of zero means no limit, as in Kubernetes. */
function bytesOf(limit: string): number | undefined {
  const quantity = parseQuantity(limit);
  return quantity === undefined || quantity.nano <= 0n ? undefined : quantityUnits(quantity);
}

/** Returns bytes on disk by path, ignoring files that disappear during the scan. */
async function diskUsage(host: Host, directories: readonly LimitedDirectory[]): Promise<ReadonlyMap<string, number>> {
  const { stdout } = await runCommand(host, ["du", "-sk", "--", ...directories.map(({ path }) => path)]);
  const lines = stdout.split("\n").map((line) => line.split("\t"));
  return new Map(lines.map(([size = "", path = ""]) => [path, Number(size) * 1024]));
}
