import type { Response } from "express";
import { formField } from "./form-guard.ts";
import { type ConfirmQuestion, confirmPage } from "./pages/confirm-page.ts";
import { sendPage } from "./send-page.ts";

/**
 * True if a destructive action was confirmed. Otherwise answers with a page that asks, whose form submits the same fields
 * again. Use it only for forms that passed `formGuard`; scripts use `/api`, which does not ask.
 */
export function isConfirmed(response: Response, question: () => ConfirmQuestion): boolean {
  const { body } = response.req;
  if (formField(body, confirmation) === "yes") return true;
  const fields = Object.entries({ ...Object(body) }).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)] as const),
  );
  sendPage(response, confirmPage(question(), [...fields, [confirmation, "yes"]]));
  return false;
}

const confirmation = "confirmed";
