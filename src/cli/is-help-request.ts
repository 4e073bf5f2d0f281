/** Returns whether the arguments of one of Firesteel's own commands request its help. */
export function isHelpRequest(args: readonly string[]): boolean {
  return args.includes("--help") || args.includes("-h");
}
