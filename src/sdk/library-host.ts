import type { Host } from "../host/host.ts";
import { type Log, logOfLines } from "../host/log.ts";
import { overrideHost } from "../host/override-host.ts";
import type { LogLine } from "./client-options.ts";

interface LibraryHostOptions {
  readonly env?: Host["env"] | undefined;
  readonly log?: ((line: LogLine) => void) | undefined;
}

/**
 * Returns the machine as the library uses it: without arguments and signals of the program, and with reports instead of output.
 */
export function libraryHost(host: Host, { env = host.env, log = () => {} }: LibraryHostOptions): Host {
  const ignored = { isTerminal: false, columns: 80, write: () => {} };
  const stderr = {
    ...ignored,
    write(text: string | Uint8Array) {
      const message = Buffer.from(text).toString("utf8").trimEnd();
      if (message !== "") log({ level: "WARN", source: "SparkSubmit", message });
    },
  };
  return overrideHost(host, { argv: [], env, stdout: ignored, stderr, onSignal: () => () => {} });
}

/** Returns a host on which the abort of a signal is an interrupt. */
export function interruptibleHost(host: Host, signal: AbortSignal | undefined): Host {
  if (signal === undefined) return host;
  return overrideHost(host, {
    onSignal(name, listener) {
      if (name !== "SIGINT") return () => {};
      signal.addEventListener("abort", listener);
      if (signal.aborted) listener();
      return () => signal.removeEventListener("abort", listener);
    },
  });
}

/** Creates the log of the library. */
export function libraryLog(log: ((line: LogLine) => void) | undefined): Log {
  return logOfLines((level, source, lines) => log?.({ level, source, message: lines.join("\n") }));
}
