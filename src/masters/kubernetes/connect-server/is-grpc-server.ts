import { connect } from "node:http2";

/** Limit of one attempt: a connection to a port of a pod passes the API and the node. */
const timeoutMs = 5000;

/**
 * Returns whether a gRPC server responds at a port of 127.0.0.1. It is called with a method that no server has, and responds with a
 * status of gRPC.
 *
 * Source: gRPC over HTTP/2, "Responses".
 */
export function isGrpcServer(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const end = (isServer: boolean) => {
      resolve(isServer);
      session.destroy();
    };
    session.setTimeout(timeoutMs, () => end(false));
    session.on("error", () => end(false));
    session.on("close", () => end(false));
    const call = session.request({
      ...{ ":method": "POST", ":path": "/firesteel.Readiness/Check" },
      ...{ "content-type": "application/grpc", te: "trailers" },
    });
    call.on("error", () => end(false));
    call.on("response", (headers) => end(headers["content-type"]?.startsWith("application/grpc") === true));
    call.end();
  });
}
