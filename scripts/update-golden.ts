/**
 * Copies recordings of Apache's clients to `test/golden/recorded`, without the parts that no comparison reads.
 *
 * A kit has `cases-visible/*.json` and `golden-visible/VERSION/CASE.json`. Keeps all cases of the newest version, and of other versions
 * the cases marked as core: they use each feature once.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { exitWithUsage, verifyPages, writePages } from "./write-pages.ts";

const usage = `usage: npm run update:golden -- [--kubernetes KIT] [--front-end KIT] [--regressions KIT]
       npm run verify:golden -- [--kubernetes KIT] [--front-end KIT] [--regressions KIT]

  --kubernetes KIT   directory with the recorded submissions to Kubernetes
  --front-end KIT    directory with the recorded command lines, and submissions to standalone masters
  --regressions KIT  directory with further submissions to Kubernetes: cases that Firesteel once got wrong`;
const newest = "4.3.0";
const target = "test/golden/recorded";

/** File name by the section number that a kit uses. */
const fileNames: Readonly<Record<string, string>> = {
  "14.2": "application",
  "14.3": "master",
  "14.4": "names-and-labels",
  "14.5": "resources-and-ports",
  "14.6": "volumes-and-secrets",
  "14.7": "dependencies",
  "14.8": "configuration-directory",
  "14.9": "templates-and-steps",
  "14.10": "authentication",
  "14.11": "failures-and-waiting",
  "14.12": "kill-and-status",
  "15": "newer-features",
};

interface KubernetesCase {
  readonly id: string;
  readonly section: string;
  readonly core?: boolean;
  readonly skip?: string;
  readonly timeoutMs?: number;
  readonly launcher?: string;
  readonly ignore?: readonly string[];
  readonly compare?: readonly string[];
}

interface KubernetesGolden {
  readonly exit: number | string;
  readonly requests: readonly string[];
  readonly auth: readonly string[];
  readonly deletes: readonly unknown[];
  readonly objects: readonly unknown[];
  readonly uploads: readonly unknown[];
  readonly messages: readonly { readonly text: string; readonly must: boolean }[];
}

interface FrontEndCase {
  readonly id: string;
  readonly section: string;
  readonly program?: string;
  readonly needsSpark?: boolean;
  readonly gateway?: unknown;
  readonly skip?: string;
  readonly subset?: boolean;
  readonly exit?: unknown;
  readonly compare?: unknown;
  readonly optional?: unknown;
}

interface FrontEndGolden {
  readonly exit: number;
  readonly usage?: unknown;
  readonly verbose?: unknown;
  readonly messages?: readonly { readonly text: string; readonly must?: boolean }[];
  readonly requests?: unknown;
}

const { values } = parseArgs({
  options: {
    kubernetes: { type: "string" },
    "front-end": { type: "string" },
    regressions: { type: "string" },
    verify: { type: "boolean" },
  },
});
const pages = [
  ...(values.kubernetes === undefined ? [] : kubernetesPages(values.kubernetes, "kubernetes")),
  ...(values.regressions === undefined ? [] : kubernetesPages(values.regressions, "kubernetes-regressions")),
  ...(values["front-end"] === undefined ? [] : frontEndPages(values["front-end"])),
  ...(values["front-end"] === undefined ? [] : gatewayPages(values["front-end"])),
];
if (pages.length === 0) exitWithUsage("Name at least one kit with recorded cases.", usage);
if (values.verify === true) {
  verifyPages(pages, "npm run update:golden");
} else {
  for (const directory of new Set(pages.map(([path]) => dirname(path)))) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }
  writePages(pages);
}

function kubernetesPages(kit: string, directory: string): [string, string][] {
  const cases = casesOf<KubernetesCase>(kit).filter(({ skip }) => skip === undefined);
  return pagesOf(directory, cases, ({ core, timeoutMs, launcher, ...kept }) => ({
    ...kept,
    golden: goldensOf<KubernetesGolden>({ kit, id: kept.id, core: core === true }, (golden) => ({
      exit: golden.exit,
      // Where Apache's client changed nothing, Firesteel must change nothing.
      ...(golden.requests.length === 0 ? { changes: false } : {}),
      ...(kept.ignore?.includes("auth") === true ? {} : { auth: golden.auth }),
      ...(kept.compare?.includes("deletes") === true ? { deletes: golden.deletes } : {}),
      ...(golden.uploads.length === 0 ? {} : { uploads: golden.uploads }),
      ...(kept.ignore?.includes("objects") === true ? {} : { objects: golden.objects }),
      must: golden.messages.filter(({ must }) => must).map(({ text }) => text),
    })),
  }));
}

function frontEndPages(kit: string): [string, string][] {
  const cases = casesOf<FrontEndCase>(kit).filter(
    ({ section, program, needsSpark, gateway, skip }) =>
      /^[123457] /.test(section) &&
      program === undefined &&
      needsSpark !== true &&
      gateway === undefined &&
      skip === undefined,
  );
  return pagesOf("front-end", cases, ({ subset, needsSpark, exit, compare, optional, ...kept }) => ({
    ...kept,
    golden: goldensOf<FrontEndGolden>({ kit, id: kept.id, core: subset === true }, (golden) => ({
      exit: golden.exit,
      ...(golden.usage === undefined ? {} : { usage: golden.usage }),
      ...(golden.verbose === undefined ? {} : { verbose: golden.verbose }),
      must: (golden.messages ?? []).filter(({ must }) => must === true).map(({ text }) => text),
    })),
  }));
}

/** Requests that each version sent to a standalone master. */
function gatewayPages(kit: string): [string, string][] {
  const cases = casesOf<FrontEndCase>(kit).filter(
    ({ section, skip }) => section === "6 standalone gateway" && skip === undefined,
  );
  return pagesOf("standalone", cases, ({ subset, needsSpark, exit, compare, optional, ...kept }) => ({
    ...kept,
    golden: goldensOf<FrontEndGolden>({ kit, id: kept.id, core: true }, (golden) => ({
      exit: golden.exit,
      ...(golden.verbose === undefined ? {} : { verbose: golden.verbose }),
      ...(golden.requests === undefined ? {} : { requests: golden.requests }),
      must: (golden.messages ?? []).filter(({ must }) => must === true).map(({ text }) => text),
    })),
  }));
}

function casesOf<C>(kit: string): C[] {
  const directory = join(kit, "cases-visible");
  return readdirSync(directory)
    .sort()
    .flatMap((name) => readJson<C[]>(join(directory, name)));
}

/** Builds one file per section, with one line per case and per recording, so that diffs are readable. */
function pagesOf<C extends { readonly section: string; readonly id: string }>(
  directory: string,
  cases: readonly C[],
  compact: (kase: C) => { readonly section: string; readonly golden: Readonly<Record<string, unknown>> },
): [string, string][] {
  const sections = [...new Set(cases.map(({ section }) => section))];
  return sections.flatMap((section): [string, string][] => {
    const lines = cases
      .filter((kase) => kase.section === section)
      .map(compact)
      .filter(({ golden }) => Object.keys(golden).length > 0)
      .map(({ golden, section: _, ...kase }) => {
        const goldens = Object.entries(golden).map(([version, record]) => `  "${version}":${JSON.stringify(record)}`);
        return `{"case":${JSON.stringify(kase)},\n "golden":{\n${goldens.join(",\n")}}}`;
      });
    const name =
      fileNames[section] ??
      section
        .toLowerCase()
        .replace(/[^a-z]+/g, "-")
        .replace(/^-/, "");
    return lines.length === 0 ? [] : [[join(target, directory, `${name}.json`), `[\n${lines.join(",\n")}\n]\n`]];
  });
}

function goldensOf<G>(
  { kit, id, core }: { kit: string; id: string; core: boolean },
  compact: (golden: G) => unknown,
): Record<string, unknown> {
  const directory = join(kit, "golden-visible");
  const versions = readdirSync(directory).filter((name) => /^\d/.test(name) && (core || name === newest));
  return Object.fromEntries(
    versions
      .map((version) => [version, join(directory, version, `${id}.json`)] as const)
      .filter(([, path]) => existsSync(path))
      .map(([version, path]) => [version, compact(readJson<G>(path))]),
  );
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8"));
}
