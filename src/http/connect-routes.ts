import { Router } from "express";
import type { PersonId } from "../domain/ids.ts";
import type { Viewer } from "../domain/visibility.ts";
import type { People, PersonDescription } from "../people/people.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import type { PushState } from "./pages/connect-page.ts";
import { sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";

export interface ConnectDeps {
  readonly people: Pick<People, "list" | "get">;
  readonly viewers: Pick<Viewers, "viewerOf" | "formToken">;
  readonly baseUrl: () => string;
  readonly store: Pick<Store, "pushRegistrations">;
  readonly hasPush: boolean;
  readonly clock: () => Temporal.Instant;
}

/** `/connect`: how programs connect to a person's CalDAV calendars; the admin can view everyone's. */
export function connectRoutes(deps: ConnectDeps): Router {
  const { people, viewers, baseUrl } = deps;
  const router = Router();
  router.get("/connect", async (request, response) => {
    const viewer = viewers.viewerOf(request);
    const { connectPage, davx5Link } = await import("./pages/connect-page.ts");
    const { qrPicture } = await import("./pages/qr-picture.ts");
    const active =
      viewer.kind === "admin" ? people.list().filter(({ suspended }) => !suspended) : [];
    const person = personOf(viewer, { people, active, asked: Number(request.query["person"]) });
    const isSecure = baseUrl().startsWith("https:");
    const profile = `${baseUrl()}/people/${person?.id}/dayferry.mobileconfig`;
    const codes = {
      apple: isSecure && person ? await qrPicture(profile, say("connect.qrProfile")) : null,
      davx5: isSecure
        ? await qrPicture(davx5Link(`${baseUrl()}/dav/`), say("connect.qrDavx5"))
        : null,
    };
    const formToken = viewers.formToken(request);
    sendPage(
      response,
      connectPage({
        ...{ viewer, person, people: active, baseUrl: baseUrl(), codes, formToken },
        push: person && deps.hasPush ? pushOf(person.id, deps) : null,
      }),
    );
  });
  return router;
}

function pushOf(person: PersonId, { store, clock }: ConnectDeps): PushState {
  const all = store.pushRegistrations.of(person);
  const [last] = all
    .flatMap(({ sentAt }) => (sentAt ? [sentAt] : []))
    .toSorted((one, other) => Temporal.Instant.compare(other, one));
  return {
    calendars: new Set(all.map(({ calendar }) => calendar)).size,
    sentAgo: last ? Math.round(clock().since(last).total("seconds")) : null,
  };
}

function personOf(
  viewer: Viewer,
  {
    people,
    active,
    asked,
  }: {
    readonly people: ConnectDeps["people"];
    readonly active: readonly PersonDescription[];
    readonly asked: number;
  },
): PersonDescription | null {
  if (viewer.kind === "person") return people.get(viewer.person);
  return active.find(({ id }) => id === asked) ?? active[0] ?? null;
}
