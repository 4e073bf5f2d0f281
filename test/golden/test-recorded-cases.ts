import { describe, expect, test } from "vitest";
import { knownDifferences, type RecordedCase, recordedCases } from "./recorded-case.ts";

/**
 * Defines a test for each recorded case and version. A case of `differences.md` must differ from its recording, every other case must not.
 *
 * @param heading section of `differences.md`
 * @param directories directories of `recorded/`
 * @param compare describes all differences between a run and its recording; empty if there are none
 */
export function testRecordedCases<G>(
  heading: string,
  directories: readonly string[],
  compare: (kase: RecordedCase<G>, golden: G, version: string) => Promise<string>,
): void {
  const differences = knownDifferences(heading);
  const pages = directories.flatMap((directory) => [...recordedCases<G>(directory)]);

  describe.each(pages)("%s", (_, cases) => {
    const runs = cases.flatMap((kase) =>
      Object.entries(kase.golden).map(([version, golden]) => ({ kase, golden, version, ...kase.case })),
    );

    test.each(runs.filter(({ id, version }) => !differences.has(id, version)))(
      "$id $title, as Spark $version",
      async ({ kase, golden, version }) => {
        const differs = await compare(kase, golden, version);
        if (differs !== "") expect.fail(differs);
      },
    );

    test.each(runs.filter(({ id, version }) => differences.has(id, version)))(
      "$id $title, as Spark $version, differs as documented in differences.md",
      async ({ kase, golden, version }) => {
        expect(await compare(kase, golden, version)).not.toBe("");
      },
    );
  });

  test("differences.md names only existing cases", () => {
    const ids = pages.flatMap(([, cases]) => cases).map(({ case: { id } }) => id);
    expect(differences.ids.filter((id) => !ids.includes(id))).toEqual([]);
  });
}
