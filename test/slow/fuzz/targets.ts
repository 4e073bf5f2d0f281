import type { FuzzTarget } from "./target.ts";
import { archiveTargets } from "./targets/archives.ts";
import { httpTargets } from "./targets/http.ts";
import { selfTest } from "./targets/self-test.ts";
import { settingsTargets } from "./targets/settings.ts";

export { isSubmitError } from "../../../src/errors/submit-error.ts";

/** All targets, in the order in which they run. */
export const targets: readonly FuzzTarget[] = [...settingsTargets, ...archiveTargets, ...httpTargets, selfTest];
