import type { Config, WebhookConfig } from "./config.ts";

/**
 * Every secret of a configuration, and of the addresses in it the parts that may turn up alone: password, path and query. What is
 * written anywhere has none of them.
 */
export function secretsIn(config: Config): readonly string[] {
  const { service, adminToken, mail, people, edits, operator, http } = config;
  const hooks = [...operator.webhooks, ...people.flatMap(({ webhook }) => webhook ?? [])];
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

/** A shorter path is no secret, and may be a word. */
const shortestPath = 8;

/** An address that opens something for who knows it. */
function partsOf(address: string): readonly string[] {
  const url = URL.parse(address);
  if (!url) return [address];
  const path = `${url.pathname}${url.search}`.slice(1);
  return [address, ...passwordsIn(address), ...(path.length < shortestPath ? [] : [path])];
}

/** The password of an address, as it is written there and as it is meant. */
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
