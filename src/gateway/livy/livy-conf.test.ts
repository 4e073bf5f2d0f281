import { expect, test } from "vitest";
import { parseLivyConf } from "./livy-conf.ts";

const parse = (entries: Record<string, string>) => parseLivyConf(new Map(Object.entries(entries)));

test("an empty file changes nothing", () => {
  expect(parse({})).toEqual({
    conf: { isCsrfProtected: false, isImpersonating: false, superusers: [], localDirectories: [], uiBasePath: "" },
    ...{ issues: [], warnings: [] },
  });
});

test("Livy's keys become settings of the gateway", () => {
  const { conf, issues, warnings } = parse({
    "livy.server.port": "8999",
    "livy.server.host": "0.0.0.0",
    "livy.server.csrf-protection.enabled": "true",
    "livy.impersonation.enabled": "TRUE",
    "livy.superusers": "admin, root",
    "livy.server.access-control.enabled": "true",
    "livy.server.access-control.view-users": "carol",
    "livy.server.access-control.modify-users": "dora",
    "livy.file.local-dir-whitelist": "/opt/jars/,/data",
    "livy.ui.basePath": "/livy/",
    "livy.ui.history-server-url": "http://history:18080",
    "livy.server.session.state-retain.sec": "10m",
    "livy.server.session.max-creation": "7",
  });
  expect(conf).toEqual({
    ...{
      port: "8999",
      address: "0.0.0.0",
      isCsrfProtected: true,
      isImpersonating: true,
      superusers: ["admin", "root"],
    },
    access: { allowedUsers: ["*"], viewUsers: ["carol"], modifyUsers: ["dora"] },
    ...{ localDirectories: ["/opt/jars", "/data"], uiBasePath: "/livy", historyServer: "http://history:18080" },
    ...{ keepMs: 600_000, maxCreations: 7 },
  });
  expect([issues, warnings]).toEqual([[], []]);
});

test("access control that is off does not restrict users", () => {
  expect(parse({ "livy.server.access-control.allowed-users": "alice" }).conf.access).toBeUndefined();
});

test("keys of Livy before 0.4 have the same meaning", () => {
  const entries = { "livy.server.access_control.enabled": "true", "livy.server.access_control.users": "alice" };
  expect(parse(entries).conf.access?.allowedUsers).toEqual(["alice"]);
});

test("every invalid value is reported with its key", () => {
  const { issues } = parse({
    "livy.impersonation.enabled": "yes",
    "livy.server.session.state-retain.sec": "soon",
    "livy.server.session.max-creation": "0",
    "livy.file.local-dir-whitelist": "jars",
  });
  expect(issues.map(({ message }) => message)).toEqual([
    "Invalid value 'soon' for livy.server.session.state-retain.sec; allowed: a duration such as 600s or 1d.",
    "Invalid value '0' for livy.server.session.max-creation; allowed: a number from 1 on.",
    "Invalid value 'jars' for livy.file.local-dir-whitelist; allowed: a list of absolute paths.",
    "Invalid value 'yes' for livy.impersonation.enabled; allowed: true or false.",
  ]);
});

test("keys that change nothing are reported, without their values", () => {
  const { warnings } = parse({
    "livy.server.recovery.mode": "recovery",
    "livy.keystore.password": "secret",
    "livy.unknown": "1",
  });
  expect(warnings).toEqual([
    "livy.server.recovery.mode changes nothing: the gateway does not need it.",
    "livy.keystore.password is not supported: it changes nothing.",
    "livy.unknown is not known: it changes nothing.",
  ]);
});
