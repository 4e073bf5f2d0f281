import type { Transport } from "../../src/kube/transport.ts";

/** Calls an API. @returns the response as JSON, or text @throws Error for error responses */
export async function call(transport: Transport, request: Omit<Parameters<Transport>[0], "headers">): Promise<string> {
  const response = await transport({ ...request, headers: { "content-type": "application/json" } });
  let text = "";
  for await (const chunk of response.body) text += Buffer.from(chunk).toString("utf8");
  if (response.status >= 400) throw new Error(`${request.method} ${request.path}: ${response.status} ${text}`);
  return text;
}

/** Creates an object of the core group in the namespace `default`. */
export async function createObject(transport: Transport, plural: string, object: object): Promise<void> {
  const path = `/api/v1/namespaces/default/${plural}`;
  await call(transport, { method: "POST", path, body: JSON.stringify(object) });
}
