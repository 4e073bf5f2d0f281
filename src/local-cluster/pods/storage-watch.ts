import type { Host } from "../../host/host.ts";
import { parseQuantity } from "../../values/quantity.ts";

/** A folder that may hold only so much. */
export interface LimitedFolder {
  readonly path: string;
  /** As its owner wrote it, e.g. `500Mi`. */
  readonly limit: string;
  /** Of the volume. */
  readonly name: string;
}

/** The kubelet looks every ten seconds; here, folders are few. */
const lookEveryMs = 2000;

/**
 * Looks every other second at what lies in folders, by `du`, as long as none holds too much.
 *
 * @param onTooMuch is called once, in the kubelet's words: `Usage of EmptyDir volume "v" exceeds the limit "1Mi". `
 * @returns how to stop.
 */
export function watchStorage(
  { clock, spawn }: Pick<Host, "clock" | "spawn">,
  folders: readonly LimitedFolder[],
  onTooMuch: (message: string) => void,
): () => void {
  let isOver = folders.length === 0;
  let cancel = () => {};
  const look = async () => {
    const sizes = await diskUsage(
      spawn,
      folders.map(({ path }) => path),
    );
    const full = folders.find(({ path, limit }) => (sizes.get(path) ?? 0) > bytes(limit));
    if (isOver) return;
    if (full === undefined) {
      cancel = clock.after(lookEveryMs, () => void look());
      return;
    }
    isOver = true;
    onTooMuch(`Usage of EmptyDir volume "${full.name}" exceeds the limit "${full.limit}". `);
  };
  if (!isOver) cancel = clock.after(lookEveryMs, () => void look());
  return () => {
    isOver = true;
    cancel();
  };
}

function bytes(limit: string): number {
  const nano = parseQuantity(limit)?.nano ?? 0n;
  // Nothing is no limit, as with Kubernetes.
  return nano <= 0n ? Number.POSITIVE_INFINITY : Number(nano / 1_000_000_000n);
}

/** Bytes on disk, by path. What vanishes meanwhile is not counted. */
async function diskUsage(
  spawn: Host["spawn"],
  paths: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const child = spawn("du", ["-sk", "--", ...paths], { stderr: "ignore" });
  let out = "";
  child.onOutput(1, (chunk) => {
    out += Buffer.from(chunk).toString("utf8");
  });
  await child.exited;
  const lines = out.split("\n").map((line) => line.split("\t"));
  return new Map(lines.map(([size = "", path = ""]) => [path, Number(size) * 1024]));
}
