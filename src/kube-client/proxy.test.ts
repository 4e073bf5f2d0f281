import { expect, test } from "vitest";
import { proxyAuthorization, proxyFor } from "./proxy.ts";

async function proxyOf(server: string, env: Record<string, string>, fromKubeconfig?: string) {
  return (await proxyFor(new URL(server), env, fromKubeconfig))?.href;
}

test("the proxy is that of the scheme, of all, or of the kubeconfig", async () => {
  const env = { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: "secure:2", ALL_PROXY: "http://all:3" };
  expect(await proxyOf("http://api", env)).toBe("http://plain:1/");
  expect(await proxyOf("https://api", env)).toBe("http://secure:2/");
  expect(await proxyOf("https://api", { ALL_PROXY: "http://all:3" })).toBe("http://all:3/");
  expect(await proxyOf("https://api", {}, "http://k:4")).toBe("http://k:4/");
  expect(await proxyOf("https://api", { https_proxy: "http://no:5" })).toBeUndefined();
});

test.each([
  "*",
  "api.example.com",
  ".example.com",
  "example.com",
  "x, *.example.com",
  "api.example.com:6443",
])("NO_PROXY=%s exempts a server", async (list) =>
  expect(
    await proxyOf("https://api.example.com:6443", { HTTPS_PROXY: "http://p", NO_PROXY: list }),
  ).toBeUndefined(),
);

test("NO_PROXY knows networks", async () => {
  const via = (server: string, list: string) => proxyOf(server, { HTTPS_PROXY: "http://p", NO_PROXY: list });
  expect(await via("https://10.1.2.3:6443", "10.0.0.0/8")).toBeUndefined();
  expect(await via("https://[fd00::1]:6443", "fd00::/8")).toBeUndefined();
  for (const list of ["11.0.0.0/8", "10.0.0.0/99", "ten/8", "ample.com"]) {
    expect(await via("https://10.1.2.3:6443", list)).toBe("http://p/");
  }
});

test("a proxy's user goes into a header, and what is no proxy is refused by the variable's name", async () => {
  const proxy = await proxyFor(
    new URL("https://api"),
    { HTTPS_PROXY: "http://p", PROXY_USERNAME: "u", PROXY_PASSWORD: "p:w" },
    undefined,
  );
  expect(proxyAuthorization(proxy ?? new URL("http://none"))).toEqual({
    "proxy-authorization": "Basic dTpwOnc=",
  });
  await expect(proxyOf("https://api", { HTTPS_PROXY: "socks5://u:s3cret@p" })).rejects.toMatchObject({
    code: "SUBMIT_ERR_KUBE_PROXY",
    message: "The proxy in HTTPS_PROXY is not a URL of the form http://host:port.",
  });
});
