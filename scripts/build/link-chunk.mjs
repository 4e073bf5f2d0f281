import { parseAst } from "rolldown/parseAst";

/**
 * Turns an ES module chunk into a function expression, `(function (require, load) {…return exports})`, for `vm.Script`.
 *
 * Imported names become constants and exports become properties of one object. Every `import()` becomes `load()`, which starts no
 * module loader for a chunk or a Node module. Namespace objects become literals, so that no chunk with the bundler's helper is
 * loaded for them. Decision 0030 has the measurements.
 */
export function linkChunk(code) {
  const { body } = parseAst(code);
  const namespaces = body.flatMap(namespaceObjects);
  const helpers = new Set(namespaces.map(({ callee }) => callee.name));
  const edits = body
    .flatMap((statement) => linkStatement(statement, helpers))
    .concat(namespaces.map(linkNamespace), dynamicImports(body).map(linkDynamicImport));
  let linked = code;
  for (const { start, end, text } of edits.sort((a, b) => b.start - a.start)) {
    linked = linked.slice(0, start) + text + linked.slice(end);
  }
  return withAsciiOnly(`(function (require, load) {${linked}\n})`);
}

/** Escapes other characters, which occur in strings only: V8 stores a source with one of them in two bytes per character. */
function withAsciiOnly(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function linkStatement({ type, start, end, source, specifiers, declaration }, helpers) {
  if (type === "ImportDeclaration") {
    const used = specifiers.filter(({ local }) => !helpers.has(local.name));
    return [{ start, end, text: used.length < specifiers.length && used.length === 0 ? "" : linkImport(used, source) }];
  }
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

/** Finds the calls `const x = helper({ name: () => local, … })` that create namespace objects. */
function namespaceObjects({ type, declarations }) {
  if (type !== "VariableDeclaration") return [];
  const calls = declarations.flatMap(({ init }) => (init?.type === "CallExpression" ? [init] : []));
  return calls.filter(
    ({ callee, arguments: args }) => callee.type === "Identifier" && args.length === 1 && isGetters(args[0]),
  );
}

function isGetters({ type, properties }) {
  return type === "ObjectExpression" && properties.length > 0 && properties.every(({ value }) => isGetter(value));
}

function isGetter(value) {
  return value?.type === "ArrowFunctionExpression" && value.params.length === 0 && value.body.type === "Identifier";
}

function linkNamespace({ start, end, arguments: [{ properties }] }) {
  const getters = properties.map(({ key, value }) => `get ${key.name ?? key.raw}(){return ${value.body.name}}`);
  return { start, end, text: `{__proto__:null,${getters}}` };
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
