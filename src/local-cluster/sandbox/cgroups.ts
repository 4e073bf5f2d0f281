import type { Host } from "../../host/host.ts";
import type { ResourceBounds } from "./resource-bounds.ts";
import type { ResourceControl } from "./resource-control.ts";
import type { Watchdog } from "./watchdog.ts";

/** What the control groups of a machine need. */
export interface CgroupOptions {
  readonly host: Host;
  readonly watchdog: Watchdog;
}

/** A folder of control groups that we may make others in. */
interface Hierarchy {
  readonly directory: string;
  /** Whether there is something to hold. */
  readonly applies: (bounds: ResourceBounds) => boolean;
  /** What to write into which file of a group. */
  readonly settings: (bounds: ResourceBounds) => readonly (readonly [file: string, value: string])[];
  /** File with a line `oom_kill N`. */
  readonly memoryEvents: string | undefined;
}

const root = "/sys/fs/cgroup";
const quotaPeriodUs = 100_000;

/**
 * Holds containers to their bounds by the kernel's control groups, of either version, where we may make some: as root,
 * or where the session's manager left a part of them to us. Each way is tried by moving a process.
 *
 * @returns `undefined` where we may not.
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
      // A group competes with the other programs of this machine as if it were one of them: none without need.
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

/** Not every kernel has every file: what cannot be held is not. */
function makeGroup({ files }: Host, path: string, settings: ReturnType<Hierarchy["settings"]>): void {
  files.makeDirectory(path);
  for (const [file, value] of settings) {
    try {
      if (files.info(`${path}/${file}`) !== undefined) files.write(`${path}/${file}`, value);
    } catch {
      // Refused, e.g. because a group above allows less.
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

/** Groups below our own, or below the mount's root where our own is not shown. */
function firstVersion(own: string): readonly HierarchyKind[] {
  const candidates = (controller: string) => {
    const path =
      new RegExp(`^\\d+:(?:[^:\\n]*,)?${controller}(?:,[^:\\n]*)?:(.*)$`, "m").exec(own)?.[1] ?? "/";
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

/** Beside our own group or above it: one with processes can have none below it. */
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
        // Kubernetes' way from shares to weights.
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

/** Whether a group can be made there, can hold memory or CPUs, and takes a process. */
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
