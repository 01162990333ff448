/** A color, in the forms that calendar programs read. */
export interface Colour {
  /** `#RRGGBB`. */
  readonly hex: string;
  /** The name of CSS that is it, or is nearest: COLOR knows no other words. Source: RFC 7986 5.9. */
  readonly name: string;
}
