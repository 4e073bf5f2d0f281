import { driverExtraLibraryPath } from "../../conf/entries/driver.ts";
import { type Launch, launchSetting, launchVariable } from "./launch.ts";

/** Builds the environment variable with the native library path of a local driver. */
export function libraryPath(launch: Launch): Readonly<Record<string, string>> {
  const configured = launchSetting(launch, driverExtraLibraryPath);
  if (configured === undefined) return {};
  const name = launch.host.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  const before = launchVariable(launch, name);
  return { [name]: before === undefined ? configured : `${before}:${configured}` };
}
