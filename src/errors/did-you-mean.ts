/** Builds the beginning of a hint: the question whether the user means a similar name; empty without one. */
export function didYouMean(nearest: string | undefined): string {
  return nearest === undefined ? "" : `Did you mean ${nearest}? `;
}
