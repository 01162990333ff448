import { say } from "../../texts/say.ts";
import { type KeptForm, keptField, keptText } from "../kept-form.ts";
import { notice } from "./components.ts";
import { keptFormAgain } from "./kept-form-page.ts";
import type { Page } from "./layout.ts";
import { html, type Markup, sayHtml } from "./markup-template.ts";

/** Why signing in failed. */
export type LogInFault = "password" | "no-password" | "token" | "nobody";

interface LogInOptions {
  readonly fault: LogInFault | null;
  /** The entered user name. */
  readonly login: string;
  /** The page to open after signing in, relative to the start page; "" for the start page. */
  readonly next: string;
  /** A form submitted after the session had ended; null if there is none. */
  readonly kept: KeptForm | null;
  /** Relative URL of the start page. */
  readonly root: string;
}

/** Sign-in page: user name and app password, or a link by mail; the token for the admin. */
export function loginPage({ fault, login, next, kept, root }: LogInOptions): Page {
  const wrong = passwordProblem(fault);
  const goOn = html`<input type="hidden" name="next" value="${next}">${
    kept && html`<input type="hidden" name="${keptField}" value="${keptText(kept)}">`
  }`;
  const body = html`${kept && notice("info", say("login.kept"))}<form class="card" method="post" action="${root}login">${goOn}
<div class="field"><label for="login">${say("login.email")}</label>
<input id="login" name="login" value="${login}" autocomplete="username" autocapitalize="none" spellcheck="false" required${fault === "token" ? null : html` autofocus`}>${
    fault === "nobody" ? problem(say("login.enterEmail")) : null
  }</div>
<div class="field"><label for="password">${say("password.app")}</label>
<input id="password" name="password" type="password" autocomplete="current-password"${
    wrong === null ? null : html` aria-invalid="true" aria-describedby="problem"`
  }>${wrong && problem(wrong)}</div>
<p class="row"><button class="main">${say("login.logIn")}</button>
<button formaction="${root}login/link" class="link">${say("login.mailLink")}</button></p>
<p class="hint">${say("login.hint")}</p>
</form>
<details${fault === "token" ? html` open` : null}><summary>${say("login.iRun")}</summary>
<form class="card" method="post" action="${root}login">${goOn}
<div class="field"><label for="token">${say("login.token")}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required${
    fault === "token" ? html` autofocus aria-invalid="true" aria-describedby="problem"` : null
  }>${fault === "token" ? problem(say("login.notToken")) : null}</div>
<p class="row"><button class="main">${say("login.logInAdmin")}</button></p>
<p class="hint">${sayHtml("login.tokenHint", { code: (text) => html`<code>${text}</code>` })}</p>
</form></details>`;
  return { title: say("login.logIn"), width: "narrow", body };
}

function passwordProblem(fault: LogInFault | null): string | null {
  if (fault === "password") return say("login.wrong");
  return fault === "no-password" ? say("login.noPassword") : null;
}

const problem = (text: string): Markup =>
  html`<p class="problem" role="alert" id="problem">${text}</p>`;

/** Says that a mail may be on its way, without revealing whether the address is known. */
export function linkSentPage(
  { login, kept, root }: Pick<LogInOptions, "login" | "kept" | "root">,
  minutes: number,
): Page {
  return {
    title: say("login.checkMail"),
    width: "narrow",
    body: html`<div class="card"><p>${sayHtml("login.linkSent", { login: html`<bdi>${login}</bdi>` })}</p>
<p>${say("login.linkWorks", { minutes })}</p>
${kept && html`<p>${say("login.keptHere")}</p>${keptFormAgain({ kept, formToken: "", root }, say("action.continue"))}`}
<p><a href="${root}login">${say("login.backToLogin")}</a></p></div>`,
  };
}

/** Asks before a mailed link signs somebody in, as link scanners open links but press no button. */
export function confirmLogInPage({ name }: { readonly name: string }): Page {
  return {
    title: say("login.logIn"),
    width: "narrow",
    body: html`<form class="card" method="post"><p>${sayHtml("login.confirm", { name: html`<strong><bdi>${name}</bdi></strong>` })}</p>
<p class="row"><button class="main">${say("login.logIn")}</button></p></form>`,
  };
}

/** Says that a link does not work. */
export function deadLinkPage(root: string): Page {
  return {
    title: say("link.notValid"),
    width: "narrow",
    body: html`<div class="card"><p>${say("login.dead")}</p>
<p><a href="${root}login">${say("login.newLink")}</a></p></div>`,
  };
}

/** Says that there were too many attempts: wrong passwords or tokens, or requests of one link. */
export const tooManyPage = (): Page => ({
  title: say("error.429"),
  width: "narrow",
  body: html`<div class="card"><p>${say("login.tooMany")}</p></div>`,
});
