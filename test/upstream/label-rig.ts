import { labelId } from "../../src/domain/ids.ts";
import type { Call } from "../../src/upstream/client.ts";
import { type Answerer, clientOf, json, startLoopback } from "./loopback.ts";

export const call: Call = { priority: "edit" };
export const label = { id: 5, name: "Urgent", color: "#ff0000" };
export const value = { id: 5, name: "Urgent", color: "#ff0000" };

/** One GET against a service that answers so. */
export async function getLabel(answer: Answerer, timeout = Temporal.Duration.from({ seconds: 5 })) {
  const server = await startLoopback(answer);
  const { upstream, events } = clientOf(server.baseUrl, { timeout });
  const result = await upstream.labels.get(labelId(5), call);
  return { result, events, arrivals: server.arrivals };
}

/** Answers the first tries with `first`, later ones well. */
export const thenFine = (first: Answerer, times = 1): Answerer =>
  (() => {
    let seen = 0;
    return (arrival, response, request) => {
      seen += 1;
      return seen <= times ? first(arrival, response, request) : json(response, label);
    };
  })();
