import { spawnSync } from "node:child_process";
import { type Browser, chromium, type Page } from "playwright-core";

/** Starts the Chromium of this machine. @throws Error if there is none */
export function startBrowser(): Promise<Browser> {
  const search = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" });
  // Containers often forbid the namespaces of Chromium's own sandbox.
  return chromium.launch({ executablePath: search.stdout.trim(), args: ["--no-sandbox"] });
}

/** Returns the violations that axe-core finds in a page, as rule and element. */
export async function accessibilityViolations(page: Page, axe: string): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>("axe.run()");
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
