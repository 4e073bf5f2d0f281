/**
 * Loads a module of whoever runs us, at its `file:` URL.
 *
 * Apart from all else because our programs are bundled, where `import()` of our own parts becomes something quicker:
 * there, `scripts/program.cjs` is this module.
 */
export function importModule(url: string): Promise<unknown> {
  return import(url);
}
