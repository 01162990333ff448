import type { Page } from "./layout.ts";
import { html } from "./markup-template.ts";

/** Asks once for the admin token, at `/` or `/login`. `wrong`: the last try failed. */
export function loginPage({ wrong }: { readonly wrong: boolean }): Page {
  const body = html`<h1>Dayferry</h1>
<form class="login" method="post" action="login">
<label for="token">Admin token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
${wrong ? html`<p class="problem" role="alert">This is not the admin token.</p>` : null}
<button>Sign in</button>
<p class="quiet">The token is in the file <code>admin-token</code> of the data directory, unless the configuration sets another.</p>
</form>`;
  return { title: "Dayferry: sign in", body };
}

/** Says that whoever asks has asked too often: with wrong tokens, or for one link. */
export const tooManyPage: Page = {
  title: "Too many requests",
  body: html`<main class="card"><h1>Too many requests</h1>
<p>Too many requests came from this address. Please wait a minute and load the page again.</p></main>`,
};
