import * as v from "valibot";
import { messageOf } from "../errors/message-of.ts";
import type { LocalizeConfig, LocalizeSource } from "../staging-client/localize-config.ts";
import {
  digestShape,
  entryKindShape,
  entryMembers,
  entryNameShape,
  flagShape,
  integerRange,
  listOf,
  textShape,
  validate,
} from "../staging-client/validate.ts";

/** A valid configuration, or all problems of an invalid one; each problem names its key. */
type ParsedConfig =
  | { readonly config: LocalizeConfig; readonly problems?: undefined }
  | { readonly config?: undefined; readonly problems: readonly string[] };

/** Parses the init container's configuration. Rejects unknown keys, because they are probably typos. */
export function parseLocalizeConfig(text: string): ParsedConfig {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problems: [`it is not JSON: ${messageOf(error)}`] };
  }
  const { value, problems } = validate(configShape, json);
  return problems === undefined ? { config: value } : { problems };
}

const absolutePath = v.pipe(
  v.string("an absolute path"),
  v.check((text) => text.startsWith("/") && !text.includes("\0"), "an absolute path"),
);

const httpUrl = v.pipe(
  v.string("an http or https URL"),
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text), "an http or https URL"),
);

const entries = listOf(v.strictObject(entryMembers, "an object"));

const sourceShapes = {
  bundle: v.strictObject({
    kind: v.literal("bundle"),
    server: httpUrl,
    bundleId: textShape,
    tokenFile: textShape,
    authorityFile: v.exactOptional(textShape),
  }),
  remote: v.strictObject({
    kind: v.literal("remote"),
    urlsFile: textShape,
    entries: listOf(
      v.strictObject(
        {
          kind: entryKindShape,
          name: entryNameShape,
          digest: v.exactOptional(digestShape),
          size: v.exactOptional(integerRange(0)),
          executable: v.exactOptional(flagShape),
        },
        "an object",
      ),
    ),
    authorityFile: v.exactOptional(textShape),
  }),
  push: v.strictObject({
    kind: v.literal("push"),
    port: integerRange(0, 65_535),
    secretFile: textShape,
    entries,
    clientTimeoutSeconds: v.exactOptional(integerRange(1)),
    basePath: v.exactOptional(absolutePath),
    keyFile: v.exactOptional(textShape),
    certificateFile: v.exactOptional(textShape),
  }),
};

const sourceShape: v.GenericSchema<unknown, LocalizeSource> = v.variant(
  "kind",
  [sourceShapes.bundle, sourceShapes.remote, sourceShapes.push],
  ({ path }) => (path?.at(-1)?.key === "kind" ? `one of ${Object.keys(sourceShapes).join(", ")}` : "an object"),
);

const configShape: v.GenericSchema<unknown, LocalizeConfig> = v.strictObject(
  {
    directory: absolutePath,
    sources: listOf(sourceShape),
    parallel: v.exactOptional(integerRange(1)),
    timeoutSeconds: v.exactOptional(integerRange(1)),
  },
  "an object",
);
