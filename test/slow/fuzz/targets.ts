import type { FuzzTarget } from "./target.ts";
import { accessTargets } from "./targets/access.ts";
import { apiTargets } from "./targets/api.ts";
import { archiveTargets } from "./targets/archives.ts";
import { clusterTargets } from "./targets/cluster.ts";
import { fileTargets } from "./targets/files.ts";
import { hadoopTargets } from "./targets/hadoop.ts";
import { httpTargets } from "./targets/http.ts";
import { logTargets } from "./targets/logs.ts";
import { packageTargets } from "./targets/packages.ts";
import { selfTest } from "./targets/self-test.ts";
import { serverTargets } from "./targets/servers.ts";
import { settingsTargets } from "./targets/settings.ts";

export { isSubmitError } from "../../../src/errors/submit-error.ts";

/** All targets, in the order in which they run. */
export const targets: readonly FuzzTarget[] = [
  ...[...settingsTargets, ...fileTargets, ...archiveTargets, ...packageTargets, ...accessTargets],
  ...[...hadoopTargets, ...httpTargets, ...logTargets, ...apiTargets, ...clusterTargets, ...serverTargets],
  selfTest,
];
