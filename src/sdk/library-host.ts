import type { Host } from "../host/host.ts";
import { type Log, logOfLines } from "../host/log.ts";
import { overrideHost } from "../host/override-host.ts";
import type { LogLine } from "./client-options.ts";
import { ownSignal } from "./firesteel-error.ts";

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
      const line = readLine(Buffer.from(text).toString("utf8").trimEnd());
      if (line.message !== "") log(line);
    },
  };
  return overrideHost(host, { argv: [], env, stdout: ignored, stderr, onSignal: () => () => {} });
}

/** Reads a text for stderr: a line of a log in Spark's layout, a warning, or another message. */
function readLine(text: string): LogLine {
  const [, level, source = "", message = ""] =
    /^[\d/]{8} [\d:]{8} (INFO|WARN|ERROR) (\S+): ([\s\S]*)$/.exec(text) ?? [];
  if (level === "INFO" || level === "WARN" || level === "ERROR") return { level, source, message };
  return { level: /^Warning:/.test(text) ? "WARN" : "INFO", source: "SparkSubmit", message: text };
}

/** Returns a host on which the abort of a signal is an interrupt. */
export function interruptibleHost(host: Host, signal: AbortSignal | undefined): Host {
  if (signal === undefined) return host;
  const own = ownSignal(signal);
  return overrideHost(host, {
    onSignal(name, listener) {
      if (name !== "SIGINT") return () => {};
      own.addEventListener("abort", listener);
      if (own.aborted) listener();
      return () => own.removeEventListener("abort", listener);
    },
  });
}

/** Creates the log of the library. */
export function libraryLog(log: ((line: LogLine) => void) | undefined): Log {
  return logOfLines((level, source, lines) => log?.({ level, source, message: lines.join("\n") }));
}
