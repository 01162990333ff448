/** A color in the forms that calendar programs read. */
export interface Colour {
  /** `#RRGGBB`. */
  readonly hex: string;
  /** The CSS name that is the color or the nearest to it: COLOR allows only names. Source: RFC 7986 5.9. */
  readonly name: string;
}
