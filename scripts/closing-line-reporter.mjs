/** Names the tests that passed only after a retry, and ends the output with one line for programs: `N passed, N failed, N skipped`. */
// biome-ignore lint/style/noDefaultExport: vitest loads reporters by their default export.
export default class ClosingLineReporter {
  onTestRunEnd(modules, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    const flaky = [];
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state in counts) counts[state] += 1;
        if (test.diagnostic()?.flaky) flaky.push(`${module.moduleId}: ${test.fullName}`);
      }
    }
    process.on("exit", () => {
      for (const name of flaky) process.stdout.write(`\npassed only after a retry: ${name}`);
      process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    });
  }
}
