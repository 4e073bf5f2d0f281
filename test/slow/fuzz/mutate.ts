/** Seeded source of random numbers. */
export interface RandomSource {
  /** Integer from 0 to `limit - 1`. */
  readonly below: (limit: number) => number;
}

/** Creates a source whose numbers depend on the seed only. Source: mulberry32. */
export function randomSource(seed: number): RandomSource {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return { below: (limit) => next() % limit };
}

/** Material for new inputs. */
export interface Material {
  readonly random: RandomSource;
  readonly corpus: readonly Buffer[];
  /** Tokens of the input language: seeds' tokens and literals of the reached code. */
  readonly tokens: readonly Buffer[];
  readonly maxBytes: number;
}

/** Maximum size of an input that repeats a part. Enough to make quadratic time visible. */
const maxRepeatedBytes = 256 * 1024;

/** Derives an input from the corpus. One in 300 repeats or nests a part many times, which finds quadratic time and deep recursion. */
export function nextInput(material: Material): Buffer {
  const { random, corpus, maxBytes } = material;
  let input = pick(corpus, random) ?? Buffer.alloc(0);
  if (random.below(300) === 0)
    return random.below(2) === 0 ? withRepeatedPart(input, random) : withNesting(input, random);
  const changed = random.below(4) === 0 ? changeJson(input, material) : undefined;
  if (changed !== undefined) return changed.subarray(0, maxBytes);
  for (let rest = 1 << random.below(5); rest > 0; rest -= 1) input = changeBytes(input, material);
  return input.subarray(0, maxBytes);
}

function pick<T>(items: readonly T[], random: RandomSource): T | undefined {
  return items[random.below(Math.max(items.length, 1))];
}

function splice(input: Buffer, { at, remove, add }: { at: number; remove: number; add: Uint8Array }): Buffer {
  return Buffer.concat([input.subarray(0, at), add, input.subarray(at + remove)]);
}

function withRepeatedPart(input: Buffer, random: RandomSource): Buffer {
  const at = random.below(input.length + 1);
  const part = input.subarray(at, at + 1 + random.below(16));
  const size = 1 << (8 + random.below(11));
  const repeated = Buffer.alloc(part.length === 0 ? 0 : size - (size % part.length), part);
  return splice(input, { at, remove: 0, add: repeated }).subarray(0, maxRepeatedBytes);
}

const brackets = ["[ ]", "{ }", "( )", '{"a": }', "<a> </a>", "${ }", "a: \n"].map((pair) => pair.split(" "));

/** Puts many brackets around the input or a part of it. */
function withNesting(input: Buffer, random: RandomSource): Buffer {
  const [open = "", close = ""] = pick(brackets, random) ?? [];
  const depth = 1 << random.below(Math.floor(Math.log2(maxRepeatedBytes / (open.length + close.length))));
  const isComplete = random.below(2) === 0;
  const start = isComplete ? 0 : random.below(input.length + 1);
  const end = isComplete ? input.length : start + random.below(input.length - start + 1);
  const inner = [Buffer.from(open.repeat(depth)), input.subarray(start, end), Buffer.from(close.repeat(depth))];
  return Buffer.concat([input.subarray(0, start), ...inner, input.subarray(end)]);
}

/** Bytes with a meaning in many languages. */
const marks = Buffer.from("\0\t\n\r !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\xc2\xff", "latin1");

function changeBytes(input: Buffer, { random, corpus, tokens }: Material): Buffer {
  const at = random.below(input.length + 1);
  const size = 1 + random.below(Math.min(32, input.length + 1));
  switch (random.below(9)) {
    case 0:
      return splice(input, { at, remove: 1, add: Buffer.of((input[at] ?? 0) ^ (1 << random.below(8))) });
    case 1:
      return splice(input, { at, remove: random.below(2), add: Buffer.of(marks[random.below(marks.length)] ?? 0) });
    case 2:
      return splice(input, { at, remove: random.below(2), add: Buffer.of(random.below(256)) });
    case 3:
      return splice(input, { at, remove: size, add: Buffer.alloc(0) });
    case 4:
      return splice(input, { at, remove: 0, add: input.subarray(at, at + size) });
    case 5: {
      const from = random.below(input.length + 1);
      return splice(input, { at, remove: random.below(2) * size, add: input.subarray(from, from + size) });
    }
    case 6: {
      const other = pick(corpus, random) ?? input;
      const from = random.below(other.length + 1);
      return splice(input, { at, remove: random.below(size), add: other.subarray(from, from + random.below(256)) });
    }
    case 7: {
      const number = String(pick(numbers, random));
      return splice(input, { at, remove: random.below(2) * size, add: Buffer.from(number) });
    }
    default:
      return splice(input, { at, remove: random.below(2) * size, add: pick(tokens, random) ?? Buffer.alloc(0) });
  }
}

const numbers = [0, -1, 1, 255, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53, "9223372036854775808", 1e21, "0x7f"];

/** Replaces, removes, copies or wraps one value of a JSON document. Returns `undefined` for other inputs. */
function changeJson(input: Buffer, material: Material): Buffer | undefined {
  const first = input.find((byte) => byte > 0x20);
  if (first !== 0x7b && first !== 0x5b) return undefined;
  try {
    const document: unknown = JSON.parse(input.toString());
    const containers = containersIn(document);
    const container = pick(containers, material.random);
    if (container === undefined) return undefined;
    changeMember(container, pick(containers, material.random), material);
    return Buffer.from(JSON.stringify(document));
  } catch {
    return undefined;
  }
}

type Container = Record<string, unknown>;

/** Returns all objects and arrays of a document; an array is an object with the keys 0, 1, …. */
function containersIn(value: unknown): readonly Container[] {
  if (typeof value !== "object" || value === null) return [];
  const container: Container = Object.fromEntries([]);
  return [Object.assign(value, container), ...Object.values(value).flatMap(containersIn)];
}

function changeMember(container: Container, other: Container | undefined, { random, tokens }: Material): void {
  const keys = Object.keys(container);
  const key = pick(keys, random);
  const token = pick(tokens, random)?.toString() ?? "";
  const values = [
    null,
    true,
    {},
    [],
    "",
    token,
    [token],
    { [token]: token },
    -1,
    1e300,
    0.5,
    other,
    container[key ?? ""],
  ];
  const value = structuredClone(pick(values, random));
  const name = random.below(3) > 0 && key !== undefined ? key : (pick([token, "__proto__", "0"], random) ?? "");
  if (random.below(4) === 0) delete container[name];
  else if (random.below(8) === 0) container[name] = [value, value];
  else Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true });
}
