import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { limitedPod, limitedVolume, watchStorage } from "./storage-watch.ts";

test("reports a directory that exceeds its limit once, with its volume's name", async () => {
  let kilobytes = 500;
  const host = testHost({
    spawn: (child) => {
      child.write(1, `4\t/v/small\n${kilobytes}\t/v/big\n`);
      child.exit(0);
    },
  });
  const messages: string[] = [];
  const directories = [...limitedVolume("small", "/v/small", "0"), ...limitedVolume("big", "/v/big", "1Mi")];
  watchStorage(host, directories, (message) => messages.push(message));
  await host.advance(5000);
  expect(messages).toEqual([]);
  kilobytes = 1025;
  await host.advance(10_000);
  expect(messages).toEqual(['Usage of EmptyDir volume "big" exceeds the limit "1Mi". ']);
});

test("starts no process without limits", async () => {
  const host = testHost();
  watchStorage(host, [], () => {});
  await host.advance(10_000);
  expect(host.children).toEqual([]);
});

test("limits a pod's disk usage to the sum of its containers' limits", () => {
  const container = (limit: string) => ({ name: "a", resources: { limits: { "ephemeral-storage": limit } } });
  expect(limitedPod({ containers: [container("1Gi"), container("512Mi"), { name: "b" }] }, "/pod")).toEqual([
    {
      ...{ path: "/pod", limitBytes: 1536 * 1024 ** 2 },
      message: "Pod ephemeral local storage usage exceeds the total limit of containers 1536Mi. ",
    },
  ]);
  expect(limitedPod({ containers: [{ name: "b" }] }, "/pod")).toEqual([]);
});
