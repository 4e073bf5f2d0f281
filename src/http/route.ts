/** One thing that a server does: `path` has names in braces for what is one segment or a part of one, e.g. `/uploads/{id}:commit`. */
export interface Route<R> {
  readonly method: string;
  readonly path: string;
  readonly run: R;
}

/** Result of matching a request to a route. */
type RouteMatch<R> =
  | {
      readonly kind: "found";
      readonly route: Route<R>;
      readonly parameters: Readonly<Record<string, string>>;
    }
  | { readonly kind: "wrongMethod"; readonly allowed: readonly string[] }
  | { readonly kind: "unknown" };

/** Sorts requests by method and path. A path is matched as it was sent: nothing is decoded, `..` leads nowhere. */
export function router<R>(routes: readonly Route<R>[]): (method: string, path: string) => RouteMatch<R> {
  const rows = routes.map((route) => ({ route, pattern: patternOf(route.path) }));
  return (method, path) => {
    const fitting = rows.flatMap(({ route, pattern }) => {
      const match = pattern.exec(path);
      return match === null ? [] : [{ route, parameters: { ...match.groups } }];
    });
    const found = fitting.find(({ route }) => route.method === method);
    if (found !== undefined) return { kind: "found", ...found };
    if (fitting.length === 0) return { kind: "unknown" };
    return { kind: "wrongMethod", allowed: [...new Set(fitting.map(({ route }) => route.method))] };
  };
}

function patternOf(path: string): RegExp {
  const source = path.replace(/\{(\w+)\}|[^\w/]/g, (text, name: string | undefined) =>
    name === undefined ? `\\${text}` : `(?<${name}>[^/:]+)`,
  );
  return new RegExp(`^${source}$`);
}
