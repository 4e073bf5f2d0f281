import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { watchStorage } from "./storage-watch.ts";

test("a folder that holds too much is told of once, by its volume's name", async () => {
  let kilobytes = 500;
  const host = testHost({
    spawn: (child) => {
      child.write(1, `4\t/v/small\n${kilobytes}\t/v/big\n`);
      child.exit(0);
    },
  });
  const told: string[] = [];
  const folders = [
    { path: "/v/small", name: "small", limit: "0" },
    { path: "/v/big", name: "big", limit: "1Mi" },
  ];
  watchStorage(host, folders, (message) => told.push(message));
  await host.advance(5000);
  expect(told).toEqual([]);
  kilobytes = 1025;
  await host.advance(10_000);
  expect(told).toEqual(['Usage of EmptyDir volume "big" exceeds the limit "1Mi". ']);
});

test("without limits nothing is looked at", async () => {
  const host = testHost();
  watchStorage(host, [], () => {});
  await host.advance(10_000);
  expect(host.children).toEqual([]);
});
