import { labelId } from "../../src/domain/ids.ts";
import type { Call, UpstreamOptions } from "../../src/upstream/client.ts";
import { type Answerer, clientOf, json, startLoopback } from "./loopback.ts";

export const call: Call = { priority: "edit" };
export const label = { id: 5, name: "Urgent", color: "#ff0000" };
export const value = { id: 5, name: "Urgent", color: "#ff0000" };

/** One GET against a service with these answers. */
export async function getLabel(answer: Answerer, options: Partial<UpstreamOptions> = {}) {
  const server = await startLoopback(answer);
  const { upstream, events } = clientOf(server.baseUrl, options);
  const result = await upstream.labels.get(labelId(5), call);
  return { result, events, arrivals: server.arrivals };
}

/** Answers the first tries with `first`, and later ones successfully. */
export const thenFine = (first: Answerer, times = 1): Answerer =>
  (() => {
    let seen = 0;
    return (arrival, response, request) => {
      seen += 1;
      return seen <= times ? first(arrival, response, request) : json(response, label);
    };
  })();
