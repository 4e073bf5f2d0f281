import type { Host } from "../../host/host.ts";
import { parentOf } from "./container-path.ts";
import { type Identity, limitCapabilities, mapUser, switchUser } from "./identity.ts";
import { kernelPaths } from "./kernel-paths.ts";
import { dropsCapabilities } from "./limited-root.ts";
import {
  identityChecks,
  makeMountPoints,
  readOnlyTargets,
  withMountPoints,
  withWritableLayer,
  writableCover,
} from "./mount-points.ts";
import {
  enterImage,
  enterNamespaces,
  firstChild,
  type NamespaceEntry,
  namespaceSandbox,
  type SandboxOptions,
  withShell,
} from "./namespace-sandbox.ts";
import { imageDirectory, rootFilesystem } from "./root-filesystem.ts";
import type { ContainerProcess, Mount, Sandbox } from "./sandbox.ts";
import { restoreEnvironment } from "./shell-environment.ts";
import { shellQuote } from "./shell-quote.ts";
import { sandboxMark } from "./watchdog.ts";

/**
 * Runs containers by util-linux alone (2.36 or later), in the same namespaces as bubblewrap's, set up by a shell
 * script.
 */
export function unshareSandbox(options: SandboxOptions): Sandbox {
  const { host, identity, program } = options;
  return namespaceSandbox("unshare", options, (container) => {
    const script = `${container.directory}/start.sh`;
    host.files.makeDirectory(container.directory, { mode: 0o700 });
    host.files.write(script, startScript(host, identity, container), { mode: 0o600 });
    let isReady = false;
    return {
      command: program,
      args: [
        ...["--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "--cgroup"],
        ...(identity === "mapped" ? ["--user", "--map-root-user"] : []),
        ...["--", "/bin/sh", script, ...container.command],
      ],
      readStatus() {
        isReady = true;
        return true;
      },
      init: ({ pid }) => (pid === undefined ? undefined : firstChild(host, pid)),
      exitCode: () => undefined,
      hasRun: () => isReady,
      entry: namespaceEntry(options, container),
    };
  });
}

/**
 * Builds the script of the namespaces' first process: it creates the container's root, enters it, and waits for the
 * command.
 */
function startScript({ files }: Host, identity: Identity, container: ContainerProcess): string {
  const image = rootFilesystem(files, container);
  const { workingDirectory } = image ?? container;
  const layered = withWritableLayer(files, image === undefined ? container : { ...container, mounts: image.mounts });
  const mounts = makeMountPoints(files, withMountPoints(files, layered, workingDirectory), workingDirectory);
  const root = shellQuote(`${container.directory}/root`);
  const prefix = image?.prefix ?? [...userPrefix(identity, container), ...restoreEnvironment(container.env)];
  return [
    "set -e",
    "exec 4<&0 < /dev/null",
    `unset ${sandboxMark}`,
    "container_path=$PATH",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    `hostname ${shellQuote(container.hostname)} 2>/dev/null || echo ${shellQuote(container.hostname)} > /proc/sys/kernel/hostname`,
    "mounts=$(cat /proc/self/mountinfo)",
    ...[limitFunction, limitAllFunction],
    ...(image?.lines ?? []),
    ...[`mkdir -p ${root}`, `mount -t tmpfs -o mode=755,nosuid,nodev tmpfs ${root}`, `cd -P ${root}`],
    ...(image === undefined ? [] : [`mkdir .${imageDirectory}`, bindLine(image.mountPoint, imageDirectory)]),
    ...kernelLines(files, image === undefined ? "" : imageDirectory),
    ...mounts.flatMap((mount) => mountLines(files, mount)),
    ...(writableCover(mounts, workingDirectory) === undefined ? [`mkdir -p ${inRoot(workingDirectory)}`] : []),
    ...identityChecks(mounts, "."),
    ...["mkdir -p .host", "pivot_root . .host", "umount -l /.host", "rmdir /.host"],
    ...readOnlyTargets(container, mounts, image === undefined ? "/" : imageDirectory).map(
      (target) => `mount -o remount,bind,ro ${shellQuote(target)}`,
    ),
    `cd ${shellQuote(workingDirectory)}`,
    // A shell gives background commands no input by default.
    `PATH=$container_path ${prefix.map(shellQuote).join(" ")} "$@" 3>&- <&4 4<&- &`,
    "exec 4<&-",
    "echo started >&3",
    "exec 3>&-",
    "wait $!",
    "exit $?",
    "",
  ].join("\n");
}

/** Returns the command prefix by which the namespaces' root becomes the container's user. */
function userPrefix(identity: Identity, container: ContainerProcess): string[] {
  if (identity === "switched") return switchUser(container);
  return [...mapUser(container), "--", ...(dropsCapabilities(container) ? limitCapabilities(container) : [])];
}

/** Returns how an additional command enters the container. */
function namespaceEntry({ host, identity }: SandboxOptions, container: ContainerProcess): NamespaceEntry {
  const image = rootFilesystem(host.files, container);
  if (image !== undefined) return enterImage(identity, image, container.env);
  return enterNamespaces(identity, withShell(container, userPrefix(identity, container)));
}

/** Mounts the process and device files, and protects the kernel's paths. @param root `/image`, or empty */
function kernelLines(files: Host["files"], root: string): string[] {
  const at = (path: string) => `.${root}${path}`;
  const { readOnly, maskedFiles, maskedDirectories } = kernelPaths(files);
  return [
    `mkdir -p ${at("/proc")} ${at("/dev")}`,
    `mount -t proc -o nosuid,nodev,noexec proc ${at("/proc")}`,
    ...readOnly.map((path) => `mount --bind -o ro,nosuid,nodev,noexec ${at(path)} ${at(path)}`),
    ...maskedFiles.map((path) => `mount --bind /dev/null ${at(path)}`),
    ...maskedDirectories.map((path) => `mount -t tmpfs -o ro,nosuid,nodev,noexec,size=4k tmpfs ${at(path)}`),
    `mount -t tmpfs -o mode=755,nosuid tmpfs ${at("/dev")}`,
    `for device in null zero full random urandom tty; do : > ${at("/dev/$device")}; mount --bind /dev/$device ${at("/dev/$device")}; done`,
    `ln -s /proc/self/fd ${at("/dev/fd")}`,
    `ln -s /proc/self/fd/0 ${at("/dev/stdin")}`,
    `ln -s /proc/self/fd/1 ${at("/dev/stdout")}`,
    `ln -s /proc/self/fd/2 ${at("/dev/stderr")}`,
    `mkdir ${at("/dev/shm")} ${at("/dev/pts")}`,
    `mount -t tmpfs -o mode=1777,nosuid,nodev,noexec tmpfs ${at("/dev/shm")}`,
    `mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,nosuid,noexec devpts ${at("/dev/pts")}`,
    `ln -s pts/ptmx ${at("/dev/ptmx")}`,
  ];
}

/**
 * Shell function that limits a mount: `limit PATH [,ro]`. Keeps the limits that the mount has, because a user namespace cannot
 * remove them.
 */
const limitFunction = [
  "limit() {",
  "  for more in '' ,noexec ,ro ,ro,noexec; do",
  '    mount -o "remount,bind,nosuid,nodev$2$more" "$1" 2>/dev/null && return',
  "  done",
  '  echo "cannot limit the mount $1" >&2',
  "  return 1",
  "}",
].join("\n");

/**
 * Shell function that limits a mount and all mounts below it: `limit_all PATH [,ro]`. It follows the tree of mounts, because others
 * that this one covers may have the same paths. A path is of the form `/a\040b` in the list.
 */
const limitAllFunction = [
  "limit_all() {",
  "  top=",
  "  while read -r id _ _ _ path _; do",
  '    [ "$(printf %b "$path")" != "$1" ] || top=$id',
  "  done < /proc/self/mountinfo",
  '  ids=" $top "',
  "  while read -r id parent _ _ path _; do",
  '    case $ids in *" $id "*) ;; *" $parent "*) ids="$ids$id " ;; *) continue ;; esac',
  '    limit "$(printf %b "$path")" "$2"',
  "  done < /proc/self/mountinfo",
  "}",
].join("\n");

function mountLines(files: Host["files"], mount: Mount): string[] {
  const at = inRoot(mount.target);
  switch (mount.kind) {
    case "link":
      return [`mkdir -p ${inRoot(parentOf(mount.target))}`, `ln -s ${shellQuote(mount.to)} ${at}`];
    case "temporary":
      return [`mkdir -p ${at}`, `mount -t tmpfs -o mode=${mount.mode.toString(8)},nosuid,nodev tmpfs ${at}`];
    case "bind": {
      const prepareTarget =
        files.info(mount.source)?.kind === "directory"
          ? [`mkdir -p ${at}`]
          : [`mkdir -p ${inRoot(parentOf(mount.target))}`, `[ -e ${at} ] || : > ${at}`];
      const limits = `"$PWD"${shellQuote(mount.target)} ${mount.readOnly ? ",ro" : "''"}`;
      const source = escaped(files.realPath(mount.source) ?? mount.source);
      const inside = `*${shellQuote(` ${source === "/" ? "" : source}/`)}*`;
      return [
        ...prepareTarget,
        bindLine(mount.source, mount.target),
        `case $mounts in ${inside}) limit_all ${limits} ;; *) limit ${limits} ;; esac`,
      ];
    }
  }
}

/** Escapes a path as in `/proc/self/mountinfo`. */
function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

function bindLine(source: string, target: string): string {
  return `mount --rbind ${shellQuote(source)} ${inRoot(target)}`;
}

function inRoot(target: string): string {
  return shellQuote(`.${target}`);
}
