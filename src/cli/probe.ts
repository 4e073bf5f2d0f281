const limitMs = 2000;

/** Whether a Kubernetes API answers at that address, with that authority's certificate, to that token. */
export async function isApiAnswering(api: {
  readonly url: string;
  readonly certificateAuthority: string;
  readonly token: string;
}): Promise<boolean> {
  const { get } = await import("node:https");
  return await new Promise((resolve) => {
    const request = get(
      new URL("/version", api.url),
      {
        ca: api.certificateAuthority,
        headers: { authorization: `Bearer ${api.token}` },
        timeout: limitMs,
        agent: false,
      },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.on("error", () => resolve(false));
    request.on("timeout", () => request.destroy(new Error("timeout")));
  });
}
