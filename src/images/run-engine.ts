import { submitError } from "../errors/submit-error.ts";
import type { ChildProcess, Host } from "../host/host.ts";
import { visibleLine } from "../host/visible-text.ts";
import type { EngineName } from "./engine-commands.ts";

/** A call of an engine. */
export interface EngineCall {
  readonly engine: EngineName;
  /** Verb phrase with the image, for messages: `build spark:4.3.0`. */
  readonly action: string;
  readonly args: readonly string[];
}

/** Signal that ends a build. */
export type Interrupt = "SIGINT" | "SIGTERM";

const keptLines = 30;

/**
 * Runs an engine, with its output on stderr. An interrupt ends the engine first.
 *
 * @returns the signal if it was interrupted
 * @throws SUBMIT_ERR_IMAGE_ENGINE_FAILED
 */
export async function runEngine(host: Host, { engine, action, args }: EngineCall): Promise<Interrupt | undefined> {
  const child = host.spawn(engine, args);
  const last = printOutput(host, child);
  const stop = forwardSignals(host, child);
  const { code, error } = await child.exited;
  const interrupt = stop();
  if (code === 0 || interrupt !== undefined) return interrupt;
  const lines = error === undefined ? last() : [error];
  throw submitError("SUBMIT_ERR_IMAGE_ENGINE_FAILED", {
    ...{ engine, action, code, reason: reasonIn(lines), advice: adviceFor(lines.join("\n"), engine) },
  });
}

/** Copies the output to stderr. Returns a function for the last lines. */
function printOutput({ stderr }: Host, child: ChildProcess): () => readonly string[] {
  let lines: string[] = [];
  const rests: Record<number, string> = {};
  for (const descriptor of [1, 2]) {
    const decoder = new TextDecoder();
    child.onOutput(descriptor, (chunk) => {
      const text = decoder.decode(chunk, { stream: true });
      stderr.write(text);
      const parts = `${rests[descriptor] ?? ""}${text}`.split(/[\r\n]+/);
      rests[descriptor] = (parts.pop() ?? "").slice(-2_000);
      lines = [...lines, ...parts].slice(-keptLines);
    });
  }
  return () => [...lines, ...Object.values(rests)].map(visibleLine).filter((line) => line.trim() !== "");
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
const advices: readonly (readonly [pattern: RegExp, advice: (engine: EngineName) => string])[] = [
  [/no space left on device/i, (engine) => `Free disk space, for example with ${engine} ${pruneOf(engine)}.`],
  [
    /unauthorized|authentication required|no basic auth credentials|access (?:to the resource )?is denied|denied: /i,
    (engine) => `Log in to the registry with an account that may do this: ${engine} login REGISTRY.`,
  ],
  [/toomanyrequests|too many requests/i, (engine) => `Wait, or log in to the registry: ${engine} login REGISTRY.`],
  [
    /unknown flag: --build-context|BuildKit is enabled but/i,
    () => "Use a newer version of the engine: Docker 23 with BuildKit, Podman 4.2 or Buildah 1.27.",
  ],
  [
    /manifest unknown|pull access denied|no such host|dial tcp|i\/o timeout|connection refused|initializing source|short-name/i,
    () =>
      "Check that this machine reaches the registry. For a base image from another registry or from this machine, use --base IMAGE.",
  ],
];

function pruneOf(engine: EngineName): string {
  return engine === "buildah" ? "prune" : "image prune";
}

function adviceFor(output: string, engine: EngineName): string | undefined {
  return advices.find(([pattern]) => pattern.test(output))?.[1](engine);
}
