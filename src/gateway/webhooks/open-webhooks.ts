import type { Host } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { httpConnections } from "../../net/http-connections.ts";
import { proxyFor } from "../../net/proxy/proxy-for.ts";
import type { OpenApplications } from "../applications/open-applications.ts";
import { finalStates, type GatewayApplication } from "../model/application.ts";
import type { EndReceivers } from "../model/end-receivers.ts";
import type { LinksOf } from "../ui/ui-links.ts";
import type { Webhook } from "./webhook.ts";
import { attemptOf, eventBody, eventId } from "./webhook-event.ts";
import { type WebhookCounts, webhookSender } from "./webhook-sender.ts";

interface WebhooksCall {
  readonly host: Pick<Host, "clock" | "random" | "env">;
  readonly webhooks: readonly Webhook[];
  readonly log: ServerLog;
  readonly links: LinksOf;
  /** Namespace and name of the gateway, for the IDs of events. */
  readonly gateway: string;
}

/** Webhooks of a gateway. */
export interface OpenWebhooks {
  /** Receivers of ends, which applications keep until they are delivered. */
  readonly ends: EndReceivers;
  /** Sends the other states of applications from now on. They are lost if the gateway ends before. */
  readonly follow: (applications: Pick<OpenApplications, "list" | "onChange" | "isSynced">) => void;
  /** Counts by the name of the webhook. */
  readonly counts: () => ReadonlyMap<string, WebhookCounts>;
  readonly close: () => void;
}

/** Opens the webhooks of a gateway. */
export function openWebhooks({ host, webhooks, log, links, gateway }: WebhooksCall): OpenWebhooks {
  const { clock, random, env } = host;
  const ending = new AbortController();
  const connections = httpConnections({ clock, findProxy: (server) => proxyFor(server, env) });
  const senders = new Map(
    webhooks.map((webhook) => {
      const sender = webhookSender({
        ...{ webhook, clock, random, log, connections, signal: ending.signal },
        messageOf: (event) => ({
          id: eventId(gateway, event),
          body: eventBody(event, links(event.application)),
        }),
      });
      return [webhook.name, { webhook, sender }] as const;
    }),
  );
  let stopFollowing = () => {};
  return {
    ends: {
      namesFor: (state) =>
        [...senders.values()].flatMap(({ webhook: { name, states }, sender }) =>
          states.has(state) && !sender.isDisabled() ? [name] : [],
        ),
      async deliver(name, application) {
        const atMs = application.record.end?.atMs ?? clock.now();
        return senders.get(name)?.sender.send({ application, atMs }) ?? true;
      },
    },
    follow(applications) {
      if (senders.size === 0) return;
      /** Latest states of the attempts of applications, by key. */
      const known = new Map<string, string>();
      const isNew = (application: GatewayApplication) => {
        const state = `${attemptOf(application)} ${application.state}`;
        const { key } = application.record;
        if (known.get(key) === state) return false;
        known.set(key, state);
        return true;
      };
      const restored = new Set<string>();
      for (const application of applications.list()) {
        isNew(application);
        restored.add(application.record.key);
      }
      stopFollowing = applications.onChange((key, application) => {
        if (application === undefined) return void known.delete(key);
        if (!isNew(application) || finalStates.has(application.state)) return;
        // The state that an application had before the gateway started is not a change.
        if (!applications.isSynced() && restored.has(key)) return;
        for (const { webhook, sender } of senders.values())
          if (webhook.states.has(application.state)) void sender.send({ application, atMs: clock.now() });
      });
    },
    counts: () => new Map([...senders].map(([name, { sender }]) => [name, sender.counts()])),
    close() {
      stopFollowing();
      ending.abort();
      connections.close();
    },
  };
}
