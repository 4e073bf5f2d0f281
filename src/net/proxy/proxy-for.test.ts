import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { proxyFor } from "./proxy-for.ts";
import { proxyAuthorization } from "./proxy-url.ts";

type Env = Readonly<Record<string, string>>;

async function proxyOf(server: string, env: Env, fromKubeconfig?: string, rules: "kubectl" | "spark" = "kubectl") {
  return (await proxyFor(new URL(server), env, { fromKubeconfig, rules }))?.href;
}

describe("the proxy", () => {
  test("is that of the scheme or of all, in capitals or not", async () => {
    const env = { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: "secure:2", ALL_PROXY: "http://all:3" };
    expect(await proxyOf("http://api", env)).toBe("http://plain:1/");
    expect(await proxyOf("https://api", env)).toBe("http://secure:2/");
    expect(await proxyOf("https://api", { all_proxy: "http://all:3" })).toBe("http://all:3/");
    expect(await proxyOf("https://api", { https_proxy: "http://small:5" })).toBe("http://small:5/");
    const both = { HTTPS_PROXY: "http://large", https_proxy: "http://small" };
    expect(await proxyOf("https://api", both)).toBe("http://large/");
  });

  test("is that of the kubeconfig before all, whatever NO_PROXY says", async () => {
    const env = { HTTPS_PROXY: "http://env", NO_PROXY: "*" };
    expect(await proxyOf("https://api", env, "socks5://k:4")).toBe("socks5://k:4");
    expect(await proxyOf("https://127.0.0.1", {}, "http://k:4")).toBe("http://k:4/");
  });

  test("is none to this machine", async () => {
    const servers = [
      "https://localhost:6443",
      "https://127.0.0.1",
      "https://[::1]:6443",
      "http://host.firesteel.internal",
    ];
    for (const server of servers) {
      expect(await proxyOf(server, { HTTPS_PROXY: "http://p" })).toBeUndefined();
    }
  });

  test("is as Spark's client has it where that is wanted", async () => {
    const asSpark = (server: string, env: Env, kubeconfig?: string) => proxyOf(server, env, kubeconfig, "spark");
    const env = { HTTPS_PROXY: "http://env" };
    expect(await asSpark("https://api", env, "http://k:4")).toBe("http://env/");
    expect(await asSpark("https://api", {}, "http://k:4")).toBe("http://k:4/");
    expect(await asSpark("https://api", { NO_PROXY: "api" }, "http://k:4")).toBeUndefined();
    expect(await asSpark("https://127.0.0.1", env)).toBe("http://env/");
    expect(await asSpark("https://api", { https_proxy: "http://small" })).toBeUndefined();
    expect(await asSpark("https://api", { ...env, no_proxy: "api" })).toBe("http://env/");
  });

  test("takes its user from its URL or the environment and sends it in a header", async () => {
    const server = new URL("https://api");
    const env = { HTTPS_PROXY: "http://p", PROXY_USERNAME: "u", PROXY_PASSWORD: "p:w" };
    const proxy = await proxyFor(server, env, { fromKubeconfig: undefined });
    expect(proxyAuthorization(proxy ?? server)).toEqual({ "proxy-authorization": "Basic dTpwOnc=" });
  });

  test.each(["ftp://u:s3cret@p", "socks4://u:s3cret@p", "http://", "http://u:s3cret@p:99999"])(
    "%s is refused by the variable's name",
    async (text) => {
      await expect(proxyOf("https://api", { HTTPS_PROXY: text })).rejects.toMatchObject({
        code: "SUBMIT_ERR_KUBE_PROXY",
        message:
          "Invalid proxy in HTTPS_PROXY: it does not have the form http://host:port, https://host:port or socks5://host:port.",
      });
    },
  );
});

describe("NO_PROXY", () => {
  const isExempt = async (server: string, list: string) =>
    (await proxyOf(server, { HTTPS_PROXY: "http://p", NO_PROXY: list })) === undefined;

  test.each([
    "*",
    "api.example.com",
    ".example.com",
    "example.com",
    "x, *.example.com",
    "API.Example.com:6443",
    ".example.com:6443",
  ])("%s exempts a server", async (list) => expect(await isExempt("https://api.example.com:6443", list)).toBe(true));

  test.each(["ample.com", "api.example.com:443", ".api.example.com", "api", "", ":6443", "10.0.0.0/8"])(
    "%s does not",
    async (list) => expect(await isExempt("https://api.example.com:6443", list)).toBe(false),
  );

  test("knows addresses, networks and the scheme's port", async () => {
    expect(await isExempt("https://10.1.2.3:6443", "10.0.0.0/8")).toBe(true);
    expect(await isExempt("https://10.1.2.3:6443", "10.1.2.3")).toBe(true);
    expect(await isExempt("https://10.1.2.3", "10.1.2.3:443")).toBe(true);
    expect(await isExempt("https://[fd00::1]:6443", "fd00::/8")).toBe(true);
    expect(await isExempt("https://[fd00::1]:6443", "fd00:0::1")).toBe(true);
    expect(await isExempt("https://[fd00::1]:6443", "[fd00::1]:6443")).toBe(true);
    for (const list of ["11.0.0.0/8", "10.0.0.0/99", "ten/8", "2.3", "fd00::/8", "10.1.2.3:80"]) {
      expect(await isExempt("https://10.1.2.3:6443", list)).toBe(false);
    }
  });

  test("of any text never fails; a name exempts what is below it and nothing else; order does not matter", async () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `${labels.join(".")}.test`);
    await fc.assert(
      fc.asyncProperty(name, name, fc.array(fc.string(), { maxLength: 4 }), async (host, other, noise) => {
        const quiet = noise.map((text) => text.replace(/[*,a-z]/gi, ""));
        const server = `https://${host}:6443`;
        const expected = host === other || host.endsWith(`.${other}`);
        expect(await isExempt(server, [...quiet, other].join(","))).toBe(expected);
        expect(await isExempt(server, [other, ...quiet].join(","))).toBe(expected);
        expect(await isExempt(`https://x.${host}`, `.${host}`)).toBe(true);
        expect(await isExempt(server, `.${host}`)).toBe(false);
      }),
    );
  });

  test("has an IPv4 address in a network exactly when their first bits are the same", async () => {
    const bits = (address: readonly number[]) => address.map((part) => part.toString(2).padStart(8, "0")).join("");
    const ipv4 = fc.tuple(fc.integer({ min: 1, max: 126 }), fc.nat(255), fc.nat(255), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(ipv4, ipv4, fc.integer({ min: 1, max: 32 }), async (host, net, width) => {
        const same = bits(host).slice(0, width) === bits(net).slice(0, width);
        expect(await isExempt(`https://${host.join(".")}`, `${net.join(".")}/${width}`)).toBe(same);
      }),
    );
  });
});
