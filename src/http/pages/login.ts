import { html } from "./html.ts";
import type { Page } from "./layout.ts";

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
