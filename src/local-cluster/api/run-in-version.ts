import type { Action, ActionResult, ApiScope, Call } from "./call.ts";
import { versionedStore } from "./custom/versioned-store.ts";
import { convertObjects, isUsable, UnconvertedError } from "./custom/webhook-conversion.ts";
import { StatusError } from "./status.ts";

/** Time between attempts to convert the objects of a watch. */
const retryMs = 1000;

/**
 * Executes an action on custom resources, in the version that the request names. If a webhook must convert objects first, calls it and
 * executes the action again: an action that needs such objects has changed nothing yet.
 */
export async function runInVersion(action: Action, api: ApiScope, call: Call): Promise<ActionResult> {
  const conversion = call.kind.custom?.conversion;
  if (conversion === undefined) return await action(api, call);
  const { signal, warnings } = call;
  const known = warnings.length;
  const store = versionedStore(api.store, conversion, (objects, isOpen) =>
    convertUntil(api, call, { objects, isOpen }),
  );
  for (;;) {
    try {
      return await action({ ...api, store }, call);
    } catch (error) {
      const own = conversion.webhook?.own;
      if (!(error instanceof UnconvertedError) || own === undefined) throw error;
      if (error.objects.every((object) => isUsable(own, object))) throw error;
      warnings.length = known;
      await convertObjects(api, own, { objects: error.objects, signal });
    } finally {
      store.forgetWritten();
    }
  }
}

interface WatchedObjects {
  readonly objects: UnconvertedError["objects"];
  /** Whether the watch continues. */
  readonly isOpen: () => boolean;
}

/** Converts objects of a watch. Events wait while the webhook fails, which may have another address meanwhile. */
async function convertUntil(api: ApiScope, { kind }: Call, { objects, isOpen }: WatchedObjects): Promise<void> {
  const own = kind.custom?.conversion.webhook?.own;
  while (own !== undefined && isOpen()) {
    const current = api.kinds.find(kind.group, kind.version, kind.plural)?.custom?.conversion.webhook?.own;
    try {
      await convertObjects(api, { ...own, address: current?.address ?? own.address }, { objects });
      return;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      await new Promise<void>((resolve) => void api.clock.after(retryMs, resolve));
    }
  }
}
