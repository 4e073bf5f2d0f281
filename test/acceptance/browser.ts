import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Starts the Chromium of this machine. @throws Error if there is none */
export function startBrowser(): Promise<Browser> {
  const candidates = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((directory) => names.map((name) => join(directory, name)));
  const executablePath = candidates.find(isExecutable);
  if (executablePath === undefined) throw new Error(`None of these programs is in PATH: ${names.join(", ")}.`);
  // Containers often forbid the namespaces of Chromium's own sandbox.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the violations that axe-core finds in a page, as rule and element. */
export async function accessibilityViolations(page: Page, axe: string): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>("axe.run()");
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
