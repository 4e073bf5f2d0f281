import type { ChildExit, Host, Signal } from "../../host/host.ts";
import type { LaunchedProcess } from "./launch.ts";
import type { CommandStart, ContainerExit, ContainerStart, ExecRequest } from "./sandbox.ts";

/** Container in its own process namespace, as reported by its sandbox's command. */
export interface NamespacedContainer {
  /** Sandbox command; the container dies with it. */
  readonly child: LaunchedProcess;
  /** Resolves when the container's first process runs. */
  readonly started: Promise<void>;
  /** Returns the host process ID of the namespace's first process, whose first child is the workload. */
  readonly init: () => number | undefined;
  /**
   * Returns the workload's exit code if the sandbox's command reports it; otherwise the command's own exit code
   * applies.
   */
  readonly exitCode: () => number | undefined;
  /** Runs an additional command in the namespaces of a process. */
  readonly exec: (target: number, request: ExecRequest) => Promise<CommandStart>;
  /** Returns the sandbox command's message about a failure to start, or `undefined` if the container started. */
  readonly failure: (exit: ChildExit) => string | undefined;
}

/** Waits until a container runs or has failed to start. */
export async function waitForStart(host: Host, container: NamespacedContainer): Promise<ContainerStart> {
  const { child, started } = container;
  const early = await Promise.race([child.exited, started]);
  const failure = early === undefined ? undefined : container.failure(early);
  if (failure !== undefined) return { started: false, startError: failure };
  return {
    started: true,
    container: {
      ...(child.input === undefined ? {} : { input: child.input }),
      signal: (signal) => signalWorkload(host, container, signal),
      exited: child.exited.then((exit): ContainerExit => {
        const startError = container.failure(exit);
        const code = startError === undefined ? (container.exitCode() ?? exit.code) : 128;
        return { code, startError, outOfMemory: child.isOutOfMemory() };
      }),
      async exec(request) {
        const target = await waitForInit(host, container);
        if (target === undefined) return { started: false, startError: "the container is not running" };
        return container.exec(target, request);
      },
    },
  };
}

const setUpIntervalMs = 10;
const maxSetUpAttempts = 500;

/**
 * Waits until all namespaces are set up, which may take a moment after the start, and returns their first process.
 */
async function waitForInit(host: Host, { child, init }: NamespacedContainer): Promise<number | undefined> {
  let hasEnded = false;
  void child.ended.then(() => {
    hasEnded = true;
  });
  for (let attempts = 0; attempts < maxSetUpAttempts && !hasEnded; attempts += 1) {
    const first = init();
    if (first !== undefined && firstChild(host, first) !== undefined) return first;
    await host.clock.sleep(setUpIntervalMs);
  }
  return undefined;
}

// Signal neither the sandbox's command, which would die without forwarding the signal, nor the namespace's first
// process, which the kernel protects from signals without a handler.
function signalWorkload(host: Host, { child, init }: NamespacedContainer, signal: Signal): void {
  const first = init();
  const workload = first === undefined ? undefined : firstChild(host, first);
  if (workload !== undefined && host.kill(workload, signal)) return;
  child.kill("SIGKILL");
  // bwrap sets its parent-death signal only after its mounts.
  if (first !== undefined) host.kill(first, "SIGKILL");
}

/** Returns the host process ID of a process's first child. */
export function firstChild({ files }: Host, pid: number): number | undefined {
  const children = files.readText(`/proc/${pid}/task/${pid}/children`)?.trim().split(" ")[0];
  return children === undefined || children === "" ? undefined : Number(children);
}
