import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { startForwarder } from "./forwarder.ts";

test("a background process that ends before the server responds is reported (SUBMIT_ERR_CONNECT_FORWARDER)", async () => {
  const host = testHost({ spawn: (child) => child.exit(1) });
  const driver = { metadata: { namespace: "jobs", name: "notebook" } };
  const started = startForwarder({ host, clusterArgs: ["--master", "k8s://https://h"] }, { driver }, 1);
  await expect(started).rejects.toMatchObject({ code: "SUBMIT_ERR_CONNECT_FORWARDER" });
  const [child] = host.children;
  expect(child?.args.slice(1)).toEqual([
    "connect",
    "forward",
    "jobs:notebook",
    "--port",
    "1",
    "--master",
    "k8s://https://h",
  ]);
});
