import type { ChildExit, Host, Signal } from "../../host/host.ts";
import type { LaunchedProcess } from "./launch.ts";
import type { CommandStart, ContainerExit, ContainerStart, ExecRequest } from "./sandbox.ts";

/** A container in a process namespace of its own, as its sandbox's command tells about it. */
export interface NamespacedContainer {
  /** The sandbox's command. When it dies, so does the container. */
  readonly child: LaunchedProcess;
  /** Resolves when the container's first process runs. */
  readonly started: Promise<void>;
  /** The first process of the namespace, whose first child is the workload; as this machine numbers it. */
  readonly init: () => number | undefined;
  /** The workload's exit code, when the sandbox's command tells it; else its own code counts. */
  readonly exitCode: () => number | undefined;
  /** Runs a further command in the namespaces of a process. */
  readonly exec: (target: number, request: ExecRequest) => Promise<CommandStart>;
  /** What the sandbox's command wrote about a failure to start, or `undefined` when it did start. */
  readonly failure: (exit: ChildExit) => string | undefined;
}

/** Waits until a container runs, or cannot. */
export async function whenStarted(host: Host, container: NamespacedContainer): Promise<ContainerStart> {
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
        const target = await initWhenSetUp(host, container);
        if (target === undefined) return { started: false, startError: "the container is not running" };
        return container.exec(target, request);
      },
    },
  };
}

const setUpIntervalMs = 10;
const maxSetUpAttempts = 500;

/** The first process of the namespaces, once they are all set up: that may take a moment after the start. */
async function initWhenSetUp(host: Host, { child, init }: NamespacedContainer): Promise<number | undefined> {
  let hasEnded = false;
  void child.ended.then(() => {
    hasEnded = true;
  });
  for (let tries = 0; tries < maxSetUpAttempts && !hasEnded; tries += 1) {
    const first = init();
    if (first !== undefined && firstChild(host, first) !== undefined) return first;
    await host.clock.sleep(setUpIntervalMs);
  }
  return undefined;
}

// Never to the sandbox's command: it would die without passing the signal on. Never to the namespace's first process:
// the kernel keeps signals without a handler from it.
function signalWorkload(host: Host, { child, init }: NamespacedContainer, signal: Signal): void {
  const first = init();
  const workload = first === undefined ? undefined : firstChild(host, first);
  if (workload !== undefined && host.kill(workload, signal)) return;
  child.kill("SIGKILL");
  // bwrap's own promise that it dies with its parent comes only after its mounts.
  if (first !== undefined) host.kill(first, "SIGKILL");
}

/** A process's first child, as this machine numbers them. */
export function firstChild({ files }: Host, pid: number): number | undefined {
  const children = files.readText(`/proc/${pid}/task/${pid}/children`)?.trim().split(" ")[0];
  return children === undefined || children === "" ? undefined : Number(children);
}
