import { keys } from "../diagnosis/settings.ts";
import type { Role } from "./submission.ts";

/** Returns the prefix of the settings for the volumes of a role. */
export function volumePrefix(role: Role): string {
  return role === "driver" ? keys.volume : keys.executorVolume;
}

/** Returns the setting for the pod template of a role. */
export function templateKey(role: Role): string {
  return role === "driver" ? keys.template : keys.executorTemplate;
}
