import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { LocalizeConfig, LocalizeSource } from "../../src/staging-client/localize-config.ts";
import { type Outcome, start, temporaryDirectory } from "./programs.ts";

/** One run of the init container. */
export interface Run {
  readonly directory: string;
  readonly log: string;
  readonly configPath: string;
  readonly program: ReturnType<typeof start>;
}

/** Starts the program on sources; secrets are files that sources name as `SECRETS/token`. */
export function localize(
  sources: readonly LocalizeSource[],
  options: Partial<LocalizeConfig> = {},
  env: Readonly<Record<string, string>> = {},
): Run {
  const ownDirectory = temporaryDirectory();
  const directory = options.directory ?? join(ownDirectory, "deps");
  if (options.directory === undefined) mkdirSync(directory);
  const log = join(ownDirectory, "termination-log");
  writeFileSync(log, "");
  const configPath = join(ownDirectory, "config.json");
  writeFileSync(configPath, JSON.stringify({ directory, sources, timeoutSeconds: 30, ...options }));
  const program = start("spark-init-container", ["--termination-log", log, configPath], { env });
  return { directory, log, configPath, program };
}

/** Writes a file with a secret. */
export function secret(content = "good-token"): string {
  const path = join(temporaryDirectory(), "token");
  writeFileSync(path, `${content}\n`);
  return path;
}

/** All paths below a directory with their permission bits; directories end in a slash. */
export function tree(ownDirectory: string, below = ""): Readonly<Record<string, string>> {
  const entries = readdirSync(join(ownDirectory, below), { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  return Object.assign(
    {},
    ...entries.map((entry) => {
      const path = join(below, entry.name);
      const mode = (statSync(join(ownDirectory, path)).mode & 0o7777).toString(8);
      return entry.isDirectory() ? { [`${path}/`]: mode, ...tree(ownDirectory, path) } : { [path]: mode };
    }),
  );
}

/** Last line of stderr. */
export function reasonOf({ stderr }: Outcome): unknown {
  return JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
}

/** Expects this exit code, the same reason on stderr and in the termination log, and only these files. */
export async function expectFailure(
  { program, directory, log }: Run,
  exit: number,
  reason: Readonly<Record<string, unknown>>,
  left: readonly string[] = [],
): Promise<Outcome> {
  const outcome = await program.ended;
  expect(outcome.exit).toBe(exit);
  expect(reasonOf(outcome)).toMatchObject(reason);
  expect(JSON.parse(readFileSync(log, "utf8"))).toEqual(reasonOf(outcome));
  if (existsSync(directory)) expect(Object.keys(tree(directory)).filter((path) => !path.endsWith("/"))).toEqual(left);
  return outcome;
}

/** Resolves with the program's output as soon as it matches. */
export function programOutput({ program }: Run, text: string | RegExp): Promise<string> {
  let output = "";
  return new Promise((resolve, reject) => {
    program.child.stdout.on("data", (chunk) => {
      output += chunk;
      if (typeof text === "string" ? output.includes(text) : text.test(output)) resolve(output);
    });
    program.ended.then((outcome) => reject(new Error(`It ended without ${text}: ${JSON.stringify(outcome)}`)), reject);
  });
}
