import { defaultTextOf } from "../conf/entries/topics.ts";
import type { SubstitutionSources } from "../conf/substitution.ts";
import type { Host } from "../host/host.ts";

/** Returns the sources of `${…}` in settings on this machine, with the JVM's properties that are known without a JVM. */
export function substitutionSources(host: Host): SubstitutionSources {
  return {
    env: host.env,
    system: {
      get "user.name"() {
        return host.user.name;
      },
      get "user.home"() {
        return host.user.home;
      },
      "user.dir": host.cwd,
      "file.separator": "/",
      "path.separator": ":",
      "line.separator": "\n",
    },
    defaults: defaultTextOf,
  };
}
