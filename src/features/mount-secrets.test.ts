import { expect, test } from "vitest";
import { testDriver } from "../plan/test-driver.ts";
import { mountSecrets } from "./mount-secrets.ts";

test("mounts each Secret at its configured path", () => {
  const settings = { "spark.kubernetes.driver.secrets.db": "/etc/db" };
  expect(mountSecrets.contribute(testDriver({ settings }))).toEqual({
    volumes: [{ name: "db-volume", secret: { secretName: "db" } }],
    mounts: [{ name: "db-volume", mountPath: "/etc/db" }],
  });
});
