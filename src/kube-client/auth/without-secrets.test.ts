import { expect, test } from "vitest";
import { withoutSecrets } from "./without-secrets.ts";

const hidden = "*********(redacted)";

test.each([
  ["id_token_hint: abc", `id_token_hint: ${hidden}`],
  ['{"refresh-token" : "abc"}', `{"refresh-token" : "${hidden}"}`],
  ["Authorization: Bearer abc.def", `Authorization: Bearer ${hidden}`],
  ["https://user:abc@host/", `https://${hidden}@host/`],
  ["got eyJhbGciOiJub25lIn0.e30.c2ln", `got ${hidden}`],
  ["eyJust a name", "eyJust a name"],
  ["known-secret here", `${hidden} here`],
])("hides the secret in %s", (text, shown) => {
  expect(withoutSecrets(text, ["known-secret"])).toBe(shown);
});

test.each(["9", "a", "token", "token-", "token ", "eyJa-", "://", "bearer "])(
  "takes linear time for many times %j",
  (part) => {
    const text = part.repeat(Math.ceil(1_000_000 / part.length));
    expect(withoutSecrets(text, [])).not.toBe("");
  },
);
