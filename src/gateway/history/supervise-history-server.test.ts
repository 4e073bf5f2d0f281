import { expect, test } from "vitest";
import type { TestChild } from "../../host/test-children.ts";
import { testHost } from "../../host/test-host.ts";
import { superviseHistoryServer } from "./supervise-history-server.ts";

const server = {
  ...{ spark: { home: "/spark", version: "4.3.0" }, javaHome: "/java", jars: [], properties: "" },
  settings: new Map([["spark.hadoop.fs.s3a.secret.key", "planted-secret"]]),
};
const bound = "INFO HistoryServer: Bound HistoryServer to 127.0.0.1, and started at http://127.0.0.1:";

test("a history server that ends is started again after a delay, and its log has no settings", async () => {
  const servers: TestChild[] = [];
  const host = testHost({
    spawn(child) {
      if (child.command !== "sh") servers.push(child);
    },
  });
  const logged: unknown[] = [];
  const supervised = superviseHistoryServer(host, server, (...entry) => logged.push(entry));
  expect(supervised.port()).toBeUndefined();
  servers[0]?.write(2, `${bound}40001\n`);
  await host.clock.advance(0);
  expect(supervised.port()).toBe(40001);
  servers[0]?.write(2, 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n');
  servers[0]?.exit(1);
  await host.clock.advance(500);
  expect([supervised.port(), servers.length]).toEqual([undefined, 1]);
  await host.clock.advance(1000);
  expect(servers.length).toBe(2);
  servers[1]?.write(1, `${bound}40002\n`);
  await host.clock.advance(0);
  expect(supervised.port()).toBe(40002);
  const stopped = supervised.stop();
  servers[1]?.exit(143);
  await stopped;
  await host.clock.advance(60_000);
  expect(servers.length).toBe(2);
  expect(JSON.stringify(logged)).toContain("Java heap space");
  expect(JSON.stringify(logged)).not.toContain("planted-secret");
});
