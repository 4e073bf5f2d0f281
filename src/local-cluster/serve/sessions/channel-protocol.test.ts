import fc from "fast-check";
import { expect, test } from "vitest";
import { channelProtocol, decodeMessage, encodeMessage } from "./channel-protocol.ts";

test.each(["", "channel.k8s.io", "base64.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io"])(
  "protocol %j decodes what it encodes",
  (name) => {
    const protocol = channelProtocol(name);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9 }), fc.uint8Array({ maxLength: 50 }), (channel, content) => {
        const message = encodeMessage(protocol, channel, content);
        expect(typeof message).toBe(protocol.isBase64 ? "string" : "object");
        expect(decodeMessage(protocol, Buffer.from(message))).toEqual({ channel, content: Buffer.from(content) });
      }),
    );
  },
);

test("ignores empty and malformed messages", () => {
  expect(decodeMessage(channelProtocol(""), Buffer.alloc(0))).toBeUndefined();
  expect(decodeMessage(channelProtocol("base64.channel.k8s.io"), Buffer.from("0a b"))).toBeUndefined();
});
