import { Router } from "express";
import type { PersonId } from "../domain/ids.ts";
import { say } from "../texts/say.ts";
import type { PushState } from "./pages/connect-page.ts";
import { sendPage } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

/** `/connect`: how programs connect to a person's CalDAV calendars; the admin can view everyone's. */
export function connectRoutes(context: WebContext): Router {
  const { people, viewers, baseUrl, hasPush = false } = context;
  const router = Router();
  router.get("/connect", async (request, response) => {
    const viewer = viewers.viewerOf(request);
    const { connectPage, davx5Link } = await import("./pages/connect-page.ts");
    const { qrPicture } = await import("./pages/qr-picture.ts");
    const active =
      viewer.kind === "admin" ? people.list().filter(({ suspended }) => !suspended) : [];
    const asked = Number(request.query["person"]);
    const person =
      viewer.kind === "person"
        ? people.get(viewer.person)
        : (active.find(({ id }) => id === asked) ?? active[0] ?? null);
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
        push: person && hasPush ? pushOf(person.id, context) : null,
      }),
    );
  });
  return router;
}

function pushOf(person: PersonId, { store, clock }: WebContext): PushState {
  const all = store.pushRegistrations.of(person);
  const [last] = all
    .flatMap(({ sentAt }) => (sentAt ? [sentAt] : []))
    .toSorted((one, other) => Temporal.Instant.compare(other, one));
  return {
    calendars: new Set(all.map(({ calendar }) => calendar)).size,
    sentAgo: last ? Math.round(clock().since(last).total("seconds")) : null,
  };
}
