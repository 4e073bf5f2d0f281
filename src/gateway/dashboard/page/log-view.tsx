import { useEffect, useRef, useState } from "preact/hooks";
import { apiUrl, applicationPath, type LogPageJson, read } from "./api.ts";
import { type LogLine, levelOf, matchingLines, splitAtMatches } from "./find-in-log.ts";
import { Empty, ErrorNote } from "./parts.tsx";

/** Lines that the page keeps, and that it reads at once. */
const limits = { lines: 5000, page: 1000 };

interface LogState {
  readonly lines: readonly LogLine[];
  readonly hasEnded: boolean;
  readonly error: string | undefined;
}

/** The driver's log with search. It follows the log until the application ends. */
export function LogView({ id }: { readonly id: string }) {
  const [log, setLog] = useState<LogState>({ lines: [], hasEnded: false, error: undefined });
  const [text, setText] = useState("");
  const [follows, setFollows] = useState(true);
  const box = useRef<HTMLElement>(null);
  useEffect(() => followLog(id, setLog), [id]);
  const lastTop = useRef(0);
  useEffect(() => {
    const element = box.current;
    if (!follows || element === null) return;
    const showEnd = () => {
      element.scrollTop = element.scrollHeight;
    };
    showEnd();
    const observer = new ResizeObserver(showEnd);
    observer.observe(element);
    return () => observer.disconnect();
  }, [log, follows, text]);
  const first = log.lines[0]?.number ?? 0;
  const readEarlier = () => {
    setFollows(false);
    const from = Math.max(0, first - limits.page);
    read<LogPageJson>(applicationPath(id, `/log?from=${from}&limit=${first - from}`)).then(
      (page) => setLog((before) => ({ ...before, lines: [...linesOf(page), ...before.lines] })),
      (error: Error) => setLog((before) => ({ ...before, error: error.message })),
    );
  };
  const shown = matchingLines(log.lines, text);
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: { currentTarget: HTMLElement }) => {
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 40;
    // A new size of the box or of a line moves the end, but only the reader moves backward.
    if (isAtEnd || scrollTop < lastTop.current) setFollows(isAtEnd);
    lastTop.current = scrollTop;
  };
  return (
    <>
      <div class="log-tools">
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <label>
          <input
            type="checkbox"
            checked={follows}
            onChange={({ currentTarget }) => setFollows(currentTarget.checked)}
          />
          Follow
        </label>
        <span class="count" role="status">
          {text === "" ? `${log.lines.length} lines` : `${shown.length} of ${log.lines.length} lines`}
        </span>
        {first > 0 && (
          <button type="button" onClick={readEarlier}>
            Earlier lines
          </button>
        )}
      </div>
      <ErrorNote text={log.error} />
      {log.lines.length === 0 ? (
        <Empty>
          {log.hasEnded ? "The driver wrote no log, or it is not kept." : "The driver has not written anything yet."}
        </Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
        <section class="log" ref={box} aria-label="Log lines" tabIndex={0} onScroll={onScroll}>
          {shown.map((line) => (
            <Line key={line.number} line={line} text={text} />
          ))}
        </section>
      )}
    </>
  );
}

function Line({ line: { number, text: content }, text }: { readonly line: LogLine; readonly text: string }) {
  return (
    <div class={`line ${levelOf(content) ?? ""}`}>
      <span class="no">{number + 1}</span>
      <span>
        {splitAtMatches(content, text).map((piece, index) =>
          piece.isMatch ? <mark key={index}>{piece.text}</mark> : piece.text,
        )}
      </span>
    </div>
  );
}

function linesOf({ lines, from }: LogPageJson): readonly LogLine[] {
  return lines.map((text, index) => ({ number: from + index, text }));
}

/** Follows a log from its last lines on. @returns a function that stops */
function followLog(id: string, setLog: (changed: (before: LogState) => LogState) => void): () => void {
  let source: EventSource | undefined;
  let isStopped = false;
  let next: number | undefined;
  const open = () => {
    const range = next === undefined ? "" : `&from=${next}`;
    source = new EventSource(apiUrl(applicationPath(id, `/log?follow=true&limit=${limits.page}${range}`)));
    source.addEventListener("lines", ({ data }) => {
      const page: LogPageJson = JSON.parse(data);
      next = page.from + page.lines.length;
      setLog((before) => ({
        ...before,
        error: undefined,
        lines: [...before.lines, ...linesOf(page)].slice(-limits.lines),
      }));
    });
    source.addEventListener("end", () => {
      source?.close();
      setLog((before) => ({ ...before, hasEnded: true }));
    });
    source.addEventListener("error", () => {
      // The browser would repeat the request from its first line on.
      source?.close();
      setLog((before) => ({
        ...before,
        error: "The connection is lost. The log continues when the gateway responds.",
      }));
      setTimeout(() => {
        if (!isStopped) open();
      }, 3000);
    });
  };
  open();
  return () => {
    isStopped = true;
    source?.close();
  };
}
