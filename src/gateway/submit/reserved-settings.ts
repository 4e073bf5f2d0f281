import { firesteelSparkVersion } from "../../conf/entries/firesteel.ts";
import { shuffleProfile } from "../../conf/entries/shuffle-profile.ts";

/** Settings of Firesteel that name no file of the server and start no program on it. */
const permittedOwnSettings = new Set([firesteelSparkVersion.key, shuffleProfile.key]);

/** Other settings that name a file of the server or change the identity with which the gateway submits. */
const reserved = [
  /^spark\.firesteel\./,
  /^spark\.kubernetes\.(driver|executor)\.podTemplateFile$/,
  /^spark\.kubernetes\.(context|trust\.certificates)$/,
  /^spark\.kubernetes\.authenticate\.(submission\.|((driver\.)?(client(Key|Cert)File|caCertFile|oauthTokenFile)$))/,
  /^spark\.submit\.proxyUser\.allowCustomClasspathInClusterMode$/,
];

/** Returns whether clients must not set a setting, by whatever protocol: only the gateway's configuration may. */
export function isReservedSetting(key: string): boolean {
  return !permittedOwnSettings.has(key) && reserved.some((pattern) => pattern.test(key));
}
