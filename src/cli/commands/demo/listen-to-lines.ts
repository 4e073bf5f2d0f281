import type { TextSink } from "../../../host/host.ts";

/** Returns a sink that forwards everything, and calls `onLine` for each complete line. */
export function listenToLines(sink: TextSink, onLine: (line: string) => void): TextSink {
  let partial = "";
  return {
    ...sink,
    write(text) {
      sink.write(text);
      const lines = (partial + Buffer.from(text).toString("utf8")).split("\n");
      partial = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    },
  };
}
