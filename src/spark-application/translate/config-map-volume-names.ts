const maxLabelLength = 63;
const suffix = "-vol";

/**
 * Builds a name for the volume of each ConfigMap: `NAME-vol`. Cuts a long name, replaces dots, and numbers a name that occurs again: a
 * volume's name is a DNS label.
 */
export function configMapVolumeNames(configMaps: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return configMaps.map((configMap) => {
    const base = configMap.replaceAll(".", "-");
    let name = labelOf(base, suffix);
    for (let count = 2; used.has(name); count += 1) name = labelOf(base, `-${count}${suffix}`);
    used.add(name);
    return name;
  });
}

function labelOf(base: string, end: string): string {
  return `${base.slice(0, maxLabelLength - end.length).replace(/-+$/, "")}${end}`;
}
