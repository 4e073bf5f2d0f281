import type { Transport } from "../../src/kube/transport.ts";

/** One call of an API; the answer's JSON, or its text. @throws Error when the API refuses. */
export async function call(
  transport: Transport,
  request: Omit<Parameters<Transport>[0], "headers">,
): Promise<string> {
  const answer = await transport({ ...request, headers: { "content-type": "application/json" } });
  let text = "";
  for await (const chunk of answer.body) text += Buffer.from(chunk).toString("utf8");
  if (answer.status >= 400) throw new Error(`${request.method} ${request.path}: ${answer.status} ${text}`);
  return text;
}

/** Creates an object of the core group in the namespace `default`. */
export async function createObject(transport: Transport, plural: string, object: object): Promise<void> {
  const path = `/api/v1/namespaces/default/${plural}`;
  await call(transport, { method: "POST", path, body: JSON.stringify(object) });
}
