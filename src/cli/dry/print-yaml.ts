/** An object as a YAML document, fields in the order in which they come. */
export async function printYaml(object: object): Promise<string> {
  const { dump } = await import("js-yaml");
  return dump(object, { lineWidth: -1, noRefs: true });
}
