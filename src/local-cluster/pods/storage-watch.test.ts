import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { limitedPod, limitedVolume, watchStorage } from "./storage-watch.ts";

test("a folder that holds too much is told of once, by its volume's name", async () => {
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

test("without limits nothing is looked at", async () => {
  const host = testHost();
  watchStorage(host, [], () => {});
  await host.advance(10_000);
  expect(host.children).toEqual([]);
});

test("a pod may leave on disk what its containers may together", () => {
  const container = (limit: string) => ({ name: "a", resources: { limits: { "ephemeral-storage": limit } } });
  expect(limitedPod({ containers: [container("1Gi"), container("512Mi"), { name: "b" }] }, "/pod")).toEqual([
    {
      ...{ path: "/pod", limitBytes: 1536 * 1024 ** 2 },
      message: "Pod ephemeral local storage usage exceeds the total limit of containers 1536Mi. ",
    },
  ]);
  expect(limitedPod({ containers: [{ name: "b" }] }, "/pod")).toEqual([]);
});
