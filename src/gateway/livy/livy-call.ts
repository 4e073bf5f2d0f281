import type { Random } from "../../host/host.ts";
import type { GatewayRequest } from "../http/gateway-request.ts";
import type { Applications } from "../model/applications.ts";
import type { LivySettings } from "../settings.ts";
import type { LinksOf } from "../ui/ui-links.ts";
import type { BatchRules } from "./new-batch.ts";

/** Dependencies of the protocol of Livy. */
export interface LivyCall {
  readonly applications: Applications;
  readonly settings: LivySettings;
  readonly rules: BatchRules;
  readonly links: LinksOf;
  readonly random: Pick<Random, "bytes">;
  /** Path that the links of Spark UIs start with; `undefined` if a request decides. */
  readonly uiRoot: string | undefined;
  /** Path of headers `Location`. */
  readonly apiRoot: string;
}

/** A request with the user for whom it is served. */
export interface LivyRequest extends GatewayRequest {
  /** `doAs`, else the authenticated user; `undefined` without authentication. */
  readonly user: string | undefined;
  /** Value of `doAs`, if the user may impersonate it. */
  readonly doAs: string | undefined;
}
