import type { Host } from "../../host/host.ts";
import type { LaunchOptions } from "./launch.ts";
import type { ResourceBounds, ResourceControl } from "./resource-bounds.ts";
import type { Watchdog } from "./watchdog.ts";

type CgroupOptions = Pick<LaunchOptions, "host" | "watchdog">;

/** Values by file of a group; `undefined` values are not written. */
type Settings = Readonly<Record<string, string | number | undefined>>;

/** Directory of control groups that this process can create groups in. */
interface Hierarchy {
  readonly directory: string;
  /** Whether the hierarchy enforces any of the bounds. */
  readonly applies: (bounds: ResourceBounds) => boolean;
  /** Files of a group and the values to write into them. */
  readonly settings: (bounds: ResourceBounds) => Settings;
  /** Name of the file with a line `oom_kill N`. */
  readonly memoryEvents: string | undefined;
}

const root = "/sys/fs/cgroup";
const quotaPeriodUs = 100_000;

/**
 * Enforces container limits by the kernel's control groups (v1 or v2) where this process can create groups: as root,
 * or below a group that the session manager delegated. Verifies each candidate by moving a process into it.
 *
 * @returns `undefined` where no group can be created.
 */
export async function cgroupControl(options: CgroupOptions): Promise<ResourceControl | undefined> {
  const { host, watchdog } = options;
  const hierarchies = await findHierarchies(options);
  if (hierarchies.length === 0) return undefined;
  let count = 0;
  return {
    confine(bounds) {
      count += 1;
      // A group competes with the other programs of this machine as a single program: create one only if needed.
      const groups = hierarchies
        .filter(({ applies }) => applies(bounds))
        .map((hierarchy) => ({ ...hierarchy, path: `${hierarchy.directory}/${count}` }));
      for (const { path, settings } of groups) makeGroup(host, path, settings(bounds));
      return {
        enter: (command, args) => enterArgs(groups, [command, ...args]),
        onStarted() {},
        end() {
          const events = groups.flatMap(({ path, memoryEvents }) => (memoryEvents ? `${path}/${memoryEvents}` : []));
          const isKilled = events.some((file) => countOomKills(host, file) > 0);
          for (const { path } of groups) watchdog.removeGroup(path);
          return isKilled;
        },
      };
    },
  };
}

/** Creates a group. Skips settings that the kernel does not support. */
function makeGroup({ files }: Host, path: string, settings: Settings): void {
  files.makeDirectory(path);
  for (const [file, value] of Object.entries(settings)) {
    try {
      if (value !== undefined && files.info(`${path}/${file}`)) files.write(`${path}/${file}`, String(value));
    } catch {
      // Denied, e.g. because a parent group allows less.
    }
  }
}

function enterArgs(groups: readonly { readonly path: string }[], args: readonly string[]) {
  const [first = "", ...rest] = args;
  if (groups.length === 0) return [first, ...rest] as const;
  const moves = groups.map((_, index) => `echo $$ > "$${index + 1}/cgroup.procs"`).join(" && ");
  const script = `${moves} && shift ${groups.length} && exec "$@"`;
  return ["/bin/sh", "-c", script, "sh", ...groups.map(({ path }) => path), ...args] as const;
}

function countOomKills({ files }: Host, path: string): number {
  return Number(/^oom_kill (\d+)/m.exec(files.readText(path) ?? "")?.[1] ?? 0);
}

async function findHierarchies({ host, watchdog }: CgroupOptions): Promise<readonly Hierarchy[]> {
  const own = host.files.readText("/proc/self/cgroup") ?? "";
  const name = `firesteel-${watchdog.mark.slice(0, 8)}`;
  const kinds = host.files.info(`${root}/cgroup.controllers`) === undefined ? firstVersion(own) : secondVersion(own);
  const found = kinds.map(async ({ candidates, ...kind }): Promise<readonly Hierarchy[]> => {
    for (const candidate of candidates) {
      const directory = `${root}${candidate === "/" ? "" : candidate}/${name}`;
      if (!(await canUse(host, watchdog, directory))) continue;
      makeGroup(host, directory, { "cpu.shares": 1024 * host.machine.cpus });
      return [{ ...kind, directory }];
    }
    return [];
  });
  return (await Promise.all(found)).flat();
}

type HierarchyKind = Omit<Hierarchy, "directory"> & { readonly candidates: readonly string[] };

/** Lists v1 candidates below the current group, or below the mount's root if the current group is not visible. */
function firstVersion(own: string): readonly HierarchyKind[] {
  const candidates = (controller: string) => {
    const path = new RegExp(`^\\d+:(?:[^:\\n]*,)?${controller}(?:,[^:\\n]*)?:(.*)$`, "m").exec(own)?.[1] ?? "/";
    return [`/${controller}${path === "/" ? "" : path}`, `/${controller}`];
  };
  return [
    {
      candidates: candidates("memory"),
      memoryEvents: "memory.oom_control",
      applies: ({ memoryBytes }) => memoryBytes !== undefined,
      settings: ({ memoryBytes: limit }) => ({ "memory.limit_in_bytes": limit, "memory.memsw.limit_in_bytes": limit }),
    },
    {
      candidates: candidates("cpu"),
      memoryEvents: undefined,
      applies: ({ cpuLimitMillis }) => cpuLimitMillis !== undefined,
      settings: (bounds) => ({ "cpu.shares": sharesOf(bounds), "cpu.cfs_quota_us": quotaUs(bounds) }),
    },
  ];
}

/** Lists v2 candidates next to the current group or above it: a group with processes cannot have child groups. */
function secondVersion(own: string): readonly HierarchyKind[] {
  const names = (/^0::\/(.*)$/m.exec(own)?.[1] ?? "").split("/").filter(Boolean);
  const candidates = names.map((_, index) => `/${names.slice(0, names.length - index - 1).join("/")}`);
  return [
    {
      candidates: candidates.length === 0 ? ["/"] : candidates,
      memoryEvents: "memory.events",
      applies: ({ memoryBytes, cpuLimitMillis }) => memoryBytes !== undefined || cpuLimitMillis !== undefined,
      settings(bounds) {
        const { memoryBytes } = bounds;
        const quota = quotaUs(bounds);
        return {
          ...(memoryBytes && { "memory.max": memoryBytes, "memory.swap.max": 0, "memory.oom.group": 1 }),
          // Kubernetes' conversion of shares to weights.
          "cpu.weight": 1 + Math.floor(((sharesOf(bounds) - 2) * 9999) / 262_142),
          "cpu.max": quota && `${quota} ${quotaPeriodUs}`,
        };
      },
    },
  ];
}

function sharesOf({ cpuRequestMillis }: ResourceBounds): number {
  return Math.min(262_144, Math.max(2, Math.floor((cpuRequestMillis * 1024) / 1000)));
}

function quotaUs({ cpuLimitMillis }: ResourceBounds): number | undefined {
  return cpuLimitMillis && Math.max(1000, (cpuLimitMillis * quotaPeriodUs) / 1000);
}

/** Returns whether a group can be created there, supports memory or CPU limits, and accepts a process. */
async function canUse({ files, spawn }: Host, watchdog: Watchdog, directory: string): Promise<boolean> {
  const trial = `${directory}/trial`;
  try {
    if (files.info(directory.slice(0, directory.lastIndexOf("/"))) === undefined) return false;
    files.makeDirectory(directory);
    watchdog.watchGroup(directory);
    const children = `${directory}/cgroup.subtree_control`;
    if (files.info(children) !== undefined) files.write(children, "+memory +cpu");
    files.makeDirectory(trial);
    const { code } = await spawn("/bin/sh", ["-c", 'echo $$ > "$1/cgroup.procs"', "sh", trial], {
      ...{ stdout: "ignore", stderr: "ignore" },
    }).ended;
    return code === 0;
  } catch {
    return false;
  } finally {
    watchdog.removeGroup(trial);
  }
}
