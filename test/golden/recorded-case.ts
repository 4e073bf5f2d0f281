import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a case puts into a file of its folder. */
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

/** An answer that the API gives instead of its own. The first rule that fits and is not used up answers. */
export interface Rule {
  /** `WATCH` is one. */
  readonly method?: string;
  /** A pattern. */
  readonly path?: string;
  readonly status: number;
  readonly message?: string;
  readonly reason?: string;
  readonly times?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

/** What happens to the driver pod, `afterMs` after the step before; the first follows the first watch. */
export interface PodStep {
  readonly afterMs?: number;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly delete?: boolean;
  readonly event?: { readonly type: string; readonly object: unknown };
  readonly closeWatch?: boolean;
}

export interface ApiPlan {
  readonly tls?: boolean;
  readonly pathPrefix?: string;
  readonly objects?: readonly ApiObject[];
  readonly files?: Readonly<Record<string, string>>;
  readonly rules?: readonly Rule[];
  readonly pod?: readonly PodStep[];
  readonly podFrom?: "create";
}

export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** One command line with its surroundings; texts may hold `{{DIR}}`, `{{API}}`, `{{PORT}}`. */
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
    readonly must?: readonly (
      | string
      | { readonly text: string; readonly since?: string; readonly until?: string }
    )[];
    readonly mustNot?: readonly string[];
  };
  /** What Apache's client did, by its version. */
  readonly golden: Readonly<Record<string, G>>;
}

/** All cases of a folder of `recorded/`, by the name of their subject. */
export function recordedCases<G>(folder: string): ReadonlyMap<string, readonly RecordedCase<G>[]> {
  const path = join(import.meta.dirname, "recorded", folder);
  return new Map(
    readdirSync(path)
      .sort()
      .map((name) => [name.replace(/\.json$/, ""), parseCases<G>(readFileSync(join(path, name), "utf8"))]),
  );
}

function parseCases<G>(text: string): readonly RecordedCase<G>[] {
  return JSON.parse(text);
}

/** The gaps that `differences.md` owns, for one folder of `recorded/`. */
export interface KnownDifferences {
  readonly has: (id: string, version: string) => boolean;
  /** Ids of cases, as written. */
  readonly ids: readonly string[];
}

/** Reads a section's table: cases as `id` or, for one version alone, `id@version`. */
export function knownDifferences(heading: string): KnownDifferences {
  const text = readFileSync(join(import.meta.dirname, "differences.md"), "utf8");
  const [, section = ""] =
    new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, "m").exec(text) ?? [];
  const cells = [...section.matchAll(/^\| ([ceT]\d[^|]*) \| [^|]+ \|$/gm)].map(([, cell = ""]) => cell);
  const entries = cells.flatMap((cell) => cell.split(",").map((entry) => entry.trim()));
  return {
    has: (id, version) => entries.includes(id) || entries.includes(`${id}@${version}`),
    ids: entries.map((entry) => entry.replace(/@.*$/, "")),
  };
}
