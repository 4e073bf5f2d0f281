import { submitError } from "../errors/submit-error.ts";
import type { ChildProcess, Host } from "../host/host.ts";
import { visibleLine } from "../host/visible-text.ts";
import type { EngineName } from "./engine-commands.ts";
import { registryOf } from "./tag-problem.ts";

/** A call of an engine. */
export interface EngineCall {
  readonly engine: EngineName;
  readonly step: keyof typeof steps;
  /** Name of the image. */
  readonly tag: string;
  readonly args: readonly string[];
}

/** Signal that ends a build. */
export type Interrupt = "SIGINT" | "SIGTERM";

/** Steps of a build: verb phrases for messages, and advice for a registry that does not respond and for unknown failures. */
const steps = {
  build: {
    action: (tag: string) => `build ${tag}`,
    unreachable: () =>
      "Check that this machine reaches the registry. For a base image from another registry or from this machine, use --base IMAGE.",
    unknown: () => "See its output above. Nothing was named, pushed or written by this step.",
  },
  push: {
    action: (tag: string) => `push ${tag} to ${registryOf(tag)}`,
    unreachable: ({ engine, tag }: EngineCall) =>
      `Check that ${registryOf(tag)} is the right registry and that this machine reaches it. The image is built; to push it again: ${engine} push ${tag}.`,
    unknown: ({ engine, tag }: EngineCall) =>
      `See its output above. The image is built; to push it again: ${engine} push ${tag}.`,
  },
  save: {
    action: (tag: string) => `write ${tag} to a file`,
    unreachable: () => "See its output above. The image is built, but not in the file.",
    unknown: () => "See its output above. The image is built, but not in the file.",
  },
};

const keptLines = 30;

/** Time without output after which a message says what the engine is doing. */
const idleMs = 10_000;

/**
 * Runs an engine, with its output on stderr. An interrupt ends the engine first.
 *
 * @returns the signal if it was interrupted
 * @throws SUBMIT_ERR_IMAGE_ENGINE_FAILED
 */
export async function runEngine(host: Host, call: EngineCall): Promise<Interrupt | undefined> {
  const { engine, step, tag, args } = call;
  const child = host.spawn(engine, args);
  const last = printOutput(host, child, call);
  const stop = forwardSignals(host, child);
  const { code, error } = await child.exited;
  const interrupt = stop();
  if (code === 0 || interrupt !== undefined) return interrupt;
  const lines = error === undefined ? last() : [error];
  throw submitError("SUBMIT_ERR_IMAGE_ENGINE_FAILED", {
    ...{ engine, code, action: steps[step].action(tag), reason: reasonIn(lines) },
    advice: adviceFor(lines.join("\n"), call),
  });
}

/** Copies the output to stderr, and reports each 10 s without output until the engine ends. Returns a function for the last lines. */
function printOutput({ stderr, clock }: Host, child: ChildProcess, call: EngineCall): () => readonly string[] {
  let lines: string[] = [];
  const rests: Record<number, string> = {};
  const last = () => [...lines, ...Object.values(rests)].map(visibleLine).filter((line) => line.trim() !== "");
  let cancel = () => {};
  const reportIdle = (seconds: number) => {
    cancel = clock.after(idleMs, () => {
      const isInLine = seconds * 1000 === idleMs && Object.values(rests).some((rest) => rest !== "");
      stderr.write(`${isInLine ? "\n" : ""}${idleText(call, seconds, last().at(-1))}\n`);
      reportIdle(seconds + idleMs / 1000);
    });
  };
  const restart = () => {
    cancel();
    reportIdle(idleMs / 1000);
  };
  restart();
  void child.exited.then(() => cancel());
  for (const descriptor of [1, 2]) {
    const decoder = new TextDecoder();
    child.onOutput(descriptor, (chunk) => {
      restart();
      // Lines of a terminal, in which some engines run the commands of a Dockerfile, end in another way.
      const text = decoder.decode(chunk, { stream: true }).replaceAll(/\r+\n?/g, "\n");
      stderr.write(text);
      const parts = `${rests[descriptor] ?? ""}${text}`.split(/\n+/);
      rests[descriptor] = (parts.pop() ?? "").slice(-2_000);
      lines = [...lines, ...parts].slice(-keptLines);
    });
  }
  return last;
}

function idleText({ engine, step, tag }: EngineCall, seconds: number, line: string | undefined): string {
  const doing = `Waiting for ${engine} to ${steps[step].action(tag)}: no output for ${seconds} s`;
  return line === undefined ? `${doing}.` : `${doing} since "${line.trim()}".`;
}

/** Passes signals on. Returns a function that ends this and returns the first signal. */
function forwardSignals(host: Host, child: ChildProcess): () => Interrupt | undefined {
  let interrupt: Interrupt | undefined;
  const stops = (["SIGINT", "SIGTERM"] as const).map((signal) =>
    host.onSignal(signal, () => {
      interrupt ??= signal;
      child.kill(signal);
    }),
  );
  return () => {
    for (const stop of stops) stop();
    return interrupt;
  };
}

/** Returns the line that names the cause: the last one that says so, else the last one. */
function reasonIn(lines: readonly string[]): string {
  const line = lines.findLast((text) => /\berror\b|failed|denied|cannot|no space/i.test(text)) ?? lines.at(-1);
  return line?.replace(/^Error: /, "") ?? "no output";
}

/** Advice for known messages of the engines. */
const advices: readonly (readonly [pattern: RegExp, advice: (call: EngineCall) => string])[] = [
  [/no space left on device/i, ({ engine }) => `Free disk space, for example with ${engine} ${pruneOf(engine)}.`],
  [
    /unauthorized|authentication required|no basic auth credentials|access (?:to the resource )?is denied|denied: /i,
    (call) => `Log in to the registry with an account that may do this: ${loginOf(call)}.`,
  ],
  [/toomanyrequests|too many requests/i, (call) => `Wait, or log in to the registry: ${loginOf(call)}.`],
  [
    /unknown flag: --build-context|BuildKit is enabled but/i,
    () => "Use a newer version of the engine: Docker 23 with BuildKit, Podman 4.2 or Buildah 1.27.",
  ],
  [
    /x509: |gave HTTP response to HTTPS client/i,
    ({ engine }) =>
      `Make the registry's certificate known to ${engine}, in ${engine === "docker" ? "/etc/docker" : "/etc/containers"}/certs.d/REGISTRY/ca.crt, or use a registry with a certificate that it knows.`,
  ],
  [
    /manifest unknown|pull access denied|no such host|dial tcp|i\/o timeout|connection refused|deadline exceeded|initializing source|pinging container registry|short-name/i,
    (call) => steps[call.step].unreachable(call),
  ],
];

function pruneOf(engine: EngineName): string {
  return engine === "buildah" ? "prune" : "image prune";
}

/** A build pulls from the registry of its base. */
function loginOf({ engine, step, tag }: EngineCall): string {
  return `${engine} login ${step === "push" ? registryOf(tag) : "REGISTRY"}`;
}

function adviceFor(output: string, call: EngineCall): string {
  const advice = advices.find(([pattern]) => pattern.test(output))?.[1] ?? steps[call.step].unknown;
  return advice(call);
}
