import { Markup } from "./markup-template.ts";

/** A QR code of a text as an inline picture; its encoder is loaded on first use. */
export async function qrPicture(text: string, about: string): Promise<Markup> {
  const { default: encode } = await import("qr");
  const picture = encode(text, "svg", { ecc: "medium", border: 2 });
  const label = about.replaceAll(/[^\w ]/g, "");
  return new Markup(picture.replace("<svg ", `<svg class="qr" role="img" aria-label="${label}" `));
}
