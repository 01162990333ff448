/** Not in TypeScript's own types yet. Absent in older browsers. Source: ECMA-402, Intl Locale Info. */
declare namespace Intl {
  interface Locale {
    getWeekInfo?(): { readonly firstDay: number };
  }
}
