import { Router, urlencoded } from "express";
import { isMailChoice } from "../domain/mail-kind.ts";
import type { ChoiceClaim } from "../domain/signed-links.ts";
import { formField } from "./form-guard.ts";
import type { HttpDeps } from "./http-deps.ts";
import { linkGuard } from "./link-guard.ts";
import { choicePage, type MailChoiceView, unknownLinkPage } from "./pages/mail-choices.ts";
import { sendPage } from "./send-page.ts";

/**
 * `/unsubscribe/<signed>`: a page on which a reader turns mails off and on. A POST without a form, as mail programs send it for
 * their own button, acts at once; GET changes nothing. Works without cookies and scripts. Source: RFC 8058.
 */
export function unsubscribeRoutes({
  store,
  signer,
  wishes,
}: Pick<HttpDeps, "store"> &
  Pick<NonNullable<HttpDeps["mailLinks"]>, "signer" | "wishes">): Router {
  const { mailChoices, directory } = store;
  const router = Router();
  router.use("/unsubscribe", ...linkGuard());

  function viewOf({ person, choice }: ChoiceClaim): MailChoiceView {
    const known = directory.people().find(({ id }) => id === person);
    const off = mailChoices.offOf(person);
    return { name: known?.name ?? `Person ${person}`, choice, off, granted: wishes(person) };
  }

  router.get("/unsubscribe/:signed", (request, response) => {
    const claim = signer.read(request.params.signed);
    if (claim) sendPage(response, choicePage(viewOf(claim), { done: null }));
    else sendPage(response.status(404), unknownLinkPage());
  });

  const body = urlencoded({ extended: false, limit: 1000 });
  router.post("/unsubscribe/:signed", body, (request, response) => {
    const claim = signer.read(request.params.signed);
    if (!claim) {
      sendPage(response.status(404), unknownLinkPage());
      return;
    }
    const change = changeIn(request.body, claim);
    if (change.to === "off") mailChoices.turnOff(claim.person, change.choice);
    else mailChoices.turnOn(claim.person, change.choice);
    sendPage(response, choicePage(viewOf(claim), { done: change }));
  });
  return router;
}

/** The change in a form. A mail program's request names no kind of mail, and concerns the mail's own kind. */
function changeIn(
  body: unknown,
  { choice }: ChoiceClaim,
): { readonly to: "off" | "on"; readonly choice: ChoiceClaim["choice"] } {
  for (const to of ["off", "on"] as const) {
    const named = formField(body, to);
    if (isMailChoice(named)) return { to, choice: named };
  }
  return { to: "off", choice };
}
