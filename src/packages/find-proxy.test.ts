import { describe, expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { proxiesOf } from "./find-proxy.ts";
import { readMavenSettings } from "./maven-settings.ts";

async function proxyFor(server: string, env: Readonly<Record<string, string>>, settings = "<settings/>") {
  const host = testHost({ env, files: { "/home/tester/.m2/settings.xml": settings } });
  return (await proxiesOf(env, readMavenSettings(host).proxies)(new URL(server)))?.href;
}

const settings = `<settings><proxies>
  <proxy><id>off</id><active>false</active><host>off</host></proxy>
  <proxy><id>p</id><host>gate</host><port>3128</port><username>u@x</username><password>\${env.PW}</password>
    <nonProxyHosts>*.example.com|10.*</nonProxyHosts></proxy>
</proxies></settings>`;

describe("the proxy for a repository", () => {
  test("comes from the environment by scheme, except for NO_PROXY and this machine", async () => {
    const env = { HTTPS_PROXY: "gate:1", http_proxy: "http://u:p@small:2", NO_PROXY: "example.com" };
    expect(await proxyFor("https://repo/m2", env)).toBe("http://gate:1/");
    expect(await proxyFor("http://repo/m2", env)).toBe("http://u:p@small:2/");
    expect(await proxyFor("https://repo.example.com/m2", env)).toBeUndefined();
    expect(await proxyFor("http://localhost:8081/m2", env)).toBeUndefined();
    expect(await proxyFor("https://repo/m2", {})).toBeUndefined();
  });

  test("comes from Maven's settings if the environment has none", async () => {
    expect(await proxyFor("https://repo/m2", { PW: "s" }, settings)).toBe("http://u%40x:s@gate:3128/");
    for (const server of ["http://a.example.com/", "https://10.0.0.1/"])
      expect(await proxyFor(server, {}, settings)).toBeUndefined();
    expect(await proxyFor("https://repo/m2", { HTTPS_PROXY: "http://e:1" }, settings)).toBe("http://e:1/");
  });
});
