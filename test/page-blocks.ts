import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Reads the fenced blocks of a page in one language, in the page's order. @param page path in the project's directory */
export function pageBlocks(page: string, language: string): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, "..", page), "utf8");
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return [...blocks].map(([, block = ""]) => block);
}
