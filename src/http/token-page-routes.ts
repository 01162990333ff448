import { type Request, type Response, Router } from "express";
import type { AccessTokens } from "../people/access-tokens.ts";
import type { People } from "../people/people.ts";
import { tokenScopes } from "../store/calendars/token-table.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { formField, formGuard } from "./form-guard.ts";
import type { TokenPlace } from "./pages/token-page.ts";
import { personInPath } from "./person-in-path.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";

interface TokenPageDeps {
  readonly viewers: Viewers;
  readonly people: People;
  readonly store: Pick<Store, "accessTokens">;
  readonly tokens: AccessTokens;
  readonly baseUrl: () => string;
}

/** `/me/tokens`: a person's access tokens for agents. */
export function tokenPageRoutes(deps: TokenPageDeps): Router {
  const { viewers, people, store, tokens, baseUrl } = deps;
  const router = Router();
  router.post("/me/tokens", ...formGuard(viewers));

  async function show(
    request: Request,
    response: Response,
    news: Pick<TokenPlace, "issued" | "problem"> = { issued: null, problem: null },
  ): Promise<void> {
    const person = personInPath(request, { people, viewers });
    // The admin is not a person of the workspace.
    if (!person) return response.redirect(303, `${rootOf(request)}people`);
    const { tokenPage } = await import("./pages/token-page.ts");
    const list = store.accessTokens.of(person.id);
    const page = tokenPage(
      { list, url: `${baseUrl()}/mcp`, ...news },
      {
        formToken: viewers.formToken(request),
        back: `${rootOf(request)}me#tokens`,
        zone: viewers.viewerOf(request).zone,
      },
    );
    sendPage(response.status(news.problem === null ? 200 : 422), page);
  }

  router.get("/me/tokens", (request, response) => show(request, response));

  router.post("/me/tokens", async (request, response) => {
    const person = personInPath(request, { people, viewers });
    if (!person) return show(request, response);
    const revoked = Number(formField(request.body, "revoke"));
    if (revoked > 0) {
      store.accessTokens.remove(revoked, person.id);
      return response.redirect(303, "tokens");
    }
    const name = formField(request.body, "name").trim().slice(0, 80);
    const scope = tokenScopes.find((one) => one === formField(request.body, "scope")) ?? "propose";
    if (name === "") return show(request, response, { issued: null, problem: say("token.noName") });
    const { token } = tokens.issue(person.id, { name, scope });
    return show(request, response.set("Cache-Control", "no-store"), {
      issued: token,
      problem: null,
    });
  });

  return router;
}
