import type { Clock, Host, TextSink } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";

/** A terminal whose last line tells how things are, while other output goes on above it. */
export interface StatusLine {
  /** Both make room for what they write. */
  readonly stdout: TextSink;
  readonly log: Log;
  readonly isTerminal: boolean;
  readonly show: (text: string) => void;
  /** Takes the line away for good. */
  readonly clear: () => void;
  /** Ms since something was said that is no routine. */
  readonly silenceMs: () => number;
}

/** Where it stands, and what else is written there. */
export interface StatusLineCall {
  readonly host: Pick<Host, "stdout" | "stderr" | "env">;
  readonly clock: Clock;
  readonly log: Log;
}

const erase = "\r\u001b[K";
const dim = "\u001b[2m";
const plain = "\u001b[0m";
const routine = "Application status for ";

/** Shows nothing yet. A stderr that is no terminal gets no line, only what is logged. */
export function statusLine({ host, clock, log }: StatusLineCall): StatusLine {
  const { stdout, stderr, env } = host;
  const isTerminal = stderr.isTerminal && env["TERM"] !== "dumb";
  const hasColour = (env["NO_COLOR"] ?? "") === "";
  let shown = "";
  let isMidLine = false;
  let saidAt = clock.monotonic();
  const draw = () => {
    if (shown === "" || isMidLine) return;
    const text = shown.slice(0, stderr.columns - 1);
    stderr.write(`${erase}${hasColour ? `${dim}${text}${plain}` : text}`);
  };
  const around = (write: () => void) => {
    if (shown !== "" && !isMidLine) stderr.write(erase);
    write();
  };
  return {
    isTerminal,
    stdout: {
      ...stdout,
      write(text) {
        around(() => stdout.write(text));
        saidAt = clock.monotonic();
        isMidLine = text.length > 0 && text.at(-1) !== "\n" && text.at(-1) !== 10;
        draw();
      },
    },
    log(level, logger, text) {
      around(() => log(level, logger, text));
      if (!text.startsWith(routine)) saidAt = clock.monotonic();
      draw();
    },
    show(text) {
      if (!isTerminal) return;
      shown = text;
      draw();
    },
    clear() {
      if (shown !== "" && !isMidLine) stderr.write(erase);
      shown = "";
    },
    silenceMs: () => clock.monotonic() - saidAt,
  };
}
