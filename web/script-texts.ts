import type { English } from "../src/texts/english.ts";

/** The messages of scripts, by id. Their placeholders are plain names. */
export type ScriptTexts = Readonly<Record<ScriptText, string>>;
export type ScriptText = Extract<keyof English, `script.${string}`>;
