import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Outcome, start } from "../acceptance/programs.ts";

/** A shuffle service that runs as a program, and that a test can stop and start again. */
export interface ShuffleServiceProgram {
  /** Port, the same after a restart. */
  readonly port: number;
  /** Directory of executors' files. */
  readonly directory: string;
  /** Stops the service. Resolves when it has ended. */
  readonly stop: (signal: "SIGTERM" | "SIGKILL") => Promise<Outcome>;
  /** Starts it again, with the same settings, port and state. */
  readonly startAgain: () => Promise<void>;
}

/** Inputs of a shuffle service. */
export interface ShuffleServiceInput {
  /** Directory for its directories. */
  readonly parent: string;
  readonly address: string;
  /** Content of the properties file, without the port. */
  readonly properties: readonly string[];
  /** Further arguments. */
  readonly args: readonly string[];
}

/** Starts a shuffle service that ends with the test. */
export async function startShuffleService(input: ShuffleServiceInput): Promise<ShuffleServiceProgram> {
  const { parent, address, properties, args } = input;
  const own = mkdtempSync(join(parent, "shuffle-"));
  chmodSync(own, 0o755);
  const directory = join(own, "files");
  mkdirSync(directory);
  // Containers run as other users.
  chmodSync(directory, 0o1777);
  const file = join(own, "shuffle.properties");
  writeFileSync(file, properties.map((line) => `${line}\n`).join(""));
  const open = (port: number) =>
    startOnce([
      ...["shuffle-service", "--properties-file", file, "--directories", directory, "--state-dir", join(own, "state")],
      ...["--host", address, "--port", String(port), ...args],
    ]);
  let running = await open(0);
  const { port } = running;
  return {
    ...{ port, directory },
    stop(signal) {
      running.child.kill(signal);
      return running.ended;
    },
    async startAgain() {
      running = await open(port);
    },
  };
}

async function startOnce(args: readonly string[]) {
  const { child, ended } = start("firesteel", args);
  const port = await new Promise<number>((resolve, reject) => {
    let printed = "";
    child.stderr.on("data", (chunk) => {
      printed += chunk;
      const [, found] = /started on port (\d+)/.exec(printed) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    child.once("close", () => reject(new Error(`the shuffle service did not start: ${printed}`)));
  });
  return { child, ended, port };
}
