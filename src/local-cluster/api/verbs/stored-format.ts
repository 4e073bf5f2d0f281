import type { ObjectFormat } from "../admission/webhooks/admission-request.ts";
import { apiVersionOf } from "../kinds/kind.ts";
import type { Draft } from "../object.ts";
import { decodeObject } from "./read-object.ts";

/** The format of a kind's own objects, in their stored version. */
export const storedFormat: ObjectFormat<Draft> = {
  kindIn: ({ group, version, kind }) => ({ group, version, kind }),
  print(object, version) {
    const printed = version.conversion?.fromStored(object) ?? object;
    return { ...printed, apiVersion: apiVersionOf(version), kind: version.kind };
  },
  // Unknown fields of a webhook's patch are dropped.
  parse: (document, version) =>
    decodeObject({ kind: version, warnings: [] }, { object: document }, { fieldValidation: "Ignore" }),
};
