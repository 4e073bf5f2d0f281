import * as v from "valibot";

const maxLabels = 100;

/**
 * Shape of the labels by which a request selects the owners of files. Longer names and values are not possible.
 *
 * Source: Kubernetes, "Labels and Selectors".
 */
export const labelsShape = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check((labels) => Object.keys(labels).length > 0, "must select the pods that own the files"),
  v.check((labels) => Object.keys(labels).length <= maxLabels, `must have at most ${maxLabels} labels`),
  v.record(v.pipe(v.string(), v.maxLength(317)), v.pipe(v.string(), v.maxLength(63))),
);
