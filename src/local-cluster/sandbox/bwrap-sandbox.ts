import type { Host } from "../../host/host.ts";
import { parentOf } from "./container-path.ts";
import { type Identity, limitCapabilities, switchUser, withoutNewPrivileges } from "./identity.ts";
import { kernelPaths } from "./kernel-paths.ts";
import {
  identityChecks,
  makeMountPoints,
  readOnlyTargets,
  withMountPoints,
  withWritableLayer,
} from "./mount-points.ts";
import { mountAt } from "./mounted-path.ts";
import {
  enterImage,
  enterNamespaces,
  type NamespaceEntry,
  namespaceSandbox,
  type SandboxOptions,
  withShell,
} from "./namespace-sandbox.ts";
import { imageDirectory, type RootFilesystem, rootFilesystem } from "./root-filesystem.ts";
import type { ContainerProcess, Mount, Sandbox } from "./sandbox.ts";
import { restoreEnvironment } from "./shell-environment.ts";
import { sandboxMark } from "./watchdog.ts";

/** Runs containers by bubblewrap (0.5 or later). */
export function bwrapSandbox(options: SandboxOptions): Sandbox {
  return namespaceSandbox("bwrap", options, (container) => {
    let init: number | undefined;
    let exitCode: number | undefined;
    return {
      ...bwrapCommand(options, container),
      readStatus(line) {
        init ??= numberAfter(/"child-pid": *(\d+)/, line);
        exitCode ??= numberAfter(/"exit-code": *(\d+)/, line);
        return init !== undefined;
      },
      init: () => init,
      exitCode: () => exitCode,
      // bwrap reports no exit code when the command never ran.
      hasRun: () => exitCode !== undefined,
      entry: namespaceEntry(options, container),
    };
  });
}

function numberAfter(pattern: RegExp, line: string): number | undefined {
  const digits = pattern.exec(line)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Builds the bwrap command of a container. An image's own root filesystem is assembled first, in a mount namespace
 * that only bwrap and the container see.
 */
function bwrapCommand({ host, identity, program }: SandboxOptions, container: ContainerProcess) {
  const root = rootFilesystem(host.files, container);
  if (root === undefined) return { command: program, args: bwrapArguments(host, identity, container) };
  const script = [
    "container_path=$PATH",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ...root.lines,
    'PATH=$container_path exec "$@"',
  ];
  return {
    command: "/usr/bin/unshare",
    args: [
      "--mount",
      ...(identity === "mapped" ? ["--user", "--map-root-user"] : []),
      ...["--", "/bin/sh", "-ec", script.join("\n"), "sh", program],
      ...imageArguments(host, container, root),
    ],
  };
}

/** Builds bwrap's arguments for a container on this machine's programs, including the container's command. */
function bwrapArguments({ files }: Host, identity: Identity, container: ContainerProcess): string[] {
  const { uid, gid, workingDirectory } = container;
  const mounts = prepareMounts(files, container, workingDirectory);
  return [
    ...namespaceArguments(container),
    ...(identity === "mapped" ? ["--unshare-user", "--uid", String(uid), "--gid", String(gid)] : []),
    ...["--proc", "/proc", ...kernelPathArguments(files, "")],
    ...(identity === "mapped" ? devices : ["--dev", "/dev"]),
    ...["--perms", "1777", "--tmpfs", "/dev/shm"],
    ...mountArguments(mounts, workingDirectory),
    ...readOnlyTargets(container, mounts, "/").flatMap((target) => ["--remount-ro", target]),
    ...["--chdir", workingDirectory],
    "--",
    ...checkedPrefix(mounts),
    ...(identity === "switched" ? switchUser(container) : []),
    ...restoreEnvironment(container.env),
    ...container.command,
  ];
}

/** Builds bwrap's arguments for a container on an image's own files; user 0 of a namespace runs bwrap. */
function imageArguments({ files }: Host, container: ContainerProcess, root: RootFilesystem): string[] {
  const { mountPoint, workingDirectory, prefix } = root;
  const mounts = prepareMounts(files, { ...container, mounts: root.mounts }, workingDirectory);
  return [
    ...namespaceArguments(container),
    // Since Linux 5.12, a process without this capability cannot map user 0. The new user namespace is without it.
    ...["--cap-drop", "ALL", "--cap-add", "CAP_SETFCAP"],
    ...["--bind", mountPoint, imageDirectory],
    ...["--proc", `${imageDirectory}/proc`, ...kernelPathArguments(files, imageDirectory)],
    ...["--dev", `${imageDirectory}/dev`],
    ...["--perms", "1777", "--tmpfs", `${imageDirectory}/dev/shm`],
    ...mountArguments(mounts, workingDirectory),
    ...readOnlyTargets(container, mounts, imageDirectory).flatMap((target) => ["--remount-ro", target]),
    "--",
    ...checkedPrefix(mounts),
    ...prefix,
    ...container.command,
  ];
}

function prepareMounts(files: Host["files"], container: ContainerProcess, workingDirectory: string): readonly Mount[] {
  const mounts = withMountPoints(files, withWritableLayer(files, container), workingDirectory);
  return makeMountPoints(files, mounts, workingDirectory);
}

/** Returns the command prefix that checks the mounts before the container's command runs. */
function checkedPrefix(mounts: readonly Mount[]): string[] {
  const checks = identityChecks(mounts);
  return checks.length === 0 ? [] : ["/bin/sh", "-c", [...checks, 'exec "$@"'].join("\n"), "sh"];
}

function namespaceArguments({ hostname }: ContainerProcess): string[] {
  return [
    "--die-with-parent",
    "--new-session",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...["--hostname", hostname],
    ...["--json-status-fd", "3"],
    ...["--unsetenv", sandboxMark],
  ];
}

/** Protects the kernel's paths in the new `/proc`; bwrap itself protects only those that are writable directories. */
function kernelPathArguments(files: Host["files"], root: string): string[] {
  const { readOnly, maskedFiles, maskedDirectories } = kernelPaths(files);
  return [
    ...readOnly.flatMap((path) => ["--ro-bind", path, root + path]),
    ...maskedFiles.flatMap((path) => ["--dev-bind", "/dev/null", root + path]),
    ...maskedDirectories.flatMap((path) => ["--tmpfs", root + path, "--remount-ro", root + path]),
  ];
}

/**
 * Device mounts without `--dev` (a private devpts): with it, bwrap creates a second user namespace inside the first,
 * and no other process can enter the mounts, which belong to the first. So containers of an unprivileged user have no
 * terminals.
 */
const devices = [
  ...["--perms", "0755", "--tmpfs", "/dev"],
  ...["null", "zero", "full", "random", "urandom", "tty"]
    .map((name) => `/dev/${name}`)
    .flatMap((device) => ["--dev-bind", device, device]),
  ...["--symlink", "/proc/self/fd", "/dev/fd"],
  ...["stdin", "stdout", "stderr"].flatMap((name, index) => ["--symlink", `/proc/self/fd/${index}`, `/dev/${name}`]),
];

/** Returns how an additional command enters the container; an image's own root may lack every helper program. */
function namespaceEntry({ host, identity }: SandboxOptions, container: ContainerProcess): NamespaceEntry {
  const root = rootFilesystem(host.files, container);
  if (root !== undefined) return enterImage(identity, root, container.env);
  const mapped = container.uid === 0 ? limitCapabilities({ capabilities: [] }) : withoutNewPrivileges;
  const prefix = identity === "switched" ? switchUser(container) : mapped;
  return enterNamespaces(identity, withShell(container, prefix));
}

function mountArguments(mounts: readonly Mount[], workingDirectory: string): string[] {
  const made = new Set(["/"]);
  // By default, bwrap creates missing directories that only their owner can enter.
  const parentDirectories = (path: string): string[] => {
    const mount = mountAt(mounts, path);
    // In a bind mount, it exists.
    if (made.has(path) || mount?.kind === "bind") return [];
    made.add(path);
    return [...parentDirectories(parentOf(path)), "--perms", "0755", "--dir", path];
  };
  return [
    ...mounts.flatMap((mount) => [...parentDirectories(parentOf(mount.target)), ...mountArgument(mount)]),
    ...parentDirectories(workingDirectory),
  ];
}

function mountArgument(mount: Mount): string[] {
  switch (mount.kind) {
    case "bind":
      return [mount.readOnly ? "--ro-bind" : "--bind", mount.source, mount.target];
    case "temporary":
      return ["--perms", mount.mode.toString(8).padStart(4, "0"), "--tmpfs", mount.target];
    case "link":
      return ["--symlink", mount.to, mount.target];
  }
}
