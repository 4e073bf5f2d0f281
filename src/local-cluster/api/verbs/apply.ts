import { unsupportedPatchType } from "../status.ts";
import type { Action } from "./call.ts";

/** Server-side apply. */
export const apply: Action = () => {
  throw unsupportedPatchType();
};
