import { Router, urlencoded } from "express";
import { fail, unreachable } from "../domain/result.ts";
import type { EditDescription } from "../edits/actions/describe.ts";
import type { Decision, EditActions } from "../edits/actions/edit-actions.ts";
import type { LinkFault } from "../edits/links/action-links.ts";
import { say } from "../texts/say.ts";
import { formField } from "./form-guard.ts";
import { linkGuard } from "./link-guard.ts";
import { confirmLinkPage, idlePage, notTakenBackPage, resultPage, voidPage } from "./pages/act.ts";
import { sendPage } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

/**
 * `/act/<signed>`: a page with what the link would do, and a form that does it. Link scanners only load the page, which changes
 * nothing. Works without cookies and scripts.
 */
export function actRoutes({
  links,
  editActions,
}: Pick<WebContext, "links" | "editActions">): Router {
  const router = Router();
  router.use("/act", ...linkGuard());

  router.get("/act/:signed", (request, response) => {
    const state = links?.look(request.params.signed) ?? unknown;
    if (state.kind === "offer") sendPage(response, confirmLinkPage(state, { moved: false }));
    else if (state.kind === "idle") sendPage(response, idlePage(state));
    else sendPage(response.status(statusOf(state.fault)), voidPage(state.fault));
  });

  router.post("/act/:signed", urlencoded({ extended: false, limit: 1000 }), (request, response) => {
    const { signed } = request.params;
    const followed = links?.follow(signed, formField(request.body, "shown")) ?? unknown;
    switch (followed.kind) {
      case "stored":
        // Relative, so that it works behind a proxy with a path prefix.
        response.redirect(303, `${signed}/${followed.edit}`);
        return;
      case "moved":
        sendPage(response.status(409), confirmLinkPage(followed.offer, { moved: true }));
        return;
      case "idle":
        sendPage(response, idlePage(followed));
        return;
      case "void":
        sendPage(response.status(statusOf(followed.fault)), voidPage(followed.fault));
        return;
      default:
        unreachable(followed);
    }
  });

  router.get("/act/:signed/:edit", (request, response) => {
    const { signed, edit } = request.params;
    const shown = links?.result(signed, Number(edit)) ?? fail("unknown");
    if (shown.ok) sendPage(response, resultPage(shown.value));
    else sendPage(response.status(statusOf(shown.failure)), voidPage(shown.failure));
  });

  router.post("/act/:signed/:edit/undo", (request, response) => {
    const { signed, edit } = request.params;
    const shown = links?.result(signed, Number(edit)) ?? fail("unknown");
    if (!shown.ok) {
      sendPage(response.status(statusOf(shown.failure)), voidPage(shown.failure));
      return;
    }
    const { id } = shown.value;
    const decision = takeBack(shown.value, editActions);
    if (decision.kind === "done") response.redirect(303, `../${decision.edit.id}`);
    else {
      const reason =
        decision.kind === "refused"
          ? decision.reason
          : say("operationFault.noEdit", { id: String(id) });
      sendPage(response.status(409), notTakenBackPage(id, reason));
    }
  });
  return router;
}

/** An applied edit is undone by another one; any other has not reached the service. */
function takeBack({ id, state }: EditDescription, editActions: EditActions): Decision {
  return state === "pending" || state === "held" || state === "parked"
    ? editActions.discard(id, byLink)
    : editActions.undo(id, byLink);
}

const byLink = { channel: "link", actor: null } as const;

const unknown = { kind: "void", fault: "unknown" } as const;

const statusOf = (fault: LinkFault): number => (fault === "unknown" ? 404 : 410);
