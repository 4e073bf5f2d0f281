import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { passwordFile } from "./password-file.ts";

const line = (user: string) => `${user}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`;
const path = "/etc/users";

test("a changed file is read again after a second", async () => {
  const host = testHost({ files: { [path]: line("alice") } });
  const users = passwordFile(host, path, () => {});
  host.files.write(path, line("alice") + line("bob"));
  expect([...users().keys()]).toEqual(["alice"]);
  await host.clock.advance(1000);
  expect([...users().keys()]).toEqual(["alice", "bob"]);
});

test("a changed file that is invalid is logged, and changes nothing", async () => {
  const host = testHost({ files: { [path]: line("alice") } });
  const logged: string[] = [];
  const users = passwordFile(host, path, (level, text) => logged.push(`${level} ${text}`));
  host.files.write(path, "alice:plain");
  await host.clock.advance(1000);
  expect([...users().keys()]).toEqual(["alice"]);
  expect(logged).toEqual(["ERROR The changed password file is invalid, so the earlier one stays valid."]);
});

test.each([
  [{}, "it does not exist"],
  [{ [path]: "alice" }, "line 1 does not have the form USER:HASH"],
])("a file that cannot be used is an error: %j", (files, reason) => {
  expect(() => passwordFile(testHost({ files }), path, () => {})).toThrow(
    expect.objectContaining({
      code: "SUBMIT_ERR_GATEWAY_PASSWORD_FILE",
      message: `Invalid password file /etc/users: ${reason}.`,
    }),
  );
});
