import { testHost } from "../../../../src/host/test-host.ts";
import { fromTexts } from "../../../../src/local-cluster/chaos/from-texts.ts";
import { parseIncident } from "../../../../src/local-cluster/chaos/incident.ts";
import { parseRule } from "../../../../src/local-cluster/chaos/parse-rule.ts";
import { loadImages } from "../../../../src/local-cluster/images/loaded/load-image.ts";
import { printRecord } from "../../../../src/local-cluster/journal/record.ts";
import { restore, resultOf } from "../../../../src/local-cluster/journal/restore.ts";
import { expandVariables } from "../../../../src/local-cluster/pods/expand-variables.ts";
import { parseImageReference } from "../../../../src/values/image-reference.ts";
import { type FuzzTarget, isOneOf } from "../target.ts";

/** Files and texts of the embedded cluster. */
export const clusterTargets: readonly FuzzTarget[] = [
  {
    name: "journal",
    run(input) {
      // Lines of JSON get their checksums: otherwise, hardly any would be read.
      const lines = input.toString().split("\n");
      const isText = (line: string) => line.startsWith("{") || line.startsWith("[");
      const records = lines.map((line) => (isText(line) ? printRecord(line) : `${line}\n`)).join("");
      // One kind for each input: parsing 26,000 lines of invalid JSON with valid checksums takes half a second.
      const kind = input.length % 2 === 0 ? "journal" : "snapshot";
      const host = testHost({ files: { [`/j/${kind}-00000001.log`]: records, "/j/journal-00000002.log": input } });
      resultOf(restore(host.files, "/j", { isNew: false }));
    },
  },
  {
    name: "chaos-rules",
    isExpected: isOneOf(SyntaxError),
    run(input) {
      const value = JSON.parse(input.toString());
      parseRule(value);
      parseIncident(value);
      parseRule(fromTexts(value));
    },
  },
  { name: "image-references", run: (input) => parseImageReference(input.toString()) },
  {
    name: "image-archive",
    maxBytes: 16 * 1024,
    run: (input) => loadImages(testHost({ files: { "/image.tar": input } }), { file: "/image.tar", name: "a:b" }),
  },
  {
    name: "variables",
    run: (input) => expandVariables(input.toString(), (name) => (name.length > 2 ? "value" : undefined)),
  },
];
