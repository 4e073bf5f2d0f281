import { expect, test } from "vitest";
import { authenticationSettings } from "./authentication-settings.ts";

function read(options: Readonly<Record<string, string>>) {
  const { authentication, issues } = authenticationSettings({ cwd: "/work", value: (option) => options[option] });
  return { authentication, messages: issues.map(({ message }) => message) };
}

const oidc = { "--auth": "oidc", "--oidc-issuer-url": "https://issuer.example/", "--oidc-client-id": "gateway" };

test("OpenID Connect has the defaults of kube-apiserver", () => {
  expect(read(oidc)).toEqual({
    messages: [],
    authentication: {
      ...{ kind: "oidc", issuer: "https://issuer.example/", clientId: "gateway", clientSecretFile: undefined },
      ...{ audiences: ["gateway"], usernameClaim: "sub", usernamePrefix: "https://issuer.example/#" },
      ...{ groupsClaim: undefined, groupsPrefix: "", scopes: ["openid", "profile", "email"], authorityFile: undefined },
    },
  });
  expect(read({ ...oidc, "--oidc-username-claim": "email" }).authentication).toMatchObject({ usernamePrefix: "" });
  expect(read({ ...oidc, "--oidc-username-prefix": "-" }).authentication).toMatchObject({ usernamePrefix: "" });
});

test("files, scopes and a second audience of OpenID Connect are read", () => {
  const more = { "--oidc-client-secret-file": "s", "--oidc-ca-file": "/ca", "--oidc-scopes": "groups email" };
  expect(read({ ...oidc, ...more, "--oidc-audience": "spark" }).authentication).toMatchObject({
    ...{ clientSecretFile: "/work/s", authorityFile: "/ca", scopes: ["openid", "groups", "email"] },
    audiences: ["gateway", "spark"],
  });
});

test.each(["http://issuer.example", "issuer.example", "https://issuer.example?a=b", ""])(
  "the issuer %j is rejected",
  (url) => {
    expect(read({ ...oidc, "--oidc-issuer-url": url }).messages).toEqual([
      `Invalid value '${url}' for --oidc-issuer-url; allowed: an https URL without query, with --auth oidc.`,
    ]);
  },
);

test("an issuer on the loopback address needs no TLS", () => {
  expect(read({ ...oidc, "--oidc-issuer-url": "http://127.0.0.1:1/realm" }).messages).toEqual([]);
});

test("options of another authentication are problems", () => {
  expect(read({ "--oidc-client-id": "gateway" }).messages).toEqual([
    "Invalid value 'gateway' for --oidc-client-id; allowed: a value with --auth oidc.",
  ]);
  expect(read({ ...oidc, "--password-file": "p" }).messages).toEqual([
    "Invalid value 'p' for --password-file; allowed: a file with --auth htpasswd.",
  ]);
});
