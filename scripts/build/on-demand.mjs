import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAst } from "rolldown/parseAst";

/**
 * Plugin that loads a chunk when synchronous code first calls one of its functions.
 *
 * A static import of an `onDemand` file from outside of its chunk gets functions that require the chunk when they are called.
 * The module `chunk:NAME` exports all functions of a chunk.
 */
export function onDemand(root, chunks) {
  const chunkOf = new Map();
  for (const [name, { onDemand = [] }] of Object.entries(chunks)) {
    for (const file of onDemand) chunkOf.set(join(root, file), name);
  }
  const filesOf = (name) => [...chunkOf.keys()].filter((file) => chunkOf.get(file) === name);
  return {
    name: "on-demand",
    resolveId(id, importer = "", { kind }) {
      if (id.startsWith("chunk:")) return `\0${id}`;
      if (importer.startsWith("\0call:")) return { id, external: true };
      if (!id.startsWith(".") || kind !== "import-statement") return undefined;
      const file = join(dirname(importer), id);
      return chunkOf.get(file) === chunkOf.get(importer) || !chunkOf.has(file) ? undefined : `\0call:${file}`;
    },
    load(id) {
      const [type, name] = id.split(":", 2);
      if (type === "\0chunk")
        return filesOf(name)
          .map((file) => `export { ${exportedFunctions(file)} } from ${JSON.stringify(file)};`)
          .join("\n");
      if (type !== "\0call") return undefined;
      const chunk = `./${chunkOf.get(name)}.cjs`;
      return exportedFunctions(name)
        .map((call) => `export const ${call} = (...args) => require("${chunk}").${call}(...args);`)
        .join("\n");
    },
  };
}

function exportedFunctions(file) {
  return parseAst(readFileSync(file, "utf8"), { lang: "ts" }, file).body.flatMap(({ type, declaration }) =>
    type === "ExportNamedDeclaration" && declaration?.type === "FunctionDeclaration" ? [declaration.id.name] : [],
  );
}
