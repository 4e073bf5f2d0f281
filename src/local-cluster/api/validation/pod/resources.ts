import { ownMember } from "../../../../values/own-member.ts";
import { parseQuantity } from "../../../../values/quantity.ts";
import { type FieldError, forbiddenField, invalidValue, required } from "../field-error.ts";
import { containerResourceErrors, isExtended } from "../resource-names.ts";

type Amounts = Readonly<Record<string, string>>;

const billion = 1_000_000_000n;

/** Returns the errors of a container's requests and limits. */
export function validateResources(
  { limits = {}, requests = {} }: { readonly limits?: Amounts; readonly requests?: Amounts },
  path: string,
): FieldError[] {
  const fixed = Object.keys(requests).filter((name) => !isOvercommittable(name) && !Object.hasOwn(limits, name));
  return [
    ...amountErrors(limits, `${path}.limits`),
    ...amountErrors(requests, `${path}.requests`),
    ...Object.entries(requests).flatMap(([name, amount]) => compareErrors(name, amount, { limits, path })),
    ...hugePageErrors({ ...limits, ...requests }, path),
    ...(fixed.length === 0 ? [] : [required(`${path}.limits`, "Limit must be set for non overcommitable resources")]),
  ];
}

/** Returns the error of huge pages without cpu or memory. */
function hugePageErrors(amounts: Amounts, path: string): FieldError[] {
  const names = Object.keys(amounts);
  const isAlone = names.some(isHugePages) && !names.some((name) => name === "cpu" || name === "memory");
  return isAlone ? [forbiddenField(path, "HugePages require cpu or memory")] : [];
}

/** Whether an amount is not a positive multiple of the huge page size. */
function isFractionalPage(name: string, nano: bigint): boolean {
  const page = parseQuantity(name.slice("hugepages-".length))?.nano ?? 0n;
  return isHugePages(name) && page > 0n && (nano <= 0n || nano % page !== 0n);
}

function amountErrors(amounts: Amounts, path: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const field = `${path}[${name}]`;
    const nano = nanoOf(amount);
    return [
      ...containerResourceErrors(name, field),
      ...(nano < 0n ? [invalidValue(field, amount, "must be greater than or equal to 0")] : []),
      ...(isFractionalPage(name, nano)
        ? [invalidValue(field, amount, `${amount} is not positive integer multiple of ${name}`)]
        : []),
      ...(isExtended(name) && nano % billion !== 0n ? [invalidValue(field, amount, "must be an integer")] : []),
    ];
  });
}

function compareErrors(
  name: string,
  amount: string,
  { limits, path }: { limits: Amounts; path: string },
): FieldError[] {
  const limit = ownMember(limits, name);
  if (limit === undefined) return [];
  const field = `${path}.requests`;
  const [requested, maximum] = [nanoOf(amount), nanoOf(limit)];
  if (isOvercommittable(name)) {
    return requested > maximum
      ? [invalidValue(field, amount, `must be less than or equal to ${name} limit of ${limit}`)]
      : [];
  }
  return requested === maximum ? [] : [invalidValue(field, amount, `must be equal to ${name} limit of ${limit}`)];
}

/** Whether the limit may exceed the request. */
function isOvercommittable(name: string): boolean {
  return !isHugePages(name) && (!name.includes("/") || name.includes("kubernetes.io/"));
}

function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

function nanoOf(amount: string): bigint {
  return parseQuantity(amount)?.nano ?? 0n;
}

/** Returns warnings about fractional bytes, which are stored but probably a mistake. */
export function warnOfFractions(
  { limits = {}, requests = {} }: { limits?: Amounts; requests?: Amounts },
  path: string,
  inBytes: readonly string[] = ["memory", "ephemeral-storage"],
): string[] {
  return Object.entries({ requests, limits }).flatMap(([list, amounts]) =>
    inBytes.flatMap((name) => {
      const amount = amounts[name];
      if (amount === undefined || nanoOf(amount) % billion === 0n) return [];
      return [`${path}.${list}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`];
    }),
  );
}
