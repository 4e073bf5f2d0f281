/** Configurations of Ivy's view of a POM that a dependency of each scope maps to, in Ivy's order. */
const required: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  compile: [
    ["compile", ["master(*)", "compile(*)"]],
    ["runtime", ["runtime(*)"]],
  ],
  provided: [["provided", ["master(*)", "runtime(*)", "provided(*)", "compile(*)"]]],
  runtime: [["runtime", ["master(*)", "runtime(*)", "compile(*)"]]],
  test: [["test", ["master(*)", "runtime(*)"]]],
  system: [["system", ["master(*)"]]],
};

const optional: Readonly<Record<string, readonly string[]>> = {
  compile: ["master(*)", "compile(*)"],
  provided: ["master(*)", "runtime(*)", "provided(*)", "compile(*)"],
  runtime: ["master(*)", "provided(*)", "compile(*)"],
  test: ["master(*)", "runtime(*)"],
  system: ["master(*)"],
};

/** Configurations of a POM's module, and those that each extends. `master` contains the main artifact. */
export const pomConfigurations: ReadonlyMap<string, readonly string[]> = new Map([
  ["default", ["runtime", "master"]],
  ["master", []],
  ["compile", []],
  ["provided", []],
  ["runtime", ["compile"]],
  ["test", ["runtime"]],
  ["system", []],
  ["sources", []],
  ["javadoc", []],
  ["optional", []],
]);

/** Returns `undefined` for a scope that Maven does not have. */
export function knownScope(scope: string | undefined): string | undefined {
  return scope !== undefined && Object.hasOwn(required, scope) ? scope : undefined;
}

/** Maps configurations to those of a dependency with a known scope. */
export function mappingOf(scope: string, isOptional: boolean): readonly (readonly [string, readonly string[]])[] {
  return isOptional ? [["optional", optional[scope] ?? []]] : (required[scope] ?? []);
}
