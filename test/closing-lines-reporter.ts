import type { Reporter, TestModule } from "vitest/node";
import { closingLines, type TestEnd } from "./closing-lines.ts";

interface Filters {
  readonly testNamePattern?: RegExp | undefined;
  readonly tagsFilter?: readonly string[] | undefined;
}

/** Prints the closing lines of a run, and fails the run if they report a problem. */
// biome-ignore lint/style/noDefaultExport: vitest loads reporters by their default export.
export default class ClosingLinesReporter implements Reporter {
  #isFiltered = false;

  onInit({ config }: { readonly config: Filters }): void {
    this.#isFiltered = config.testNamePattern !== undefined || config.tagsFilter !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const { lines, hasProblems } = closingLines({
      tests: modules.flatMap(testEnds),
      errors: errors.length + modules.reduce((sum, module) => sum + module.errors().length, 0),
      isFiltered: this.#isFiltered,
      isCi: process.env["CI"] !== undefined,
    });
    process.on("exit", () => {
      process.stdout.write(`\n${lines.join("\n")}\n`);
      if (hasProblems) process.exitCode = 1;
    });
  }
}

function testEnds(module: TestModule): readonly TestEnd[] {
  return [...module.children.allTests()].map((test) => {
    const result = test.result();
    return {
      name: `${module.relativeModuleId}: ${test.fullName}`,
      state: result.state,
      note: result.state === "skipped" ? result.note : undefined,
      retries: test.diagnostic()?.retryCount ?? 0,
    };
  });
}
