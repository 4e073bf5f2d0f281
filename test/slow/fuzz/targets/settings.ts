import { readApplied } from "../../../../src/applications/applied-application.ts";
import { readManifest } from "../../../../src/applications/read-manifest.ts";
import { renderApplicationFile } from "../../../../src/cli/commands/render-application.ts";
import { drySubmission } from "../../../../src/cli/dry/dry-submission.ts";
import { testHost } from "../../../../src/host/test-host.ts";
import { parseByteSize, printByteSize } from "../../../../src/values/byte-size.ts";
import { parseDependencyUri, resolveUris } from "../../../../src/values/dependency-uri.ts";
import { parseDuration, printDuration } from "../../../../src/values/duration.ts";
import { parseJavaDouble, parseJavaInt, parseJavaLong } from "../../../../src/values/java-number.ts";
import { parseOptionString } from "../../../../src/values/option-string.ts";
import { parseProperties, printProperties } from "../../../../src/values/properties.ts";
import { parseQuantity, printQuantity } from "../../../../src/values/quantity.ts";
import { parseRedactionRule } from "../../../../src/values/redaction.ts";
import { parseUri, recomposeUri } from "../../../../src/values/uri.ts";
import type { FuzzTarget } from "../target.ts";

/** Texts that users write: command lines, properties files and values. */
export const settingsTargets: readonly FuzzTarget[] = [
  {
    name: "command-line",
    // One argument per line.
    run: (input) => drySubmission(testHost({ argv: [] }), input.toString().split("\n"), "seed"),
  },
  {
    name: "spark-application",
    run: (input) => {
      const host = testHost({ files: { "/w/app.yaml": input.toString() }, cwd: "/w" });
      const options = { file: "app.yaml", operatorOptions: undefined, master: undefined, seed: "seed" };
      return renderApplicationFile(host, { ...options, reservedKeys: "warn" });
    },
  },
  {
    name: "application-file",
    async run(input) {
      const host = testHost({ files: { "/w/app.yaml": input.toString() }, cwd: "/w" });
      for (const document of await readManifest(host, "app.yaml"))
        readApplied({ file: "app.yaml", document }, { options: {}, reservedKeys: "reject" });
    },
  },
  {
    name: "properties",
    run(input) {
      const parsed = parseProperties(input.toString());
      if (!parsed.ok) return;
      const again = parseProperties(printProperties({ comments: [], entries: parsed.entries }));
      if (!again.ok || again.entries.size !== parsed.entries.size) throw new Error("The printed properties differ.");
    },
  },
  {
    name: "quantities",
    run(input) {
      const quantity = parseQuantity(input.toString());
      if (quantity !== undefined) parseQuantity(printQuantity(quantity));
    },
  },
  {
    name: "numbers",
    run(input) {
      const text = input.toString();
      const size = parseByteSize(text, { unit: "MiB", binarySuffixes: true });
      if (size.ok) printByteSize(size.value, "MiB");
      const duration = parseDuration(text, "s");
      if (duration.ok) printDuration(duration.value, "s");
      return [parseJavaInt(text), parseJavaLong(text), parseJavaDouble(text)];
    },
  },
  {
    name: "uris",
    run(input) {
      const text = input.toString();
      parseUri(text);
      recomposeUri(text);
      parseDependencyUri(text);
      parseOptionString(text);
      parseRedactionRule(text);
      resolveUris(text, { cwd: "/work" });
    },
  },
];
