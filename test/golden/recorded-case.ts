import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Content of a file in the directory of a case. */
export type CaseFile =
  | string
  | null
  | { readonly base64: string }
  | { readonly repeat: readonly [string, number] }
  | { readonly link: string }
  | { readonly script: string }
  | { readonly dir: true }
  | { readonly jar: { readonly mainClass?: string; readonly entries?: Readonly<Record<string, string>> } }
  | { readonly zip: Readonly<Record<string, string>> }
  | { readonly tls: string }
  | { readonly from: string };

/** Scripted response of the API. The first rule that matches and is not used up applies. */
export interface Rule {
  /** HTTP method, or `WATCH`. */
  readonly method?: string;
  /** Regular expression. */
  readonly path?: string;
  readonly status: number;
  readonly message?: string;
  readonly reason?: string;
  readonly times?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

/** Change of the driver's pod, `afterMs` after the previous step; the first step follows the first watch. */
export interface PodStep {
  readonly afterMs?: number;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly delete?: boolean;
  readonly event?: { readonly type: string; readonly object: unknown };
  readonly closeWatch?: boolean;
}

/** Behavior of the API in a case. */
export interface ApiPlan {
  readonly tls?: boolean;
  readonly pathPrefix?: string;
  readonly objects?: readonly ApiObject[];
  readonly files?: Readonly<Record<string, string>>;
  readonly rules?: readonly Rule[];
  readonly pod?: readonly PodStep[];
  readonly podFrom?: "create";
}

/** Object that exists in the API before the case. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Command line with its environment. Texts can contain `{{DIR}}`, `{{API}}`, `{{PORT}}`. */
export interface RecordedCase<G> {
  readonly case: {
    readonly id: string;
    readonly title: string;
    readonly argv?: readonly string[];
    readonly env?: Readonly<Record<string, string | null>>;
    readonly files?: Readonly<Record<string, CaseFile>>;
    readonly server?: ApiPlan;
    readonly ignore?: readonly string[];
    readonly flags?: { readonly anyPvcNumber?: boolean; readonly sortLocalDirs?: boolean };
    readonly must?: readonly (string | { readonly text: string; readonly since?: string; readonly until?: string })[];
    readonly mustNot?: readonly string[];
  };
  /** Behavior of Apache's client by version. */
  readonly golden: Readonly<Record<string, G>>;
}

/** Reads all cases of a directory of `recorded/`, by subject. */
export function recordedCases<G>(directory: string): ReadonlyMap<string, readonly RecordedCase<G>[]> {
  const path = join(import.meta.dirname, "recorded", directory);
  return new Map(
    readdirSync(path)
      .sort()
      .map((name) => [name.replace(/\.json$/, ""), parseCases<G>(readFileSync(join(path, name), "utf8"))]),
  );
}

function parseCases<G>(text: string): readonly RecordedCase<G>[] {
  return JSON.parse(text);
}

/** Differences that `differences.md` documents for one directory of `recorded/`. */
export interface KnownDifferences {
  readonly has: (id: string, version: string) => boolean;
  /** IDs of cases, as written. */
  readonly ids: readonly string[];
}

/** Reads the table of a section: cases as `id`, or as `id@version` for a single version. */
export function knownDifferences(heading: string): KnownDifferences {
  const text = readFileSync(join(import.meta.dirname, "differences.md"), "utf8");
  const [, section = ""] = new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, "m").exec(text) ?? [];
  const cells = [...section.matchAll(/^\| ([ceT]\d[^|]*) \| [^|]+ \|$/gm)].map(([, cell = ""]) => cell);
  const entries = cells.flatMap((cell) => cell.split(",").map((entry) => entry.trim()));
  return {
    has: (id, version) => entries.includes(id) || entries.includes(`${id}@${version}`),
    ids: entries.map((entry) => entry.replace(/@.*$/, "")),
  };
}
