import { expect, test } from "vitest";
import type { Applications, NewApplication } from "../model/applications.ts";
import { permitProxyUsers } from "./permit-proxy-users.ts";

const accepted = { kind: "unavailable", reason: "the submission arrived", retryAfterSeconds: 1 } as const;

function submit(proxyUser: string | undefined, owner: string | undefined, isImpersonating: boolean) {
  const unused = () => {
    throw new Error("not called");
  };
  const applications: Applications = {
    ...{ find: unused, findByName: unused, get: unused, list: unused, kill: unused, remove: unused, retry: unused },
    ...{ readLog: unused, followLog: unused, readReport: unused, readReportTail: unused, onChange: unused },
    submit: async () => accepted,
  };
  const application: NewApplication = {
    ...{ protocol: "submitter", owner },
    submission: {
      fields: proxyUser === undefined ? {} : { proxyUser },
      ...{ settings: {}, resource: "local:///app.jar", appArgs: [], templates: {} },
    },
  };
  const rules = { isImpersonating, superusers: ["root"] };
  return permitProxyUsers(applications, rules).submit(application);
}

test.each<[string | undefined, string | undefined, boolean]>([
  [undefined, "alice", false],
  ["alice", "alice", true],
  ["bob", "root", true],
  ["bob", undefined, true],
])("the proxy user %s is permitted for the user %s with impersonation %s", async (proxyUser, owner, enabled) => {
  expect(await submit(proxyUser, owner, enabled)).toBe(accepted);
});

test.each<[string | undefined, boolean, RegExp]>([
  ["root", false, /cannot set --proxy-user: proxy users are not enabled \(livy\.impersonation\.enabled\)/],
  [undefined, false, /not enabled/],
  ["alice", true, /cannot set --proxy-user: user alice is not one of livy\.superusers/],
])("the proxy user bob is rejected for the user %s with impersonation %s", async (owner, enabled, message) => {
  const result = await submit("bob", owner, enabled);
  expect(result).toMatchObject({ kind: "rejected", issues: [{ message: expect.stringMatching(message) }] });
});
