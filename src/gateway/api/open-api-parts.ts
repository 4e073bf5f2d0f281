/** Schemas of values that several parts of the API have. */
export const text = { type: "string" };
export const integer = { type: "integer" };
export const time = { type: "string", format: "date-time" };

/** A response with a problem. */
export const failure = {
  description: "A problem, in the form of RFC 9457.",
  content: { "application/problem+json": { schema: ref("Problem") } },
};

/** Returns a reference to a schema of the description. */
export function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns a JSON body. */
export function content(schema: object) {
  return { "application/json": { schema } };
}

/** Returns a response with a JSON body. */
export function response(description: string, schema: object) {
  return { description, content: content(schema) };
}

/** Returns a parameter of the query. */
export function query(name: string, schema: object) {
  return { name, in: "query", schema };
}

/** Parameters of a page. */
export const pageQuery = [
  query("limit", integer),
  query("after", { ...text, description: "Value of `next` of the page before." }),
];

/** Returns an operation of a path. */
export function operation(summary: string, parts: object) {
  return { summary, ...parts };
}
