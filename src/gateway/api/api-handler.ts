import type { Applications } from "../applications/applications.ts";
import type { GatewayResponse, ProtocolHandler } from "../http/gateway-request.ts";
import { applicationJson } from "./application-json.ts";

const root = "/api/v1/applications";

/** Serves Firesteel's own API. */
export function apiHandler(applications: Applications): ProtocolHandler {
  return {
    owns: (path) => path === root || path.startsWith(`${root}/`),
    async respond(request) {
      const { method, path } = request;
      const [key = "", action] = path.slice(root.length + 1).split("/");
      if (key === "" && method === "GET")
        return json(200, { applications: [...applications.list()].map(applicationJson) });
      if (key === "" && method === "POST") {
        const body: unknown = JSON.parse((await request.readBody()).toString("utf8"));
        const {
          app,
          args = [],
          conf = {},
          name,
          className,
        } = body as {
          app: string;
          args?: string[];
          conf?: Record<string, string>;
          name?: string;
          className?: string;
        };
        const result = await applications.submit({
          protocol: "api",
          name,
          submission: {
            fields: { ...(name !== undefined && { name }), ...(className !== undefined && { mainClass: className }) },
            settings: conf,
            resource: app,
            appArgs: args,
            templates: {},
          },
        });
        if (result.kind === "accepted" || result.kind === "repeated")
          return json(201, applicationJson(result.application));
        return json(400, result);
      }
      const application = applications.get(key);
      if (application === undefined) return json(404, { message: "No such application." });
      if (action === "log") return json(200, await applications.readLog(key, { last: 100 }));
      if (action === "report") return json(200, await applications.readReport(key, { last: 100 }));
      if (method === "DELETE") return json(200, { killed: await applications.kill(key, request.principal.user) });
      return json(200, applicationJson(application));
    },
    reject: ({ status, message, headers }) => json(status, { message }, headers),
  };
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): GatewayResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}
