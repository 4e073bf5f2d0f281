/** A computation that can wait for promises. Without one, it runs synchronously. */
export type Steps<T> = Generator<Promise<void>, T, void>;

/** Runs steps. Returns a promise only if they wait: until then, no other request can change the stored objects. */
export function runSteps<T>(steps: Steps<T>): T | Promise<T> {
  const first = steps.next();
  return first.done === true ? first.value : finish(steps, first.value);
}

async function finish<T>(steps: Steps<T>, awaited: Promise<void>): Promise<T> {
  let promise = awaited;
  for (;;) {
    const next = await promise.then(
      () => steps.next(),
      (error: unknown) => steps.throw(error),
    );
    if (next.done === true) return next.value;
    promise = next.value;
  }
}

/** Waits for a promise. @throws the reason of its rejection */
export function* waitFor<T>(promise: Promise<T>): Steps<T> {
  const result: { value?: T } = {};
  yield promise.then((value) => {
    result.value = value;
  });
  if (!hasValue(result)) throw new RangeError("The steps continued before their promise was resolved.");
  return result.value;
}

function hasValue<T>(result: { readonly value?: T }): result is { readonly value: T } {
  return "value" in result;
}
