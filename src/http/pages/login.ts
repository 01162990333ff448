import { type KeptForm, keptField, keptText } from "../kept-form.ts";
import { notice } from "./components.ts";
import { keptFormAgain } from "./kept-form-page.ts";
import type { Page } from "./layout.ts";
import { html, type Markup } from "./markup-template.ts";

/** Why signing in failed. */
export type LogInFault = "password" | "no-password" | "token" | "nobody";

interface LogInOptions {
  readonly fault: LogInFault | null;
  /** The entered user name. */
  readonly login: string;
  /** The page to continue to, relative to the start page; "" is the start page. */
  readonly next: string;
  /** A form submitted after the session had ended; null if none. */
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
  const body = html`${kept && notice("info", "Your session ended. Your form is kept: log in, then send it.")}<form class="card" method="post" action="${root}login">${goOn}
<div class="field"><label for="login">E-mail address</label>
<input id="login" name="login" value="${login}" autocomplete="username" autocapitalize="none" spellcheck="false" required${fault === "token" ? null : html` autofocus`}>${
    fault === "nobody" ? problem("Enter your e-mail address, or your id in the workspace.") : null
  }</div>
<div class="field"><label for="password">App password</label>
<input id="password" name="password" type="password" autocomplete="current-password"${
    wrong === null ? null : html` aria-invalid="true" aria-describedby="problem"`
  }>${wrong && problem(wrong)}</div>
<p class="row"><button class="main">Log in</button>
<button formaction="${root}login/link" class="link">Mail me a link instead</button></p>
<p class="hint">Use the app password of your calendar program. No password yet? Request a link by mail.</p>
</form>
<details${fault === "token" ? html` open` : null}><summary>I run this Dayferry</summary>
<form class="card" method="post" action="${root}login">${goOn}
<div class="field"><label for="token">Admin token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required${
    fault === "token" ? html` autofocus aria-invalid="true" aria-describedby="problem"` : null
  }>${fault === "token" ? problem("This is not the admin token.") : null}</div>
<p class="row"><button class="main">Log in as admin</button></p>
<p class="hint">The token is in the file <code>admin-token</code> of the data directory, unless the configuration sets another.</p>
</form></details>`;
  return { title: "Log in", width: "narrow", body };
}

function passwordProblem(fault: LogInFault | null): string | null {
  if (fault === "password") return "User name or app password is wrong.";
  return fault === "no-password" ? "Enter your app password, or have a link mailed to you." : null;
}

const problem = (text: string): Markup =>
  html`<p class="problem" role="alert" id="problem">${text}</p>`;

/** Says that a mail may be on its way, without revealing whether the address is known. */
export function linkSentPage({
  login,
  minutes,
  kept,
  root,
}: {
  readonly login: string;
  readonly minutes: number;
  readonly kept: KeptForm | null;
  readonly root: string;
}): Page {
  return {
    title: "Check your mail",
    width: "narrow",
    body: html`<div class="card"><p>If <bdi>${login}</bdi> belongs to a person in this workspace, we sent a link by mail.</p>
<p>The link works once, within ${minutes} minutes. No mail? Check your spam folder, or ask your admin whether the workspace has your address.</p>
${kept && html`<p>Your form is kept on this page. Leave it open and continue here after you log in.</p>${keptFormAgain({ kept, formToken: "", root, label: "Continue" })}`}
<p><a href="${root}login">Back to the log-in</a></p></div>`,
  };
}

/** Asks before a mailed link signs somebody in, as link scanners open links but press no button. */
export function confirmLogInPage({ name }: { readonly name: string }): Page {
  return {
    title: "Log in",
    width: "narrow",
    body: html`<form class="card" method="post"><p>This link logs this browser in as <strong><bdi>${name}</bdi></strong>. It works once.</p>
<p class="row"><button class="main">Log in</button></p></form>`,
  };
}

/** Says that a link does not work. */
export function deadLinkPage(root: string): Page {
  return {
    title: "Link not valid",
    width: "narrow",
    body: html`<div class="card"><p>The link was used, has expired or is incomplete.</p>
<p><a href="${root}login">Log in or request a new link</a></p></div>`,
  };
}

/** Says that there were too many attempts: wrong passwords or tokens, or requests of one link. */
export const tooManyPage: Page = {
  title: "Too many requests",
  width: "narrow",
  body: html`<div class="card"><p>Too many requests from this address. Wait a minute, then reload the page.</p></div>`,
};
