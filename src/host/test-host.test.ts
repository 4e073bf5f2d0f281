import { describe, expect, test } from "vitest";
import { testHost } from "./test-host.ts";

describe("the machine in memory", () => {
  test("wakes sleepers in order, each before the next is due", async () => {
    const host = testHost();
    const seen: string[] = [];
    const sleeper = async () => {
      await host.clock.sleep(10);
      seen.push("sleeper");
      await host.clock.sleep(5);
      seen.push(`again at ${host.clock.monotonic()}`);
    };
    const done = sleeper();
    host.clock.after(12, () => seen.push("timer"));
    const cancel = host.clock.after(13, () => seen.push("cancelled"));
    cancel();
    await host.advance(100);
    await done;
    expect(seen).toEqual(["sleeper", "timer", "again at 15"]);
    expect(host.clock.monotonic()).toBe(100);
  });

  test("ends a sleep when its signal aborts", async () => {
    const host = testHost();
    const controller = new AbortController();
    const sleep = host.clock.sleep(1000, { signal: controller.signal });
    controller.abort();
    await sleep;
    expect(host.clock.monotonic()).toBe(0);
  });

  test("runs time on until a promise settles", async () => {
    const host = testHost();
    const work = async () => {
      for (let round = 0; round < 3; round += 1) await host.clock.sleep(1000);
      return "done";
    };
    expect(await host.settle(work())).toBe("done");
    expect(host.clock.monotonic()).toBe(3000);
    await expect(host.settle(new Promise(() => {}), 100)).rejects.toThrow("no timer");
  });

  test("keeps files with links and modes", () => {
    const { files } = testHost({
      files: {
        "/home/tester/.kube/config": "a: 1",
        "/opt/link": { link: "../home/tester" },
        "bin/run": { content: "#!/bin/sh", mode: 0o755 },
        "/empty": null,
      },
    });
    expect(files.readText("/opt/link/.kube/config")).toBe("a: 1");
    expect(files.realPath("/opt/link/.kube/../.kube/config")).toBe("/home/tester/.kube/config");
    expect(files.readLink("/opt/link")).toBe("../home/tester");
    expect(files.info("/opt/link", { followLinks: false })?.kind).toBe("link");
    expect(files.info("/home/tester/job/bin/run")).toMatchObject({ kind: "file", mode: 0o755, sizeBytes: 9 });
    expect(files.list("/empty")).toEqual([]);
    expect(files.list("/home/tester")).toEqual([".kube", "job"]);
    expect(files.list("/nothing")).toBeUndefined();
    expect(files.readText("/home/tester/.kube/config/below")).toBeUndefined();
    expect(() => files.readText("/empty")).toThrow("EISDIR");
    expect(() => files.write("/nowhere/file", "")).toThrow("ENOENT");
  });

  test("moves, appends and removes trees", () => {
    const { files } = testHost({ files: { "/a/b/c": "1", "/a/d": "2" } });
    files.rename("/a", "/z");
    files.append("/z/b/c", "3");
    expect(files.readText("/z/b/c")).toBe("13");
    files.remove("/z/b");
    expect(files.list("/z")).toEqual(["d"]);
    expect(files.list("/")).toEqual(["home", "tmp", "z"]);
  });

  test("lets the test play children", async () => {
    const host = testHost({
      spawn(child) {
        if (child.command === "nothing") return "missing";
        child.write(1, `hello ${child.args.join(" ")}`);
        if (child.command === "echo") child.exit(3);
        return undefined;
      },
    });
    let received = "";
    const echo = host.spawn("echo", ["a", "b"]);
    echo.onOutput(1, (chunk) => {
      received += Buffer.from(chunk).toString("utf8");
    });
    expect((await echo.exited).code).toBe(3);
    expect(received).toBe("hello a b");
    expect(await host.spawn("nothing", []).exited).toMatchObject({
      code: 127,
      error: "spawn nothing ENOENT",
    });
    const server = host.spawn("server", []);
    expect(host.kill(server.pid ?? 0, "SIGTERM")).toBe(true);
    expect((await server.exited).code).toBe(143);
    expect(host.kill(server.pid ?? 0, 0)).toBe(false);
  });

  test("captures streams, counts IDs and receives signals", () => {
    const host = testHost();
    host.stdout.write("out");
    host.stderr.write(Buffer.from("err"));
    expect([host.outText(), host.errorText()]).toEqual(["out", "err"]);
    expect(Buffer.from(host.random.bytes(3)).toString("hex")).toBe("000001");
    expect(host.random.uuid()).toBe("00000000-0000-4000-8000-000000000002");
    let pressed = 0;
    const stop = host.onSignal("SIGINT", () => {
      pressed += 1;
    });
    expect(host.raise("SIGINT")).toBe(true);
    stop();
    expect(host.raise("SIGINT")).toBe(false);
    expect(pressed).toBe(1);
  });
});
