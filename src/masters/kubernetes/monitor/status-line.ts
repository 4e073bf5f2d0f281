import type { Host, TextSink } from "../../../host/host.ts";
import { type Log, logLines, logOfLines } from "../../../host/log.ts";
import { visibleLine } from "../../../host/visible-text.ts";

/** Last line of a terminal that shows a status while other output appears above it. */
export interface StatusLine {
  /** Erases the line before each write and draws it again afterwards, as does `log`. */
  readonly stdout: TextSink;
  readonly log: Log;
  /** Whether there is a line. If not, `show` has no effect. */
  readonly isTerminal: boolean;
  readonly show: (text: string) => void;
  /** Removes the line until the next `show`. */
  readonly clear: () => void;
}

/** Outputs that share the terminal. */
interface StatusLineCall {
  readonly host: Pick<Host, "stdout" | "stderr" | "env">;
  readonly log: Log;
}

interface StatusLineState extends StatusLineCall {
  readonly hasColor: boolean;
  /** Current text; empty if there is none. */
  text: string;
  /** Whether stdout has written an unfinished line, which the status line must not erase. */
  isMidLine: boolean;
}

const erase = "\r\u001b[K";
const dim = "\u001b[2m";
const reset = "\u001b[0m";

/** Creates an empty status line. There is no line if stderr is not a terminal, or a dumb one. */
export function statusLine(call: StatusLineCall): StatusLine {
  const { stdout, stderr, env } = call.host;
  const isTerminal = stderr.isTerminal && env["TERM"] !== "dumb";
  const hasColor = (env["NO_COLOR"] ?? "") === "";
  const state: StatusLineState = { ...call, hasColor, text: "", isMidLine: false };
  return {
    isTerminal,
    stdout: { ...stdout, write: (text) => onOutput(state, text) },
    log: logOfLines((level, logger, lines) => {
      undraw(state);
      logLines(call.log, level, logger, lines);
      draw(state);
    }),
    show(text) {
      if (!isTerminal) return;
      state.text = text;
      draw(state);
    },
    clear() {
      undraw(state);
      state.text = "";
    },
  };
}

function onOutput(state: StatusLineState, text: string | Uint8Array): void {
  undraw(state);
  state.host.stdout.write(text);
  state.isMidLine = text.length > 0 && text.at(-1) !== "\n" && text.at(-1) !== 10;
  draw(state);
}

function draw({ host, hasColor, text, isMidLine }: StatusLineState): void {
  if (text === "" || isMidLine) return;
  const visible = visibleLine(text).slice(0, host.stderr.columns - 1);
  host.stderr.write(Buffer.from(`${erase}${hasColor ? `${dim}${visible}${reset}` : visible}`));
}

function undraw({ host, text, isMidLine }: StatusLineState): void {
  if (text !== "" && !isMidLine) host.stderr.write(Buffer.from(erase));
}
