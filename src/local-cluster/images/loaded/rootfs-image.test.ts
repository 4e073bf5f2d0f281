import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { imageStore, type StoredImage } from "./image-store.ts";
import { rootfsImage } from "./rootfs-image.ts";

const stored: StoredImage = {
  ...{ id: "sha256:ab", entrypoint: ["/e"], command: [], env: {}, workingDirectory: "/", user: "" },
  sizeBytes: 1,
};

function image(changes: Partial<StoredImage>) {
  const { files } = testHost({
    files: {
      "/store/ab/root/etc/passwd": "root:x:0:0::/root:/bin/sh\nspark:x:185:7::/opt/spark:/bin/sh\n",
      "/store/ab/root/etc/group": "root:x:0:\nstaff:x:50:\n",
    },
  });
  const store = imageStore(files, "/store");
  const sparkEnv = { SPARK_SUBMIT_OPTS: "-Da=b" };
  return rootfsImage({ ...stored, ...changes }, { files, store, reference: "app:1", sparkEnv, sparkMounts: [] });
}

test.each([
  ["", 0, 0],
  ["185", 185, 7],
  ["1000", 1000, 0],
  ["spark", 185, 7],
  ["spark:staff", 185, 50],
  ["185:12", 185, 12],
])("resolves image user %j to %i:%i", (user, uid, gid) => {
  expect(image({ user })).toMatchObject({ image: { uid, gid } });
});

test("fails for an unknown user or group", () => {
  const message = "unable to find user nobody: no matching entries in passwd file";
  expect(image({ user: "nobody" })).toEqual({ reason: "ErrImagePull", message });
  expect(image({ user: "spark:x" })).toMatchObject({ message: expect.stringContaining("group x") });
});

test("adds driver settings to an image with Spark", () => {
  expect(image({ env: { SPARK_HOME: "/opt/spark", PATH: "/p" } })).toMatchObject({
    image: {
      env: { SPARK_HOME: "/opt/spark", PATH: "/p", SPARK_SUBMIT_OPTS: "-Da=b" },
      fieldEnv: { SPARK_LOCAL_IP: "status.podIP" },
      mounts: [{ kind: "bind", source: "/store/ab/root", target: "/", readOnly: false, isCopyOnWrite: true }],
    },
  });
  expect(image({})).toMatchObject({ image: { env: { PATH: expect.any(String) }, fieldEnv: {} } });
});
