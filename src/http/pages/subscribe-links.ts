import { say } from "../../texts/say.ts";

/** A page or program that subscribes to a feed with one click. */
interface SubscribeLink {
  readonly label: string;
  readonly href: string;
}

/**
 * Links that subscribe to a feed at once. `url`: the feed's whole URL. Google's servers take the webcal form, Microsoft's the
 * plain one; local programs open webcal. Source: Google Calendar "From URL" (`r?cid=`), Outlook on the web "Subscribe from web"
 * (`addfromweb`).
 */
export function subscribeLinks(url: string, name: string): readonly SubscribeLink[] {
  const webcal = url.replace(/^https?:/, "webcal:");
  const outlook = new URLSearchParams({ url, name }).toString().replaceAll("+", "%20");
  return [
    { label: say("subscribe.others"), href: webcal },
    {
      label: "Google Calendar",
      href: `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`,
    },
    { label: "Outlook.com", href: `https://outlook.live.com/calendar/0/addfromweb?${outlook}` },
    {
      label: say("subscribe.outlookWork"),
      href: `https://outlook.office.com/calendar/0/addfromweb?${outlook}`,
    },
  ];
}

/** True if remote servers can fetch from a URL: not plain http, and not a local machine. */
export function isReachable(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" && hostname !== "localhost" && !/^(127\.|\[::1\])/.test(hostname);
}
