import { expect, test } from "vitest";
import { parseKeys } from "./parse-keys.ts";
import { signedHeaders } from "./sign.ts";

// Example of Standard Webhooks.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const message = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: 1614265330,
  body: '{"test": 2432232314}',
};
const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

test("a message is signed as Standard Webhooks defines", () => {
  expect(signedHeaders(message, parseKeys(`${secret}\n`) ?? [])).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": signature,
  });
});

test("a message has one signature for each key, so that keys can be replaced", () => {
  const keys = parseKeys(`whsec_${Buffer.alloc(32, 1).toString("base64")}\n${secret}\n`) ?? [];
  expect(signedHeaders(message, keys)["webhook-signature"].split(" ")).toEqual([
    expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    signature,
  ]);
});

test.each(["", "secret", "whsec_c2hvcnQ=", `whsec_${"A".repeat(92)}`, `${secret} other`])(
  "%j is not a secret",
  (text) => {
    expect(parseKeys(text)).toBeUndefined();
  },
);
