import type { Mail, Mailbox, Mailer } from "../../mail/mail.ts";
import { anyAddress } from "../../remote/address-guard.ts";
import type { Webhook, WebhookMessage } from "../../remote/webhook.ts";
import { nextTurn } from "../../runtime.ts";
import { inLanguage, type Language, say } from "../../texts/say.ts";
import { renderMail } from "../mail-content.ts";
import { noAutoReplies } from "../recipients.ts";
import type { OperatorMessage, OperatorWay } from "./notify-operator.ts";
import type { OperatorContext, OperatorWords } from "./operator-words.ts";

interface OperatorWaysDeps {
  readonly mail: readonly string[];
  /** Read for each message, because URLs and tokens may change; the names stay. */
  readonly webhooks: () => readonly (Webhook & { readonly name: string })[];
  readonly mailer: Mailer;
  readonly from: Mailbox;
  readonly language: Language;
  readonly context: () => OperatorContext;
  readonly clock: () => Temporal.Instant;
}

const timeout = Temporal.Duration.from({ seconds: 10 });

/**
 * All configured channels to the operator. Webhook URLs may be on the local network, because they come from the operator. The
 * code that composes messages is loaded for the first one.
 */
export function operatorWays(deps: OperatorWaysDeps): readonly OperatorWay[] {
  const words = async (message: OperatorMessage): Promise<OperatorWords> => {
    const { operatorWords } = await import("./operator-words.ts");
    // Loading it took a turn of the event loop.
    await nextTurn();
    return inLanguage(
      () => deps.language,
      () => operatorWords(message, deps.context()),
    );
  };
  const mailed = async (message: OperatorMessage, address: string): Promise<Mail> => {
    const said = await words(message);
    return inLanguage(
      () => deps.language,
      () => mailOf(said, { message, address, deps }),
    );
  };
  const mails = deps.mail.map(
    (address): OperatorWay => ({
      name: `mail:${address}`,
      address,
      send: async (message) => deps.mailer.send(await mailed(message, address)),
    }),
  );
  const webhooks = deps.webhooks().map(
    (first): OperatorWay => ({
      name: `webhook:${first.name}`,
      address: `webhook ${first.name}`,
      async send(message, signal) {
        const { postMessage } = await import("../../remote/webhook.ts");
        const { statusUrl } = deps.context();
        const posted = webhookMessage(await words(message), message, statusUrl);
        const webhook = deps.webhooks().find(({ name }) => name === first.name) ?? first;
        const limits = { allows: anyAddress, timeout, signal, clock: deps.clock };
        return postMessage({ webhook, message: posted }, limits);
      },
    }),
  );
  return [...mails, ...webhooks];
}

function mailOf(
  { content }: OperatorWords,
  about: {
    readonly message: OperatorMessage;
    readonly address: string;
    readonly deps: OperatorWaysDeps;
  },
): Mail {
  const { message, address, deps } = about;
  const reason = say("operator.why", { address });
  return {
    from: deps.from,
    to: { name: "", address },
    messageId: message.messageId,
    date: deps.clock(),
    headers: noAutoReplies,
    calendar: null,
    ...renderMail({ ...content, reason, unsubscribe: null }),
  };
}

const webhookMessage = (
  { title, text, priority, tags, data }: OperatorWords,
  message: OperatorMessage,
  click: string | null,
): WebhookMessage => ({
  id: message.messageId.replace(/^<(.*)>$/, "$1"),
  title,
  text,
  priority,
  tags,
  click,
  data,
});
