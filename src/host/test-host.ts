import { isIP } from "node:net";
import type { HandledSignal, Host, Network, Random, TextSink } from "./host.ts";
import { type ChildScript, type TestChild, testChildren } from "./test-children.ts";
import { type TestClock, testClock } from "./test-clock.ts";
import { type TestFile, testFiles } from "./test-files.ts";
import { visibleText } from "./visible-text.ts";

/** Properties of the machine that a test can set; all others are fixed. */
export interface TestHostOptions {
  readonly argv?: readonly string[];
  /** Complete environment. @default empty */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default "/home/tester/job" */
  readonly cwd?: string;
  readonly platform?: string;
  readonly arch?: string;
  readonly machine?: Host["machine"];
  readonly user?: Partial<Host["user"]>;
  /** Initial files by path. Parents are created. */
  readonly files?: Readonly<Record<string, TestFile>>;
  /** Ms since 1970. @default 2026-01-02 03:04:05 UTC */
  readonly now?: number;
  readonly random?: Partial<Random>;
  /** @default no command exists */
  readonly spawn?: ChildScript;
  /** @default resolves addresses but no names, can listen anywhere, has the address 192.0.2.7 */
  readonly network?: Partial<Network>;
  /** Modules for `importModule` by specifier; an Error is thrown. @default none */
  readonly modules?: Readonly<Record<string, unknown>>;
  /** Whether stdin, stdout and stderr are terminals. @default false */
  readonly terminal?: boolean;
  readonly columns?: number;
}

/** A machine in memory. Its time changes only with `advance` and `settle`, and its IDs are consecutive. */
export interface TestHost extends Host {
  readonly clock: TestClock;
  /** Text written to stdout so far. */
  readonly outText: () => string;
  /** Text written to stderr so far. */
  readonly errorText: () => string;
  readonly advance: TestClock["advance"];
  readonly settle: TestClock["settle"];
  /** Every started child, in order. */
  readonly children: readonly TestChild[];
  /** Raises a signal. Returns false without listeners. */
  readonly raise: (signal: HandledSignal) => boolean;
}

export function testHost(options: TestHostOptions = {}): TestHost {
  const { cwd = "/home/tester/job", platform = "linux", arch = "x64", terminal = false, columns = 80 } = options;
  const clock = testClock(options.now ?? Date.UTC(2026, 0, 2, 3, 4, 5));
  const stdout = capture({ terminal, columns });
  const stderr = capture({ terminal, columns });
  const children = testChildren(options.spawn ?? (() => "missing"));
  const listeners = new Map<string, Set<() => void>>();
  return {
    argv: options.argv ?? [],
    programPath: "/opt/firesteel/dist/bin/firesteel.cjs",
    env: options.env ?? {},
    cwd,
    platform,
    arch,
    pid: 4242,
    machine: options.machine ?? { cpus: 2, memoryBytes: 8 * 1024 ** 3 },
    user: { name: "tester", uid: 1000, gid: 1000, home: "/home/tester", ...options.user },
    nodePath: "/usr/bin/node",
    isInputTerminal: terminal,
    stdout: stdout.sink,
    stderr: stderr.sink,
    files: testFiles(options.files ?? {}, { now: clock.now, cwd }),
    clock,
    random: { ...countingRandom(), ...options.random },
    spawn: children.spawn,
    network: { ...offlineNetwork, ...options.network },
    async importModule(specifier) {
      const module = options.modules?.[specifier];
      if (module === undefined) throw new Error(`Cannot find module '${specifier}'`);
      if (module instanceof Error) throw module;
      return module;
    },
    kill: children.kill,
    onSignal(signal, listener) {
      const registered = listeners.get(signal) ?? new Set();
      listeners.set(signal, registered.add(listener));
      return () => registered.delete(listener);
    },
    outText: stdout.text,
    errorText: stderr.text,
    advance: clock.advance,
    settle: clock.settle,
    children: children.spawned,
    raise(signal) {
      const registered = [...(listeners.get(signal) ?? [])];
      for (const listener of registered) listener();
      return registered.length > 0;
    },
  };
}

const offlineNetwork: Network = {
  lookUp: async (name) => (isIP(name) === 0 ? [] : [name]),
  tryListening: async () => undefined,
  addressToward: async () => "192.0.2.7",
};

function capture({ terminal, columns }: { terminal: boolean; columns: number }) {
  const chunks: Uint8Array[] = [];
  const sink: TextSink = {
    write: (text) => {
      chunks.push(Buffer.from(typeof text === "string" ? visibleText(text) : text));
    },
    isTerminal: terminal,
    columns,
  };
  return { sink, text: () => Buffer.concat(chunks).toString("utf8") };
}

/** Returns consecutive values: the n-th call returns n in the last bytes. */
function countingRandom(): Random {
  let count = 0;
  const next = (sizeBytes: number) => {
    count += 1;
    const bytes = new Uint8Array(sizeBytes);
    for (let index = sizeBytes - 1, rest = count; index >= 0 && rest > 0; index -= 1, rest >>>= 8) {
      bytes[index] = rest & 0xff;
    }
    return bytes;
  };
  return {
    bytes: next,
    uuid: () => `00000000-0000-4000-8000-${Buffer.from(next(6)).toString("hex")}`,
    fraction: () => 0.5,
  };
}
