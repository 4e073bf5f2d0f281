/** Label of all objects of an application, by which its Services find the driver. */
export const appNameLabel = "sparkoperator.k8s.io/app-name";

const maxLabelLength = 63;
const hashLength = 8;

/** Builds the name of an object, e.g. `pi-ui-svc`. A long name is cut, and ends with a hash before the suffix. */
export function shortName(name: string, suffix: string, md5: (text: string) => string): string {
  const full = `${name}-${suffix}`;
  if (full.length <= maxLabelLength) return full;
  const kept = maxLabelLength - suffix.length - hashLength - 2;
  return `${name.slice(0, kept)}-${md5(full).slice(0, hashLength)}-${suffix}`;
}
