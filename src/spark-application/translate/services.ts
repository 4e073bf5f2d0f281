import { fieldKeys } from "../../conf/entries/spark-application.ts";
import type { KubeResource, StringMap } from "../../kube/types.ts";
import type { IngressTls, ServiceOptions } from "../application.ts";
import { appNameLabel, shortName } from "./names.ts";
import type { TranslationInput } from "./translation.ts";

const defaultUiPort = 4040;
const maxPort = 65_535;

/** A URL that a format of the operator results in. */
interface IngressUrl {
  readonly host: string;
  /** Empty or beginning with a slash. */
  readonly path: string;
}

/** Builds the Service of the web UI, with its Ingress, and those of the driver's ports. */
export function serviceObjects(input: TranslationInput, appId: string): readonly KubeResource[] {
  const { options, spec } = input;
  return [
    ...(options.disableUiService === true ? [] : uiObjects(input, appId)),
    ...(spec.driverIngressOptions ?? []).flatMap((port) => {
      const service = {
        name: `${input.name}-driver-${port.servicePort}`,
        port: { name: port.servicePortName, port: port.servicePort, targetPort: port.servicePort },
      };
      const ingress = { name: `${input.name}-ing-${port.servicePort}`, format: port.ingressURLFormat ?? "" };
      const { ingressAnnotations, ingressTLS } = { ...spec.sparkUIOptions, ...port };
      const own = { ...port, ...(ingressAnnotations && { ingressAnnotations }), ...(ingressTLS && { ingressTLS }) };
      return withIngress(input, { service, ingress, options: own, appId });
    }),
  ];
}

function uiObjects(input: TranslationInput, appId: string): readonly KubeResource[] {
  const { options, spec, md5 } = input;
  const { sparkUIOptions } = spec;
  const target = uiPort(spec.sparkConf?.[fieldKeys.uiPort]);
  const name = sparkUIOptions?.servicePortName || "spark-driver-ui-port";
  const port = sparkUIOptions === undefined ? target : (sparkUIOptions.servicePort ?? defaultUiPort);
  return withIngress(input, {
    service: { name: shortName(input.name, "ui-svc", md5), port: { name, port, targetPort: target } },
    ingress: { name: shortName(input.name, "ui-ingress", md5), format: options.ingressUrlFormat ?? "" },
    options: sparkUIOptions ?? {},
    appId,
  });
}

function uiPort(text: string | undefined): number {
  const port = Number(text);
  return text !== undefined && /^[+-]?\d+$/.test(text) && port <= maxPort ? port : defaultUiPort;
}

interface ExposedPort {
  readonly service: {
    readonly name: string;
    readonly port: { readonly name: string; readonly port: number; readonly targetPort: number };
  };
  /** Without a format, there is no Ingress. */
  readonly ingress: { readonly name: string; readonly format: string };
  readonly options: ServiceOptions;
  readonly appId: string;
}

function withIngress(input: TranslationInput, exposed: ExposedPort): readonly KubeResource[] {
  const { service, ingress, options, appId } = exposed;
  const { name, namespace } = input;
  const selector = { [appNameLabel]: name, "spark-role": "driver" };
  const { serviceLabels = { [appNameLabel]: name }, serviceAnnotations } = options;
  const metadata = { name: service.name, namespace, labels: serviceLabels, ...annotations(serviceAnnotations) };
  const spec = { type: options.serviceType || "ClusterIP", selector, ports: [service.port] };
  const url = ingress.format === "" ? undefined : ingressUrl(ingress.format, { name, namespace, appId });
  return [
    { apiVersion: "v1", kind: "Service", metadata, spec },
    ...(url === undefined ? [] : [ingressObject(input, exposed, url)]),
  ];
}

function ingressObject(input: TranslationInput, exposed: ExposedPort, { host, path }: IngressUrl): KubeResource {
  const { service, ingress, options } = exposed;
  const { ingressClassName, ingressAnnotations, ingressTls } = input.options;
  const hasPath = path !== "" && path !== "/";
  const own = firstFilled(options.ingressAnnotations, ingressAnnotations);
  const all = { ...own, ...(hasPath && { "nginx.ingress.kubernetes.io/rewrite-target": "/$2" }) };
  const tls = firstFilledList(options.ingressTLS, ingressTls);
  const backend = { service: { name: service.name, port: { number: service.port.port } } };
  const rule = {
    ...(path !== "" && { path: hasPath ? `${path}(/|$)(.*)` : path }),
    pathType: "ImplementationSpecific",
  };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: {
      name: ingress.name,
      namespace: input.namespace,
      labels: { [appNameLabel]: input.name },
      ...annotations(all),
    },
    spec: {
      ...(ingressClassName && { ingressClassName }),
      rules: [{ host, http: { paths: [{ ...rule, backend }] } }],
      ...(tls.length > 0 && { tls }),
    },
  };
}

function annotations(map: StringMap | undefined) {
  return map === undefined || Object.keys(map).length === 0 ? {} : { annotations: map };
}

function firstFilled(...maps: readonly (StringMap | undefined)[]): StringMap {
  return maps.find((map) => map !== undefined && Object.keys(map).length > 0) ?? {};
}

function firstFilledList(...lists: readonly (readonly IngressTls[] | undefined)[]): readonly IngressTls[] {
  return lists.find((list) => list !== undefined && list.length > 0) ?? [];
}

/** Names that a format of a URL can contain. */
interface UrlNames {
  readonly name: string;
  readonly namespace: string;
  readonly appId: string;
}

/** Fills in a format such as `https://ui.example/{{$appNamespace}}/{{$appName}}`; `undefined` if the result is not a URL. */
export function ingressUrl(format: string, { name, namespace, appId }: UrlNames): IngressUrl | undefined {
  const values: Readonly<Record<string, string>> = { appName: name, appNamespace: namespace, appId };
  const text = format.replace(/\{\{\s*\$(appName|appNamespace|appId)\s*\}\}/g, (_, key: string) => values[key] ?? "");
  const [, host = "", path = ""] =
    /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)([^?#]*)/i.exec(
      /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`,
    ) ?? [];
  return host === "" ? undefined : { host, path };
}
