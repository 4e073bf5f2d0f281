import { visibleText } from "../../host/visible-text.ts";

/**
 * Prints an object as a YAML document, with its fields in their order. An object with characters that the output would escape is printed
 * as JSON, which is YAML: only there are the escapes read as these characters.
 */
export async function printYaml(object: object): Promise<string> {
  const { dump } = await import("js-yaml");
  const yaml = dump(object, { lineWidth: -1, noRefs: true });
  return yaml === visibleText(yaml) ? yaml : `${visibleText(JSON.stringify(object, undefined, 2))}\n`;
}
