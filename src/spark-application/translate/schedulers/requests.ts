import type { Role } from "../../../conf/entry.ts";
import { parseByteSize } from "../../../values/byte-size.ts";
import { addQuantities, parseQuantity, printQuantity, type Quantity } from "../../../values/quantity.ts";
import { roleFields, type TranslationInput } from "../translation.ts";

/** Smallest memory overhead, in MiB. */
const minOverheadMiB = 384;

/** Executors that Spark starts without a setting. */
const defaultExecutors = 2;

const nothing: Quantity = { nano: 0n, format: "decimalSI" };
const nanoPerMiB = 2n ** 20n * 1_000_000_000n;

/** Returns the number of executors at the start, as the operator counts them. */
export function executorCount({ spec }: TranslationInput): number {
  const { instances } = spec.executor;
  const { dynamicAllocation } = spec;
  if (dynamicAllocation === undefined) return instances ?? defaultExecutors;
  return Math.max(instances ?? 0, dynamicAllocation.initialExecutors ?? 0, dynamicAllocation.minExecutors ?? 0, 0);
}

/**
 * Returns what all pods of an application need: cores, and memory with its overhead. Memory that is written as a quantity of Kubernetes
 * counts as such; other memory counts as Spark will request it. As with the operator, there is no memory if the file names none.
 */
export function totalRequests(input: TranslationInput): Readonly<Record<string, string>> {
  const { specified } = input;
  const { mode, driver, executor } = input.spec;
  const count = executorCount(input);
  const hasDriver = mode !== "client";
  const cpu = sum([
    ...(hasDriver ? [quantityOf(driver.cores ?? driver.coreLimit)] : []),
    times(quantityOf(executor.coreRequest || (executor.cores ?? executor.coreLimit)), count),
  ]);
  const isStated = [specified.driver, specified.executor].some(({ memory = "" }) => memory !== "");
  const parts = !isStated
    ? []
    : [...(hasDriver ? [memoryOf(input, "driver")] : []), times(memoryOf(input, "executor"), count)];
  const memory = sum(parts);
  return {
    ...(cpu.nano > 0n && { cpu: printQuantity(cpu) }),
    ...(memory.nano > 0n && { memory: printQuantity(memory) }),
  };
}

function memoryOf(input: TranslationInput, role: Role): Quantity {
  const { memory = "", memoryOverhead = "" } = roleFields(input, role);
  const written = [memory, memoryOverhead].filter((text) => text !== "");
  const quantities = written.map((text) =>
    /^\d+(\.\d+)?([KMGTPE]i?|ki)?$/.test(text) ? parseQuantity(text) : undefined,
  );
  if (quantities.every((quantity) => quantity !== undefined)) return sum(quantities);
  return { nano: BigInt(requestedMiB(input, role)) * nanoPerMiB, format: "binarySI" };
}

/** Returns the memory that Spark requests for a pod, in MiB, without that of Python and off the heap. */
export function requestedMiB(input: TranslationInput, role: Role): number {
  const { memory = "1g", memoryOverhead = "" } = roleFields(input, role);
  const heap = mebibytes(memory);
  return heap + (memoryOverhead === "" ? overheadOf(input, heap) : mebibytes(memoryOverhead));
}

function overheadOf({ spec: { type, memoryOverheadFactor = "" } }: TranslationInput, heapMiB: number): number {
  const usual = type === "Java" || type === "Scala" ? 0.1 : 0.4;
  const factor = memoryOverheadFactor === "" ? usual : Number(memoryOverheadFactor);
  return Math.max(Math.floor(heapMiB * factor), minOverheadMiB);
}

/** Parses a size of Spark in MiB; 0 if it is none, which the plan reports. */
export function mebibytes(text: string): number {
  const size = parseByteSize(text, { unit: "MiB", binarySuffixes: true });
  return size.ok ? size.value : 0;
}

/** Parses a number of cores; nothing if it is none. */
export function quantityOf(value: string | number | undefined): Quantity {
  return value === undefined ? nothing : (parseQuantity(String(value)) ?? nothing);
}

function sum(quantities: readonly Quantity[]): Quantity {
  return quantities.reduce(addQuantities, nothing);
}

function times({ nano, format }: Quantity, count: number): Quantity {
  return { nano: nano * BigInt(count), format };
}
