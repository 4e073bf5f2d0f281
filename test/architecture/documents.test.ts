import { describe, expect, test } from "vitest";
import { generatedPages } from "../../scripts/docs/pages.ts";
import { publicNames } from "../../scripts/docs/public-names.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { options } from "../../src/command-line/options.ts";
import { behaviorsOf } from "../../src/conf/behaviors.ts";
import { allEntries, allPrefixEntries } from "../../src/conf/entries/all.ts";
import { causes } from "../../src/diagnosis/causes.ts";
import { errorCodes } from "../../src/errors/codes.ts";
import { isTestPath, projectFiles, readIfThere } from "./sources.ts";

const files = projectFiles();
const page = (path: string) => readIfThere(path) ?? "";

describe("generated pages", () => {
  test.each(Object.keys(generatedPages))("%s matches the code; else run npm run update:docs", async (path) => {
    expect(page(path)).toBe(await generatedPages[path]?.());
  });

  test("every code, option and setting is on its page", () => {
    expect(Object.keys(errorCodes).filter((code) => !page("docs/errors.md").includes(`\`${code}\``))).toEqual([]);
    expect(options.filter(({ flag }) => !page("docs/command-line.md").includes(`\`${flag}`))).toEqual([]);
    const keys = [...allEntries.map(({ key }) => key), ...allPrefixEntries.map(({ prefix }) => prefix)];
    expect(keys.filter((key) => !page("docs/configuration.md").includes(`\`${key}`))).toEqual([]);
  });

  test("every exit code is on the commands page", () => {
    const shown = page("docs/commands.md").split("## Exit codes")[1] ?? "";
    expect(Object.values(exitCodes).filter((code) => !new RegExp(`\\b${code}\\b`).test(shown))).toEqual([]);
  });

  test("every cause of a problem is on its page", () => {
    const shown = page("docs/why-did-my-driver-not-start.md");
    expect(Object.keys(causes).filter((cause) => !shown.includes(`| \`${cause}\` |`))).toEqual([]);
  });

  test("documents name only known error codes", () => {
    const named = files
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => page(path).match(/\bSUBMIT_ERR_[A-Z_]*[A-Z]\b(?!_|…)/g) ?? []);
    expect([...new Set(named)].filter((code) => !(code in errorCodes))).toEqual([]);
  });
});

describe("public names of the library", () => {
  const names = publicNames();

  test("have a description and an example, and so do the members of clients and handles", () => {
    const all = names.flatMap((owner) => [owner, ...owner.members]);
    expect(all.filter(({ text, example }) => text === "" || example === undefined).map(({ name }) => name)).toEqual([]);
    const documented = names.filter(({ members }) => members.length > 0).map(({ name }) => name);
    expect(documented).toEqual(["Application", "Firesteel", "FiresteelError"]);
  });
});

describe("the compatibility page", () => {
  const compatibility = page("docs/compatibility.md");

  test("has a row for each behavior", () => {
    const rows = new Set([...compatibility.matchAll(/\| `(\w+)` \| `(?:src|test)\//g)].map(([, name]) => name));
    expect(Object.keys(behaviorsOf({})).filter((name) => !rows.has(name))).toEqual([]);
  });

  test("names existing tests", () => {
    const named = [...compatibility.matchAll(/`((?:src|test)\/[^`]+\.test\.ts)`/g)].map(([, path = ""]) => path);
    expect(named.filter((path) => !files.includes(path))).toEqual([]);
  });

  test("FIRESTEEL_STRICT is read in one file", () => {
    const readers = files.filter(
      (path) => path.startsWith("src/") && !isTestPath(path) && /"FIRESTEEL_STRICT"/.test(page(path)),
    );
    expect(readers).toEqual(["src/conf/behaviors.ts"]);
  });
});

describe("tests", () => {
  const tests = files.filter((path) => isTestPath(path) || path.startsWith("test/")).map(page);

  test("a test expects every error code", () => {
    const all = tests.join("\n");
    expect(Object.keys(errorCodes).filter((code) => !all.includes(code))).toEqual([]);
  });

  test("every option of the table is in a golden case", () => {
    const recorded = files
      .filter((path) => path.startsWith("test/golden/recorded/"))
      .map(page)
      .join("\n");
    const missing = options
      .filter(({ group, hidden }) => group !== "firesteel" && hidden !== true)
      .filter(({ flag }) => !recorded.includes(`"${flag}"`) && !recorded.includes(`"${flag}=`));
    expect(missing.map(({ flag }) => flag)).toEqual([]);
  });
});

describe("links", () => {
  const links = files
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) =>
      [...page(path).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = ""]) => {
        const { pathname, hash } = new URL(link, `file:///${path}`);
        return { path, link, target: pathname.slice(1), heading: hash.slice(1) };
      }),
    );

  test("every link of a document points to a file", () => {
    const broken = links.filter(
      ({ target }) => !files.some((file) => file === target || file.startsWith(`${target.replace(/\/$/, "")}/`)),
    );
    expect(broken).toEqual([]);
  });

  test("every link to a section of a document points to a heading", () => {
    const broken = links.filter(
      ({ target, heading }) => target.endsWith(".md") && heading !== "" && !headingsOf(page(target)).includes(heading),
    );
    expect(broken).toEqual([]);
  });
});

/** Lists the IDs of a page's headings, as GitHub and VitePress derive them for the headings here. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}
