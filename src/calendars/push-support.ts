import type { PushRequest, PushSupport } from "@dayferry/caldav-server/backend";
import { fingerprint } from "../domain/fingerprint.ts";
import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import { ok } from "../domain/result.ts";
import type { Seal } from "../domain/sealed-text.ts";
import type { Store } from "../store/store.ts";
import type { Calendar, Calendars } from "./calendar-types.ts";

interface PushSupportDeps {
  readonly store: Pick<Store, "pushRegistrations" | "meta">;
  readonly calendars: Pick<Calendars, "find" | "list" | "token" | "ctag">;
  readonly vapidKey: () => string;
  /** Encrypts addresses and keys, as anyone who has them can send messages. */
  readonly seal: Seal;
  readonly clock: () => Temporal.Instant;
  readonly randomId: () => string;
}

/** Registrations of people's programs, and the states of their calendars. */
export type Push = ReturnType<typeof createPush>;

/** Programs register again when a third of the time is left. The draft wants three days at least. */
const longestLife = Temporal.Duration.from({ hours: 24 * 14 });
const shortestLife = Temporal.Duration.from({ hours: 24 * 3 });

export function createPush(deps: PushSupportDeps) {
  const { store, calendars, seal, clock } = deps;

  /** Derived with a key, so that nobody can guess the topic of someone else's calendar. */
  const topicOf = (person: PersonId, calendar: string): string =>
    fingerprint(seal.close(JSON.stringify(["topic", person, calendar])));

  /**
   * The state of a calendar, or of the home (""), as its person sees it: the sync-token, and a hash of everything but the
   * objects. Null if the person no longer has it.
   */
  function stateOf(
    person: PersonId,
    slug: string,
  ): { readonly token: string; readonly look: string } | null {
    if (slug === "") {
      const all = calendars.list(person);
      const looks = fingerprint(JSON.stringify(all.map(lookOf)));
      return { token: fingerprint(all.map((one) => calendars.ctag(one)).join(" ")), look: looks };
    }
    const calendar = calendars.find(person, slug);
    return (
      calendar && {
        token: calendars.token(calendar),
        look: fingerprint(JSON.stringify(lookOf(calendar))),
      }
    );
  }

  function register(person: Person, calendar: Calendar | null, request: PushRequest) {
    const slug = calendar?.slug ?? "";
    const { resource, publicKey, authSecret, content, properties } = request;
    const expires = lifeOf(request.expires, clock());
    const state = stateOf(person.id, slug);
    const { name, isNew } = store.pushRegistrations.put({
      name: deps.randomId(),
      person: person.id,
      calendar: slug,
      resource: fingerprint(resource),
      sealed: seal.close(JSON.stringify({ resource, publicKey, authSecret })),
      content,
      properties,
      expires,
      token: state?.token ?? "",
      look: state?.look ?? "",
    });
    return ok({ id: name, isNew, expires });
  }

  const support: PushSupport = {
    get vapidKey() {
      return deps.vapidKey();
    },
    topic: (person: Person, calendar: Calendar | null) => topicOf(person.id, calendar?.slug ?? ""),
    register,
    unregister: (person: Person, id) => store.pushRegistrations.remove(person.id, id),
  };
  return {
    support,
    topicOf,
    stateOf,
    /**
     * Makes a change of a person's calendars. Registrations in `unnotified` that knew the state before it count as notified of
     * the state after it.
     */
    quietly<Done>(
      person: PersonId,
      unnotified: readonly string[] | "all",
      change: () => Done,
    ): Done {
      if (unnotified.length === 0) return change();
      const hushed = store.pushRegistrations
        .of(person)
        .filter(({ name }) => unnotified === "all" || unnotified.includes(name))
        .filter(({ calendar, token }) => stateOf(person, calendar)?.token === token);
      const done = change();
      for (const { id, calendar } of hushed) {
        const state = stateOf(person, calendar);
        if (state) store.pushRegistrations.notified(id, state);
      }
      return done;
    },
  };
}

const lookOf = ({ slug, name, description, color, order, access }: Calendar) => [
  slug,
  name,
  description,
  color,
  order,
  access,
];

function lifeOf(wish: Temporal.Instant | null, now: Temporal.Instant): Temporal.Instant {
  const [least, most] = [now.add(shortestLife), now.add(longestLife)];
  const asked = wish ?? most;
  if (Temporal.Instant.compare(asked, least) < 0) return least;
  return Temporal.Instant.compare(asked, most) > 0 ? most : asked;
}
