import type { Config, WebhookConfig } from "./config.ts";

/**
 * Every secret of a configuration, and the parts of its URLs that may appear alone: password, path and query. None of them is
 * ever written anywhere.
 */
export function secretsIn(config: Config): readonly string[] {
  const { service, adminToken, mail, people, edits, operator, http } = config;
  const hooks = [
    ...operator.webhooks,
    ...config.webhooks,
    ...people.flatMap(({ webhook }) => webhook ?? []),
  ];
  const secrets = [
    service.apiKey,
    adminToken,
    mail.smtpPassword,
    ...(mail.smtpUrl === null ? [] : passwordsIn(mail.smtpUrl)),
    ...people.map(({ apiKey }) => apiKey),
    ...edits.subscriptions.flatMap(({ url }) => partsOf(url)),
    ...hooks.flatMap(partsOfWebhook),
    http.sharedCache?.purge?.token,
    config.backups.passphrase,
  ];
  return secrets.flatMap((secret) => (secret ? [secret] : []));
}

const partsOfWebhook = ({ url, token, secret }: WebhookConfig) => [...partsOf(url), token, secret];

/** A shorter path is no secret, and may be an ordinary word. */
const shortestPath = 8;

/** A secret URL. */
function partsOf(address: string): readonly string[] {
  const url = URL.parse(address);
  if (!url) return [address];
  const path = `${url.pathname}${url.search}`.slice(1);
  return [address, ...passwordsIn(address), ...(path.length < shortestPath ? [] : [path])];
}

/** The password in a URL, as written and decoded. */
function passwordsIn(address: string): readonly string[] {
  const password = URL.parse(address)?.password ?? "";
  return password === "" ? [] : [password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
