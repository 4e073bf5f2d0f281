import type { Host } from "../../host/host.ts";
import { parentOf } from "./container-path.ts";
import { type Identity, switchUser } from "./identity.ts";
import { withMountPoints, withWritableLayer } from "./mount-points.ts";
import {
  firstChild,
  type NamespaceEntry,
  namespaceSandbox,
  type SandboxOptions,
  withShell,
} from "./namespace-sandbox.ts";
import { type RootFilesystem, rootFilesystem } from "./root-filesystem.ts";
import type { ContainerProcess, Mount, Sandbox } from "./sandbox.ts";
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
        ...["--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc"],
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
  const own = rootFilesystem(files, container);
  const { workingDirectory } = own ?? container;
  const layered = withWritableLayer(files, own === undefined ? container : { ...container, ...own });
  const mounts = withMountPoints(files, layered, workingDirectory);
  const root = shellQuote(`${container.directory}/root`);
  return [
    "set -e",
    "exec 4<&0 < /dev/null",
    `unset ${sandboxMark}`,
    "container_path=$PATH",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    `hostname ${shellQuote(container.hostname)} 2>/dev/null || echo ${shellQuote(container.hostname)} > /proc/sys/kernel/hostname`,
    ...(own === undefined ? [`mkdir -p ${root}`, `mount -t tmpfs -o mode=755 tmpfs ${root}`] : own.lines),
    `cd ${root}`,
    ...devices,
    ...mounts.flatMap((mount) => mountLines(files, mount)),
    `mkdir -p ${inRoot(workingDirectory)}`,
    ...(own === undefined
      ? enterRoot(identity, container)
      : ["cd /", backgroundCommand(imageUserPrefix(container, own))]),
    "exec 4<&-",
    "echo started >&3",
    "exec 3>&-",
    "wait $!",
    "exit $?",
    "",
  ].join("\n");
}

function enterRoot(identity: Identity, container: ContainerProcess): string[] {
  const { workingDirectory } = container;
  return [
    "mkdir -p .host",
    "pivot_root . .host",
    "umount -l /.host",
    "rmdir /.host",
    `cd ${shellQuote(workingDirectory)}`,
    backgroundCommand(userPrefix(identity, container)),
  ];
}

/**
 * Runs a command in the background with the container's input: a shell gives background commands no input by default.
 */
function backgroundCommand(prefix: readonly string[]): string {
  return `PATH=$container_path ${prefix.map(shellQuote).join(" ")} "$@" 3>&- <&4 4<&- &`;
}

/** Returns the command prefix by which the namespaces' root becomes the container's user. */
function userPrefix(identity: Identity, container: ContainerProcess): string[] {
  if (identity === "switched") return switchUser(container);
  const { uid, gid } = container;
  const user = ["unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--"];
  return ["setpriv", "--no-new-privs", ...user];
}

/**
 * Returns a prefix of this machine's programs, which enter the image last: an image may lack the programs that switch
 * users.
 */
function imageUserPrefix({ uid, gid }: ContainerProcess, { mountPoint, workingDirectory }: RootFilesystem): string[] {
  const user = ["/usr/bin/unshare", "--user", `--map-user=${uid}`, `--map-group=${gid}`];
  const rootArgs = [`--root=${mountPoint}`, `--wd=${workingDirectory}`, "--"];
  return ["/usr/bin/setpriv", "--no-new-privs", ...user, ...rootArgs];
}

/** Returns how an additional command enters the container. */
function namespaceEntry({ host, identity }: SandboxOptions, container: ContainerProcess): NamespaceEntry {
  const own = rootFilesystem(host.files, container);
  const inside =
    own === undefined
      ? withShell(container, userPrefix(identity, container))
      : ["--", ...imageUserPrefix(container, own)];
  return { joinsUser: identity === "mapped", inside };
}

const devices = [
  "mkdir -p proc dev",
  "mount -t proc proc proc",
  "mount -t tmpfs -o mode=755 tmpfs dev",
  `for device in null zero full random urandom tty; do : > dev/$device; mount --bind /dev/$device dev/$device; done`,
  "ln -s /proc/self/fd dev/fd",
  "ln -s /proc/self/fd/0 dev/stdin",
  "ln -s /proc/self/fd/1 dev/stdout",
  "ln -s /proc/self/fd/2 dev/stderr",
  "mkdir -m 1777 dev/shm",
];

function mountLines(files: Host["files"], mount: Mount): string[] {
  const at = inRoot(mount.target);
  switch (mount.kind) {
    case "link":
      return [`mkdir -p ${inRoot(parentOf(mount.target))}`, `ln -s ${shellQuote(mount.to)} ${at}`];
    case "temporary":
      return [`mkdir -p ${at}`, `mount -t tmpfs -o mode=${mount.mode.toString(8)} tmpfs ${at}`];
    case "bind": {
      const prepareTarget =
        files.info(mount.source)?.kind === "directory"
          ? [`mkdir -p ${at}`]
          : [`mkdir -p ${inRoot(parentOf(mount.target))}`, `[ -e ${at} ] || : > ${at}`];
      const bind = `mount --rbind ${shellQuote(mount.source)} ${at}`;
      // Flags that a parent namespace locked cannot be removed: a source mounted noexec stays noexec.
      const readOnly = `mount -o remount,bind,ro,nosuid,nodev ${at} 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev,noexec ${at}`;
      return [...prepareTarget, bind, ...(mount.readOnly ? [readOnly] : [])];
    }
  }
}

function inRoot(target: string): string {
  return shellQuote(`.${target}`);
}
