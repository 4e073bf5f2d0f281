/**
 * Returns the paths of duplicate fields in valid JSON, e.g. `spec.containers[0].name`. JSON.parse keeps the last value silently.
 */
export function duplicateFields(text: string): string[] {
  const found = new Set<string>();
  let at = 0;

  function space(): void {
    while (/\s/.test(text[at] ?? "")) at += 1;
  }

  function string(): string {
    const start = at;
    at += 1;
    while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    at += 1;
    return text.slice(start + 1, at - 1);
  }

  function value(path: string): void {
    space();
    const first = text[at];
    if (first === "{") object(path);
    else if (first === "[") array(path);
    else if (first === '"') string();
    else while (at < text.length && !/[\s,\]}]/.test(text[at] ?? "")) at += 1;
    space();
  }

  function object(path: string): void {
    const names = new Set<string>();
    at += 1;
    space();
    while (text[at] !== "}") {
      const name = string();
      const field = path === "" ? name : `${path}.${name}`;
      if (names.has(name)) found.add(field);
      names.add(name);
      space();
      at += 1;
      value(field);
      if (text[at] === ",") at += 1;
      space();
    }
    at += 1;
  }

  function array(path: string): void {
    at += 1;
    space();
    for (let index = 0; text[at] !== "]"; index += 1) {
      value(`${path}[${index}]`);
      if (text[at] === ",") at += 1;
    }
    at += 1;
  }

  value("");
  return [...found];
}
