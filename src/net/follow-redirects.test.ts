import { describe, expect, test } from "vitest";
import { followRedirects, type RedirectProblem } from "./follow-redirects.ts";

/** Requests `first` from servers with these redirects. */
async function follow(first: string, locations: Readonly<Record<string, string>>, maxRedirects = 5) {
  const requested: string[] = [];
  const reject = ({ kind, to }: RedirectProblem) => new Error(`${kind} ${to.href}`);
  const response = await followRedirects(new URL(first), { maxRedirects, reject }, async (url) => {
    requested.push(url.href);
    const location = locations[url.href];
    return { status: location === undefined ? 200 : 302, headers: { location } };
  });
  return { requested, status: response.status };
}

describe("followRedirects", () => {
  test("requests each location, relative ones too, until a response does not redirect", async () => {
    const { requested, status } = await follow("http://a/x", {
      "http://a/x": "y",
      "http://a/y": "https://b/z",
    });
    expect([requested, status]).toEqual([["http://a/x", "http://a/y", "https://b/z"], 200]);
  });

  test("rejects a redirect from https to http and to other schemes", async () => {
    await expect(follow("https://a/", { "https://a/": "http://b/" })).rejects.toThrow("insecure http://b/");
    await expect(follow("http://a/", { "http://a/": "file:///etc/passwd" })).rejects.toThrow("insecure file:");
  });

  test("rejects more redirects than permitted", async () => {
    await expect(follow("http://a/", { "http://a/": "/" }, 3)).rejects.toThrow("tooMany http://a/");
  });

  test("returns a redirect without a valid location", async () => {
    expect((await follow("http://a/", { "http://a/": "http://[" })).status).toBe(302);
  });
});
