import type { Host } from "../../host/host.ts";
import { isWithin } from "../../values/is-within.ts";
import { executableError } from "./executable-error.ts";
import { type LaunchedProcess, type LaunchOptions, launch } from "./launch.ts";
import { makeLinkRoot } from "./link-root.ts";
import { mountedPath } from "./mounted-path.ts";
import { isSharedAsIs, pathRewriter } from "./path-rewriting.ts";
import { runCommand } from "./run-command.ts";
import type { ContainerProcess, ContainerStart, Mount, RunningContainer, Sandbox } from "./sandbox.ts";
import { encodeEnvironment, restoreEnvironment } from "./shell-environment.ts";
import { sandboxMark, type Watchdog } from "./watchdog.ts";

/**
 * Directory of the service account's token in every container. Spark's Kubernetes client can be configured to use
 * another one.
 */
const serviceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Runs containers as plain processes of the current user with this machine's files: no mounts and no isolation.
 *
 * A directory of links holds what a container expects at its own paths. Arguments, variables and small files are
 * rewritten to name that directory. A program with such a path built in does not find it. Java resolves the pod's
 * names by `jdk.net.hosts.file`; other programs use this machine's resolver.
 */
export function processSandbox(options: LaunchOptions): Sandbox {
  const { host, watchdog } = options;
  return {
    name: "process",
    watchDirectory: watchdog.watchDirectory,
    stop: () => watchdog.stop(),
    async start(requested) {
      const container = { ...requested, mounts: requested.mounts.filter((mount) => !isMask(mount)) };
      const startError = unsupportedMountError(container) ?? executableError(host.files, container);
      if (startError !== undefined) return { started: false, startError };
      const root = `${container.directory}/root`;
      const rewrite = pathRewriter(container.mounts, root);
      makeLinkRoot(host.files, container.mounts, { root, rewrite });
      const [command, ...args] = container.command;
      const cwd = rewrite(container.workingDirectory);
      host.files.makeDirectory(cwd);
      const env = encodeEnvironment(environment(host, watchdog, container, rewrite));
      const restore = restoreEnvironment(env);
      // Run by `env`, so that the container's own search path applies.
      const run = {
        command: "/usr/bin/env",
        args: ["--", ...restore, rewrite(command), ...args.map(rewrite)],
        env,
        cwd,
      };
      const child = await launch(options, container, run);
      return running(host, child, {
        container,
        exec: (request) => {
          const toArgv = (command: readonly string[]) =>
            child.enter("/usr/bin/env", ["--", ...restore, ...command.map(rewrite)]);
          return runCommand(options, { container, toArgv, env, cwd }, request);
        },
      });
    },
  };
}

/** Returns whether a mount only hides files, which processes without mounts can read anyway. */
function isMask(mount: Mount): boolean {
  return mount.kind === "temporary" && mount.isMask === true;
}

function unsupportedMountError({ mounts }: ContainerProcess): string | undefined {
  const advice = "which requires mounts: install bubblewrap, or allow user namespaces";
  const requiresMount = (mount: Mount) => ["/", "/usr"].includes(mount.target) && !isSharedAsIs(mount);
  if (mounts.some(requiresMount)) return `the image has a root of its own, ${advice}`;
  // The mount point would have to be created or replaced in a directory that other processes see.
  for (const [index, outer] of mounts.entries()) {
    if (outer.kind !== "bind" || outer.readOnly) continue;
    const inner = mounts.slice(index + 1).find(({ target }) => isWithin(target, outer.target));
    if (inner !== undefined) return `${inner.target} cannot be mounted inside ${outer.target}, ${advice}`;
  }
  return undefined;
}

function environment(
  { files }: Host,
  watchdog: Watchdog,
  { env, mounts, directory }: ContainerProcess,
  rewrite: (text: string) => string,
): Record<string, string> {
  const rewritten = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, rewrite(value)]));
  const hosts = mountedPath(files, mounts, "/etc/hosts");
  const hasAccount = mounts.some(({ target }) => target === serviceAccountDirectory);
  return {
    ...rewritten,
    ...(hosts !== undefined && {
      JAVA_TOOL_OPTIONS: `-Djdk.net.hosts.file=${hosts} ${rewritten["JAVA_TOOL_OPTIONS"] ?? ""}`.trim(),
    }),
    ...(hasAccount && {
      KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN: rewrite(`${serviceAccountDirectory}/token`),
      KUBERNETES_CERTS_CA_FILE: rewrite(`${serviceAccountDirectory}/ca.crt`),
    }),
    [sandboxMark]: watchdog.mark,
    FIRESTEEL_CONTAINER: directory,
  };
}

function running(
  host: Host,
  child: LaunchedProcess,
  { container: { directory }, exec }: Pick<RunningContainer, "exec"> & { readonly container: ContainerProcess },
): ContainerStart {
  const { pid } = child;
  if (pid === undefined) return { started: false, startError: "/usr/bin/env cannot be run" };
  const killAll = () => {
    host.kill(-pid, "SIGKILL");
    for (const process of processesWith(host, `FIRESTEEL_CONTAINER=${directory}`)) host.kill(process, "SIGKILL");
  };
  // A container ends with its first process; kill all processes that it left.
  void child.ended.then(killAll);
  return {
    started: true,
    container: {
      exec,
      ...(child.input === undefined ? {} : { input: child.input }),
      signal: (signal) => (signal === "SIGKILL" ? killAll() : void host.kill(pid, signal)),
      exited: child.exited.then(({ code }) => ({
        ...{ code, startError: undefined, outOfMemory: child.isOutOfMemory() },
      })),
    },
  };
}

/** Lists processes whose initial environment contains a variable; empty where there is no `/proc`. */
function processesWith({ files }: Host, variable: string): number[] {
  return (files.list("/proc") ?? [])
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => readEnvironment(files, name).includes(variable))
    .map(Number);
}

function readEnvironment(files: Host["files"], process: string): string[] {
  try {
    return (files.readText(`/proc/${process}/environ`) ?? "").split("\0");
  } catch {
    // The process belongs to another user or has ended.
    return [];
  }
}
