import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { chooseSandbox } from "./choose-sandbox.ts";
import { startWatchdog } from "./watchdog.ts";

/** Creates a machine where the trial of each sandbox fails with the given message. */
function machine(errors: Readonly<Record<string, string>>) {
  const program = { content: "", mode: 0o755 };
  return testHost({
    env: { PATH: "/usr/bin" },
    files: Object.fromEntries(["true", ...Object.keys(errors)].map((name) => [`/usr/bin/${name}`, program])),
    spawn(child) {
      const name = ["bwrap", "unshare"].find((each) => child.args.includes(`/usr/bin/${each}`)) ?? "";
      const error = errors[name];
      if (error !== undefined) child.write(2, error);
      child.exit(error === undefined ? 0 : 1);
      return undefined;
    },
  });
}
const choose = (host: ReturnType<typeof machine>, choice: "auto" | "bwrap") =>
  chooseSandbox({ host, choice, directory: "/cluster", watchdog: startWatchdog(host) });

test("throws when the requested sandbox does not work", async () => {
  const host = machine({ bwrap: "bwrap: No permissions to create new namespace\nmore" });
  await expect(choose(host, "bwrap")).rejects.toMatchObject({
    code: "SUBMIT_ERR_SANDBOX",
    message: "Cannot run containers with bwrap on this machine: bwrap: bwrap: No permissions to create new namespace",
  });
});

test("chooses the first working sandbox in auto mode, falling back to plain processes", async () => {
  const host = machine({ bwrap: "no", unshare: "no" });
  const { name, notice } = await choose(host, "auto");
  expect(name).toBe("process");
  expect(notice).toMatch(
    /^Cannot run containers with bwrap or unshare on this machine: bwrap: no; unshare: no\. .*Install bubblewrap, or allow user namespaces/,
  );
  const programs = host.children.flatMap(({ args }) => args);
  expect(programs).toEqual(expect.arrayContaining(["/usr/bin/bwrap", "/usr/bin/unshare"]));
  expect(host.files.list("/cluster") ?? []).toEqual([]);
});
