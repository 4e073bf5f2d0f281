import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAst } from "rolldown/parseAst";

/**
 * Plugin that reduces what each submission loads of the settings in `src/conf`, by 20 kB:
 *
 * - Removes the documentation of the settings, and the form of their values.
 * - Lists the names of each module that another one imports as a whole, so that this list is in the chunk that uses it.
 */
export function trimSettings(root) {
  const directory = join(root, "src", "conf");
  return {
    name: "trim-settings",
    transform(code, id) {
      if (!id.startsWith(directory)) return undefined;
      const { body } = parseAst(code, { lang: "ts" });
      const edits = [...documentationIn(body), ...body.flatMap((statement) => namespaceImport(statement, id))];
      let trimmed = code;
      for (const { start, end, text } of edits.sort((a, b) => b.start - a.start)) {
        trimmed = trimmed.slice(0, start) + text + trimmed.slice(end);
      }
      return trimmed;
    },
  };
}

function documentationIn(node) {
  if (node === null || typeof node !== "object") return [];
  const { type, key, value, start, end } = node;
  const isText = value?.type === "Literal" || value?.type === "TemplateLiteral";
  const isRemoved = type === "Property" && ((key.name === "doc" && isText) || key.name === "form");
  if (!isRemoved) return Object.values(node).flatMap(documentationIn);
  // An empty spread leaves no trace after minification.
  return [{ start, end, text: "...{}" }];
}

/** `import * as app from "./app.ts"` becomes `import { appName as app_appName } from "./app.ts"; const app = { appName: app_appName }`. */
function namespaceImport({ type, specifiers, source, start, end }, importer) {
  if (type !== "ImportDeclaration" || specifiers[0]?.type !== "ImportNamespaceSpecifier") return [];
  const { name } = specifiers[0].local;
  const exported = exportedNames(join(dirname(importer), source.value));
  const imports = exported.map((each) => `${each} as ${name}_${each}`);
  const properties = exported.map((each) => `${each}: ${name}_${each}`);
  return [{ start, end, text: `import { ${imports} } from ${source.raw}; const ${name} = { ${properties} };` }];
}

function exportedNames(file) {
  return parseAst(readFileSync(file, "utf8"), { lang: "ts" }).body.flatMap(({ type, exportKind, declaration }) => {
    if (type !== "ExportNamedDeclaration" || exportKind === "type" || !declaration) return [];
    return declaration.declarations?.map(({ id }) => id.name) ?? [declaration.id.name];
  });
}
