import type { Host } from "./host.ts";

/**
 * Creates or replaces a small file. Readers see the old or the new content, even if this process is killed. After a power failure
 * the file may be damaged, so its readers must check it.
 */
export function replaceFile(
  { files, random }: Pick<Host, "files" | "random">,
  path: string,
  content: string,
  options: { readonly mode?: number } = {},
): void {
  // Several processes may replace the same file. Readers of the directory skip names that begin with a dot.
  const end = path.lastIndexOf("/") + 1;
  const draft = `${path.slice(0, end)}.${path.slice(end)}.${random.uuid()}.tmp`;
  try {
    files.write(draft, content, options);
    files.rename(draft, path);
  } catch (error) {
    files.remove(draft);
    throw error;
  }
}
