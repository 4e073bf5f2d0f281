import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { openSigningKeys } from "./signing-keys.ts";

test("a key whose first write was interrupted is not used, and the next start creates another", () => {
  const host = testHost();
  const options = { directory: "/keys", isOwn: true };
  const killed = {
    ...host.files,
    write(path: string, content: string | Uint8Array) {
      host.files.write(path, content.slice(0, 20));
      throw new Error("killed");
    },
  };
  expect(() => openSigningKeys({ ...host, files: killed }, options)).toThrow("killed");
  const { kid, secret } = openSigningKeys(host, options).newest();
  expect(secret).toHaveLength(44);
  expect(openSigningKeys(host, options).newest().kid).toBe(kid);
});
