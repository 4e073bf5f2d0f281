import { parseAst } from "rolldown/parseAst";

/**
 * Turns an ES module chunk into a function expression, `(function (require, load) {…return exports})`, for `vm.Script`.
 *
 * Imported names become constants and exports become properties of one object. Every `import()` becomes `load()`, which starts no
 * module loader for a chunk or a Node module. Decision 0030 has the measurements.
 */
export function linkChunk(code) {
  const { body } = parseAst(code);
  const edits = body.flatMap(linkStatement).concat(dynamicImports(body).map(linkDynamicImport));
  let linked = code;
  for (const { start, end, text } of edits.sort((a, b) => b.start - a.start)) {
    linked = linked.slice(0, start) + text + linked.slice(end);
  }
  return `(function (require, load) {${linked}\n})`;
}

function linkStatement({ type, start, end, source, specifiers, declaration }) {
  if (type === "ImportDeclaration") return [{ start, end, text: linkImport(specifiers, source) }];
  if (!type.startsWith("Export")) return [];
  if (type !== "ExportNamedDeclaration" || declaration !== null) throw new Error(`cannot link a chunk with ${type}`);
  const from = source === null ? "" : `require(${source.raw}).`;
  const properties = specifiers.map(({ local, exported }) => `${exported.name}:${from}${local.name}`);
  return [{ start, end, text: `return{__proto__:null,${properties}};` }];
}

function linkImport(specifiers, source) {
  const call = `require(${source.raw})`;
  const isNamed = ({ type }) => type === "ImportSpecifier";
  const namespaces = specifiers.filter((specifier) => !isNamed(specifier)).map(({ local }) => local.name);
  const named = specifiers.filter(isNamed).map(({ imported, local }) => `${imported.name}:${local.name}`);
  const targets = [...namespaces, ...(named.length > 0 ? [`{${named}}`] : [])];
  // The bundler leaves an import of node:module that nothing uses.
  if (targets.length === 0) return source.value.startsWith("node:") ? "" : `${call};`;
  return targets.map((target) => `const ${target}=${call};`).join("");
}

/** A script of `vm` cannot import: the program does. */
function linkDynamicImport({ start }) {
  return { start, end: start + "import".length, text: "load" };
}

function dynamicImports(node) {
  if (node === null || typeof node !== "object") return [];
  const own = node.type === "ImportExpression" ? [node] : [];
  return own.concat(Object.values(node).flatMap(dynamicImports));
}
