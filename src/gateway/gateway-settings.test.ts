import { expect, test } from "vitest";
import { isSubmitError } from "../errors/submit-error.ts";
import { testHost } from "../host/test-host.ts";
import { gatewaySettings } from "./gateway-settings.ts";

test("without options, the gateway listens on the loopback address without authentication", () => {
  const { settings, warnings } = read({});
  expect(settings).toMatchObject({ address: "127.0.0.1", port: 8998, authentication: { kind: "none" } });
  expect(settings.retention).toEqual({ keepMs: 86_400_000, maxEnded: 10_000 });
  expect(warnings).toEqual([]);
});

test("options take precedence over the keys of a livy.conf", () => {
  const properties = {
    "livy.server.port": "1",
    "livy.server.host": "::1",
    "livy.server.session.state-retain.sec": "5s",
  };
  expect(read({}, properties).settings).toMatchObject({ address: "::1", port: 1, retention: { keepMs: 5000 } });
  const options = { "--port": "2", "--host": "localhost", "--keep": "1h" };
  expect(read(options, properties).settings).toMatchObject({
    ...{ address: "localhost", port: 2, retention: { keepMs: 3_600_000 } },
  });
});

test("a list of rejected settings is read from a file such as Livy's", () => {
  const { settings } = read({ "--rejected-settings": "blacklist.conf" });
  expect(settings.livy.rejectedSettings).toEqual(["spark.master", "spark.jars"]);
});

test("a password file is relative to the working directory", () => {
  const { settings } = read({ "--auth": "htpasswd", "--password-file": "users", "--host": "0.0.0.0" });
  expect(settings.authentication).toEqual({ kind: "htpasswd", passwordFile: "/home/tester/job/users" });
});

test("a database has a directory relative to the working directory, and one gateway", () => {
  expect(read({}).settings.storeDirectory).toBeUndefined();
  expect(read({ "--store": "store" }).settings.storeDirectory).toBe("/home/tester/job/store");
  expect(issuesOf({ "--store": "store", "--elect": "" }, {})).toEqual([
    "Invalid value 'store' for --store; allowed: a directory without --elect, because one gateway uses the database.",
  ]);
});

test("logs are kept in a directory, a bucket or HDFS", () => {
  expect(read({}).settings.logs).toBeUndefined();
  expect(read({ "--log-dir": "logs" }).settings.logs).toEqual({ kind: "directory", path: "logs" });
  const bucket = { kind: "store", scheme: "s3a", uri: "s3a://b/logs" };
  expect(read({ "--log-dir": "s3a://b/logs/" }).settings.logs).toEqual(bucket);
});

test("the setting of the history server takes precedence over that of Livy", () => {
  const livy = { "livy.ui.history-server-url": "http://livy:18080" };
  expect(read({}, livy).settings.historyServer).toBe("http://livy:18080");
  const own = { "gateway.historyServer": "https://history/spark" };
  expect(read({}, { ...livy, ...own }).settings.historyServer).toBe("https://history/spark");
});

test("a location of logs that the gateway cannot write is rejected, and a history server without a URL", () => {
  expect(issuesOf({ "--log-dir": "pvc:logs" }, { "gateway.historyServer": "history:18080" })).toEqual([
    "Invalid value 'history:18080' for gateway.historyServer; allowed: a URL such as http://history.example:18080.",
    "Invalid value 'pvc:logs' for --log-dir; allowed: DIR, s3a://BUCKET/DIR, hdfs://HOST/DIR; mount a claim as a directory.",
  ]);
});

test.each([
  [{ "--auth": "kubernetes" }, "kubernetes"],
  [{ "--tls-cert": "c", "--tls-key": "k", "--tls-client-ca": "ca" }, "certificate"],
])("with %j, other machines can reach the gateway with the authentication %s", (options, kind) => {
  const { settings } = read({ ...options, "--host": "0.0.0.0" });
  expect([settings.authentication.kind, settings.address]).toEqual([kind, "0.0.0.0"]);
});

test.each([
  [{ "--host": "0.0.0.0" }, {}, "other machines can reach 0.0.0.0"],
  [{}, { "livy.server.auth.type": "kerberos" }, "livy.server.auth.type is kerberos, which it does not support"],
  [{}, { "livy.server.access-control.enabled": "true" }, "livy.server.access-control.enabled needs to know the user"],
])("%j with %j needs an authentication", (options, properties, reason) => {
  expect(() => read(options, properties)).toThrow(expect.objectContaining({ code: "SUBMIT_ERR_GATEWAY_AUTH" }));
  expect(issuesOf(options, properties)).toEqual([`The gateway does not start without authentication: ${reason}.`]);
});

test("a history server needs a port for its pages if clients authenticate, and excludes another one", () => {
  const options = { "--history-server": "", "--auth": "kubernetes" };
  expect(() => read(options)).toThrow(expect.objectContaining({ code: "SUBMIT_ERR_GATEWAY_HISTORY_SERVER" }));
  const reasons = [
    "http://history is another one",
    "clients authenticate, so its pages need a port of their own, with --ui-port",
  ];
  expect(issuesOf(options, { "gateway.historyServer": "http://history" })).toEqual(
    reasons.map((reason) => `The gateway cannot start a history server: ${reason}.`),
  );
  expect(issuesOf({ ...options, "--ui-port": "0" }, {})).toEqual([]);
});

test("--auth none permits other addresses", () => {
  expect(read({ "--auth": "none", "--host": "0.0.0.0" }).settings.address).toBe("0.0.0.0");
});

test("limits of users and other host names are read", () => {
  const options = { "--user-rate": "20", "--user-concurrent": "5", "--allowed-hosts": "Gateway.example, b" };
  expect(read(options).settings).toMatchObject({
    ...{ limits: { userRate: 20, userConcurrent: 5 }, allowedHosts: ["gateway.example", "b"] },
  });
  expect(issuesOf({ "--user-rate": "0" }, {})).toEqual([
    "Invalid value '0' for --user-rate; allowed: a number from 1 on.",
  ]);
});

test("all invalid values are reported together", () => {
  const options = { "--port": "65536", "--auth": "ldap", "--keep": "long", "--keep-max": "-1", "--livy-list": "some" };
  expect(issuesOf(options, {})).toEqual([
    "Invalid value 'ldap' for --auth; allowed: none, htpasswd, kubernetes, certificate, oidc.",
    "Invalid value '65536' for --port; allowed: a number from 0 to 65535.",
    "Invalid value 'some' for --livy-list; allowed: all, own.",
    "Invalid value 'long' for --keep; allowed: a duration such as 12h or 7d.",
    "Invalid value '-1' for --keep-max; allowed: a number.",
  ]);
});

test.each([
  [{ "--auth": "htpasswd" }, "Invalid value 'htpasswd' for --auth; allowed: htpasswd with --password-file FILE, none."],
  [
    { "--auth": "certificate" },
    "Invalid value 'certificate' for --auth; allowed: certificate with --tls-client-ca FILE, none, htpasswd, kubernetes, oidc.",
  ],
  [
    { "--auth": "none", "--tls-cert": "c", "--tls-key": "k", "--tls-client-ca": "ca" },
    "Invalid value 'none' for --auth; allowed: another mode with --tls-client-ca.",
  ],
  [{ "--password-file": "x" }, "Invalid value 'x' for --password-file; allowed: a file with --auth htpasswd."],
  [{ "--rejected-settings": "none" }, "Invalid value 'none' for --rejected-settings; allowed: a file."],
])("%j is incomplete", (options, message) => {
  expect(issuesOf(options, {})).toEqual([message]);
});

test("--impersonate needs an authentication", () => {
  const message = "The gateway does not start without authentication: --impersonate needs to know the user.";
  expect(issuesOf({ "--impersonate": "" }, {})).toEqual([message]);
  expect(read({ "--impersonate": "", "--auth": "kubernetes" }).settings.isImpersonating).toBe(true);
});

function read(options: Readonly<Record<string, string>>, properties: Readonly<Record<string, string>> = {}) {
  const host = testHost({ files: { "/home/tester/job/blacklist.conf": "# own\nspark.master\n\nspark.jars\n" } });
  return gatewaySettings(
    host,
    { has: (name) => options[name] !== undefined, value: (name) => options[name] },
    { defaults: new Map(), properties: new Map(Object.entries(properties)) },
  );
}

function issuesOf(options: Readonly<Record<string, string>>, properties: Readonly<Record<string, string>>) {
  try {
    read(options, properties);
    return [];
  } catch (error) {
    return isSubmitError(error) ? error.issues.map(({ message }) => message) : [String(error)];
  }
}
