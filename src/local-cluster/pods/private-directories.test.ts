import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { privateDirectories } from "./private-directories.ts";

const mountinfo = [
  "20 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
  "21 20 254:1 / /home rw - ext4 /dev/vdb rw",
  "22 20 254:1 /me/state /mnt/bound\\040state rw - ext4 /dev/vdb rw",
  "23 20 254:1 /me /mnt/me rw - ext4 /dev/vdb rw",
  "24 20 254:1 /me/state/clusters/keys /mnt/keys rw - ext4 /dev/vdb rw",
  "25 20 0:5 /me /mnt/other-device rw - tmpfs tmpfs rw",
].join("\n");

function directories() {
  const state = ["/home/me", "/mnt/bound state", "/mnt/me", "/mnt/other-device"].flatMap((path) => [
    [`${path}/data/x`, ""],
    [`${path}/state/clusters/keys/token`, ""],
  ]);
  const { files } = testHost({
    files: { ...Object.fromEntries(state), "/mnt/keys/token": "", "/proc/self/mountinfo": mountinfo },
  });
  files.link("/home/me/state", "/home/me/link");
  return privateDirectories(files, ["/home/me/link"]);
}
const mask = (target: string) => ({ kind: "temporary", mode: 0o755, isMask: true, target });

test.each([
  "/home/me/state",
  "/home/me/state/clusters",
  "/mnt/bound state",
  "/mnt/me/state/clusters/x",
  "/mnt/keys/token",
])("contain a path that shows them: %s", (path) => {
  expect(directories().contain(path)).toBe(true);
});

test.each(["/home/me", "/home/me/state-of-others", "/home/me/data", "/mnt/other-device/state"])(
  "do not contain %s",
  (path) => {
    expect(directories().contain(path)).toBe(false);
  },
);

test.each([
  ["/home/me", "/data", ["/data/state"]],
  ["/home", "/", ["/me/state"]],
  ["/mnt/me", "/data", ["/data/state"]],
  ["/mnt", "/mnt", ["/mnt/bound state", "/mnt/me/state", "/mnt/keys"]],
  ["/home/me/data", "/data", []],
])("are masked in a mount of a directory that contains them: %s at %s", (source, target, expected) => {
  expect(directories().masks(source, target)).toEqual(expected.map(mask));
});
