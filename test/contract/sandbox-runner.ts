import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { defaultCapabilities } from "../../src/local-cluster/sandbox/capabilities.ts";
import { chooseSandbox } from "../../src/local-cluster/sandbox/choose-sandbox.ts";
import { hostRoot } from "../../src/local-cluster/sandbox/host-root.ts";
import { boundsOf } from "../../src/local-cluster/sandbox/resource-bounds.ts";
import type { ContainerExit, ContainerProcess, Mount, Sandbox } from "../../src/local-cluster/sandbox/sandbox.ts";
import { startWatchdog } from "../../src/local-cluster/sandbox/watchdog.ts";
import { missingOf, sandboxRequirements } from "../requirements.ts";
import { requires } from "../test-with.ts";
import { ordinaryUser } from "./ordinary-user.ts";

type SandboxName = "bwrap" | "unshare" | "process";

/** A sandbox and the user who runs it. */
export interface SandboxCase {
  readonly choice: SandboxName;
  readonly user: "current" | "ordinary";
}

/** Lists each sandbox with the current user, and also with an ordinary user if the current user is root. */
export function sandboxCases(choices: readonly SandboxName[]): readonly SandboxCase[] {
  const users = nodeHost().user.uid === 0 ? (["current", "ordinary"] as const) : (["current"] as const);
  return choices.flatMap((choice) => users.map((user) => ({ choice, user })));
}

export const shell = (script: string): [string, ...string[]] => ["sh", "-c", script];

export function bind(source: string, target: string, options: Partial<Mount & { kind: "bind" }> = {}): Mount {
  return { kind: "bind", source, target, readOnly: true, ...options };
}

/** Runs containers in a sandbox. Its tests are skipped if this machine lacks what the sandbox requires. */
export function sandboxRunner({ choice, user }: SandboxCase, change = (host: Host): Host => host) {
  const machine = nodeHost();
  const directory = machine.files.makeTemporaryDirectory(`${machine.files.temporaryRoot}/firesteel-sandbox-`);
  const host = change(user === "current" ? machine : ordinaryUser(machine, directory));
  let sandbox: Sandbox | undefined;
  const required = [sandboxRequirements[choice], user === "current" ? {} : ("namespaces of ordinary users" as const)];
  beforeAll(async () => {
    if (required.every((each) => missingOf(each) === undefined))
      sandbox = await chooseSandbox({ host, choice, directory, watchdog: startWatchdog(host) });
  });
  for (const each of required) beforeEach(requires(each));
  afterAll(async () => {
    await sandbox?.stop();
    host.files.remove(directory);
  });

  let count = 0;
  async function start(options: Partial<ContainerProcess>) {
    count += 1;
    let out = "";
    let error = "";
    if (sandbox === undefined) throw new Error("the sandbox has not started");
    const start = await sandbox.start({
      id: `test/${count}`,
      directory: `${directory}/${count}`,
      command: ["true"],
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      workingDirectory: "/tmp",
      hostname: "pod-1",
      uid: 185,
      gid: 0,
      groups: [],
      capabilities: defaultCapabilities,
      bounds: boundsOf({}),
      oomScoreAdjustment: 0,
      isRootReadOnly: false,
      mounts: hostRoot(host.files),
      annotations: {},
      ...options,
      onOutput(stream, chunk) {
        if (stream === "stdout") out += Buffer.from(chunk).toString("utf8");
        else error += Buffer.from(chunk).toString("utf8");
        options.onOutput?.(stream, chunk);
      },
    });
    return { start, out: () => out, error: () => error };
  }

  async function run(options: Partial<ContainerProcess>) {
    const { start: started, out, error } = await start(options);
    const exit: Partial<ContainerExit> = started.started ? await started.container.exited : {};
    return { ...exit, cause: started.started ? undefined : started.startError, out: out(), error: error() };
  }

  /** Runs a command in a container that waits to be killed, its process ID in `/run/id`; returns the command's output. */
  async function execIn(options: Partial<ContainerProcess>, command: [string, ...string[]]) {
    let reportReady = () => {};
    const isReady = new Promise<void>((resolve) => {
      reportReady = resolve;
    });
    const own = {
      command: shell("echo $$ 2>/dev/null > /run/id; echo ready; read forever"),
      hasInput: true,
      onOutput: () => reportReady(),
    };
    const { start: started } = await start({ ...options, ...own });
    if (!started.started) throw new Error(started.startError);
    await isReady;
    let out = "";
    const running = await started.container.exec({
      ...{ command, hasInput: false, hasTerminal: false },
      onOutput(_, chunk) {
        out += Buffer.from(chunk).toString("utf8");
      },
    });
    const code = running.started ? await running.command.exited : running.startError;
    started.container.signal("SIGKILL");
    await started.container.exited;
    return { code, out };
  }

  function file(name: string, content: string): string {
    host.files.write(`${directory}/${name}`, content);
    return `${directory}/${name}`;
  }

  /** Creates a directory as an image's root with a shell and programs; `/var/run` is a link, as in most images. */
  function imageRoot(programs: readonly string[] = [], root = `${directory}/image-${programs.length}`): string {
    const { files } = host;
    const listed = ["/bin/sh", "/bin/cat", ...programs].flatMap((path) => [
      path,
      ...(execFileSync("ldd", [path], { encoding: "utf8" }).match(/\/\S+/g) ?? []),
    ]);
    for (const path of new Set(listed)) {
      files.makeDirectory(`${root}${path.slice(0, path.lastIndexOf("/"))}`);
      files.copy(files.realPath(path) ?? path, `${root}${path}`);
      files.changeMode(`${root}${path}`, 0o755);
    }
    for (const name of ["run", "var"]) files.makeDirectory(`${root}/${name}`);
    if (files.info(`${root}/var/run`, { followLinks: false }) === undefined) files.link("/run", `${root}/var/run`);
    files.write(`${root}/own`, "image");
    return root;
  }

  /** Mounts a directory as an image's root. */
  function imageMounts(root: string): readonly Mount[] {
    return [{ kind: "bind", source: root, target: "/", readOnly: false, isCopyOnWrite: true }];
  }

  return { host, directory, start, run, execIn, file, imageRoot, imageMounts };
}
