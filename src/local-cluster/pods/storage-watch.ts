import type { Host } from "../../host/host.ts";
import type { PodSpec } from "../../kube/types.ts";
import { addQuantities, parseQuantity, printQuantity, quantityUnits } from "../../values/quantity.ts";

/** A folder that may hold only so much. */
export interface LimitedDirectory {
  readonly path: string;
  readonly limitBytes: number;
  /** What to say when it holds more, in the kubelet's words. */
  readonly message: string;
}

/** An empty directory's, unless its limit is none. */
export function limitedVolume(name: string, path: string, limit: string): readonly LimitedDirectory[] {
  const limitBytes = bytesOf(limit);
  const message = `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;
  return limitBytes === undefined ? [] : [{ path, limitBytes, message }];
}

/** All that a pod may leave on disk, when its containers have limits for that. */
export function limitedPod({ containers }: PodSpec, path: string): readonly LimitedDirectory[] {
  const limits = containers.flatMap(({ resources }) => resources?.limits?.["ephemeral-storage"] ?? []);
  const amounts = limits.flatMap((limit) => parseQuantity(limit) ?? []);
  const [first, ...rest] = amounts;
  if (first === undefined) return [];
  const sum = rest.reduce(addQuantities, first);
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${printQuantity(sum)}. `;
  return [{ path, limitBytes: quantityUnits(sum), message }];
}

/** The kubelet looks every ten seconds; here, folders are few. */
const checkIntervalMs = 2000;

/**
 * Looks every other second at what lies in folders, by `du`, as long as none holds too much.
 *
 * @param onTooMuch is called once, with the words of the first that does.
 * @returns how to stop.
 */
export function watchStorage(
  { clock, spawn }: Pick<Host, "clock" | "spawn">,
  directories: readonly LimitedDirectory[],
  onTooMuch: (message: string) => void,
): () => void {
  let isStopped = directories.length === 0;
  let cancel = () => {};
  const check = async () => {
    const sizes = await diskUsage(
      spawn,
      directories.map(({ path }) => path),
    );
    const full = directories.find(({ path, limitBytes }) => (sizes.get(path) ?? 0) > limitBytes);
    if (isStopped) return;
    if (full === undefined) {
      cancel = clock.after(checkIntervalMs, () => void check());
      return;
    }
    isStopped = true;
    onTooMuch(full.message);
  };
  if (!isStopped) cancel = clock.after(checkIntervalMs, () => void check());
  return () => {
    isStopped = true;
    cancel();
  };
}

/** A limit of nothing is none, as with Kubernetes. */
function bytesOf(limit: string): number | undefined {
  const quantity = parseQuantity(limit);
  return quantity === undefined || quantity.nano <= 0n ? undefined : quantityUnits(quantity);
}

/** Bytes on disk, by path. What vanishes meanwhile is not counted. */
async function diskUsage(
  spawn: Host["spawn"],
  paths: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const child = spawn("du", ["-sk", "--", ...paths], { stderr: "ignore" });
  let output = "";
  child.onOutput(1, (chunk) => {
    output += Buffer.from(chunk).toString("utf8");
  });
  await child.exited;
  const lines = output.split("\n").map((line) => line.split("\t"));
  return new Map(lines.map(([size = "", path = ""]) => [path, Number(size) * 1024]));
}
