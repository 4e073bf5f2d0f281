const shape = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

const stages: readonly (string | undefined)[] = ["alpha", "beta", undefined];

/**
 * Compares versions of an API in the order of preference: v2, v1, v1beta2, v1beta1, v1alpha1, then others by name.
 *
 * Source: Kubernetes 1.35, apimachinery/pkg/version.
 */
export function compareVersions(a: string, b: string): number {
  const left = shape.exec(a);
  const right = shape.exec(b);
  if (left === null && right === null) return a < b ? -1 : a > b ? 1 : 0;
  if (left === null || right === null) return left === null ? 1 : -1;
  return (
    stages.indexOf(right[2]) - stages.indexOf(left[2]) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}
