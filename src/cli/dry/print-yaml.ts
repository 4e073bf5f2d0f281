/** Prints an object as a YAML document, with its fields in their order. */
export async function printYaml(object: object): Promise<string> {
  const { dump } = await import("js-yaml");
  return dump(object, { lineWidth: -1, noRefs: true });
}
