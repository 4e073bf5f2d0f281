import type { TextSink } from "../../../host/host.ts";

/** The same sink; each whole line that goes through it is told. */
export function listenToLines(sink: TextSink, onLine: (line: string) => void): TextSink {
  let begun = "";
  return {
    ...sink,
    write(text) {
      sink.write(text);
      const lines = (begun + Buffer.from(text).toString("utf8")).split("\n");
      begun = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    },
  };
}
