import { responseParser } from "../../../../src/kube-client/http/response-parser.ts";
import { packetsOf } from "../packets.ts";
import { type FuzzTarget, hasMessage } from "../target.ts";

const ignored = () => undefined;

/** Bytes that other programs send over HTTP. */
export const httpTargets: readonly FuzzTarget[] = [
  {
    name: "http-response",
    isExpected: hasMessage(/^the answer is not HTTP: /),
    run(input) {
      const { variant, packets } = packetsOf(input);
      const parser = responseParser(variant === 0 ? "HEAD" : "GET", { head: ignored, data: ignored, end: ignored });
      for (const packet of packets) parser.write(packet);
      parser.close();
      parser.leavesOpen();
    },
  },
];
