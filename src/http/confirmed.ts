import type { Request, Response } from "express";
import { formField } from "./form-guard.ts";
import { type ConfirmQuestion, confirmPage } from "./pages/confirm-page.ts";
import { sendPage } from "./send-page.ts";

/**
 * Whether a press that takes something away was confirmed. Otherwise the answer is a page that asks, and whose form brings the
 * same fields again. For forms that `formGuard` let pass; scripts use `/api`, where nothing is asked.
 */
export function isConfirmed(
  request: Request,
  response: Response,
  question: () => ConfirmQuestion,
): boolean {
  if (formField(request.body, confirmation) === "yes") return true;
  const fields = Object.entries({ ...Object(request.body) }).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)] as const),
  );
  sendPage(response, confirmPage(question(), [...fields, [confirmation, "yes"]]));
  return false;
}

const confirmation = "confirmed";
