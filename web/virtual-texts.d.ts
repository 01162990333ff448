/** The messages of the catalogue whose ids begin with `script.`, in one language; from `vite.config.ts`. */
declare module "virtual:texts/script/*" {
  const texts: import("./script-texts.ts").ScriptTexts;
  export default texts;
}

/** Those of the service worker, which cannot share a file with scripts. */
declare module "virtual:texts/offline" {
  const texts: Readonly<
    Record<
      "en" | "de" | "fr" | "es",
      Readonly<
        Record<
          Extract<keyof import("../src/texts/english.ts").English, `offline.${string}`>,
          string
        >
      >
    >
  >;
  export default texts;
}
