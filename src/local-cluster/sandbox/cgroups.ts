import type { Host } from "../../host/host.ts";
import type { ResourceBounds } from "./resource-bounds.ts";
import type { ResourceControl } from "./resource-control.ts";
import type { Watchdog } from "./watchdog.ts";

/** Options of `cgroupControl`. */
export interface CgroupOptions {
  readonly host: Host;
  readonly watchdog: Watchdog;
}

/** Directory of control groups that this process can create groups in. */
interface Hierarchy {
  readonly directory: string;
  /** Whether the hierarchy enforces any of the bounds. */
  readonly applies: (bounds: ResourceBounds) => boolean;
  /** Files of a group and the values to write into them. */
  readonly settings: (bounds: ResourceBounds) => readonly (readonly [file: string, value: string])[];
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
    name: "cgroups",
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
          const isKilled = groups.some(
            ({ path, memoryEvents }) =>
              memoryEvents !== undefined && countOomKills(host, `${path}/${memoryEvents}`) > 0,
          );
          for (const { path } of groups) watchdog.removeGroup(path);
          return isKilled;
        },
      };
    },
  };
}

/** Creates a group. Skips settings that the kernel does not support. */
function makeGroup({ files }: Host, path: string, settings: ReturnType<Hierarchy["settings"]>): void {
  files.makeDirectory(path);
  for (const [file, value] of settings) {
    try {
      if (files.info(`${path}/${file}`) !== undefined) files.write(`${path}/${file}`, value);
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
  const found: Hierarchy[] = [];
  const candidateKinds =
    host.files.info(`${root}/cgroup.controllers`) === undefined ? firstVersion(own) : secondVersion(own);
  for (const { candidates, ...kind } of candidateKinds) {
    for (const candidate of candidates) {
      const directory = `${root}${candidate === "/" ? "" : candidate}/${name}`;
      if (!(await canUse(host, watchdog, directory))) continue;
      makeGroup(host, directory, [["cpu.shares", String(1024 * host.machine.cpus)]]);
      found.push({ ...kind, directory });
      break;
    }
  }
  return found;
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
      settings: ({ memoryBytes: limit }) =>
        limit === undefined
          ? []
          : [
              ["memory.limit_in_bytes", String(limit)],
              ["memory.memsw.limit_in_bytes", String(limit)],
            ],
    },
    {
      candidates: candidates("cpu"),
      memoryEvents: undefined,
      applies: ({ cpuLimitMillis }) => cpuLimitMillis !== undefined,
      settings: (bounds) => [
        ["cpu.shares", String(sharesOf(bounds))],
        ...quota(bounds).map((us) => ["cpu.cfs_quota_us", String(us)] as const),
      ],
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
      settings: (bounds) => [
        ...(bounds.memoryBytes === undefined
          ? []
          : ([
              ["memory.max", String(bounds.memoryBytes)],
              ["memory.swap.max", "0"],
              ["memory.oom.group", "1"],
            ] as const)),
        // Kubernetes' conversion of shares to weights.
        ["cpu.weight", String(1 + Math.floor(((sharesOf(bounds) - 2) * 9999) / 262_142))],
        ...quota(bounds).map((us) => ["cpu.max", `${us} ${quotaPeriodUs}`] as const),
      ],
    },
  ];
}

function sharesOf({ cpuRequestMillis }: ResourceBounds): number {
  return Math.min(262_144, Math.max(2, Math.floor((cpuRequestMillis * 1024) / 1000)));
}

function quota({ cpuLimitMillis }: ResourceBounds): readonly number[] {
  return cpuLimitMillis === undefined ? [] : [Math.max(1000, (cpuLimitMillis * quotaPeriodUs) / 1000)];
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
