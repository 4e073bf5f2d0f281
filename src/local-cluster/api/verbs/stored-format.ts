import type { ObjectFormat } from "../admission/webhooks/admission-request.ts";
import { convertedObject, convertObjects } from "../custom/webhook-conversion.ts";
import { apiVersionOf } from "../kinds/kind.ts";
import type { Draft } from "../object.ts";
import { decodeObject } from "./read-object.ts";

/** The format of a kind's own objects, in their stored version. */
export const storedFormat: ObjectFormat<Draft> = {
  kindIn: ({ group, version, kind }) => ({ group, version, kind }),
  print(object, version) {
    const target = version.custom?.conversion.webhook?.own;
    const shown = target === undefined ? object : convertedObject(target, object);
    const printed = version.conversion?.fromStored(shown) ?? shown;
    return { ...printed, apiVersion: apiVersionOf(version), kind: version.kind };
  },
  convert(api, version, objects) {
    const target = version.custom?.conversion.webhook?.own;
    const isNeeded = target !== undefined && objects.some((object) => object["apiVersion"] !== target.apiVersion);
    return isNeeded ? convertObjects(api, target, { objects }) : undefined;
  },
  // Unknown fields of a webhook's patch are dropped.
  parse: (document, version) =>
    decodeObject({ kind: version, warnings: [] }, { object: document }, { fieldValidation: "Ignore" }),
};
