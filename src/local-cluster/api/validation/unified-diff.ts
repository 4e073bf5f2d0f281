const context = 3;

/**
 * Prints the differences of two values as hunks of their indented JSON with three lines of context, as Kubernetes does for
 * immutable fields.
 */
export function unifiedDiff(old: unknown, next: unknown): string {
  const before = JSON.stringify(old, undefined, 1).split("\n");
  const after = JSON.stringify(next, undefined, 1).split("\n");
  return hunksOf(editsOf(before, after)).join("");
}

interface Edit {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** Line number in the old text, from 1; if the line is only in the other text, that of the next line. */
  readonly before: number;
  readonly after: number;
}

/** Maximum product of the line counts of two texts whose shortest edits are searched for; time and memory grow with it. */
const maxComparisons = 4_000_000;

/** Returns the edits from one text to the other: the shortest ones, unless the differing parts are long. */
function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  if (before.length * after.length <= maxComparisons) return minimalEdits(before, after);
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  const inner =
    removed.length * added.length <= maxComparisons ? minimalEdits(removed, added) : replacement(removed, added);
  const end = { before: before.length - tail + 1, after: after.length - tail + 1 };
  return [
    ...unchanged(before.slice(0, head), { before: 1, after: 1 }),
    ...inner.map((edit) => ({ ...edit, before: edit.before + head, after: edit.after + head })),
    ...unchanged(tail === 0 ? [] : before.slice(-tail), end),
  ];
}

function unchanged(lines: readonly string[], start: Pick<Edit, "before" | "after">): Edit[] {
  return lines.map((text, index) => ({ sign: " ", text, before: start.before + index, after: start.after + index }));
}

/** Returns edits that remove all lines, then add the others. */
function replacement(removed: readonly string[], added: readonly string[]): Edit[] {
  return [
    ...removed.map((text, index) => ({ sign: "-", text, before: index + 1, after: 1 }) as const),
    ...added.map((text, index) => ({ sign: "+", text, before: removed.length + 1, after: index + 1 }) as const),
  ];
}

/** Returns the shortest edits from one text to the other; removals precede additions. */
function minimalEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const lengths = before.map(() => new Array<number>(after.length + 1).fill(0));
  lengths.push(new Array<number>(after.length + 1).fill(0));
  const common = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row !== undefined)
        row[j] = before[i] === after[j] ? common(i + 1, j + 1) + 1 : Math.max(common(i + 1, j), common(i, j + 1));
    }
  }
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const position = { before: i + 1, after: j + 1 };
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push({ sign: " ", text: before[i] ?? "", ...position });
      i += 1;
      j += 1;
    } else if (i < before.length && (j === after.length || common(i + 1, j) >= common(i, j + 1))) {
      edits.push({ sign: "-", text: before[i] ?? "", ...position });
      i += 1;
    } else {
      edits.push({ sign: "+", text: after[j] ?? "", ...position });
      j += 1;
    }
  }
  return edits;
}

function hunksOf(edits: readonly Edit[]): string[] {
  const isNear = edits.map((_, index) =>
    edits.slice(Math.max(0, index - context), index + context + 1).some(({ sign }) => sign !== " "),
  );
  const hunks: string[] = [];
  for (let start = isNear.indexOf(true); start >= 0; ) {
    const end = isNear.indexOf(false, start);
    const lines = edits.slice(start, end < 0 ? undefined : end);
    hunks.push(printHunk(lines));
    start = end < 0 ? -1 : isNear.indexOf(true, end);
  }
  return hunks;
}

function printHunk(lines: readonly Edit[]): string {
  const [first] = lines;
  const count = (sign: "-" | "+") => lines.filter((line) => line.sign === " " || line.sign === sign).length;
  const head = `@@ -${first?.before ?? 1},${count("-")} +${first?.after ?? 1},${count("+")} @@`;
  return `${[head, ...lines.map(({ sign, text }) => sign + text)].join("\n")}\n`;
}
