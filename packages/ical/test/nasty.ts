import fc from "fast-check";

const characters = [
  ...["\\", "\\", "\\", '"', ",", ",", ";", ";", ":", ":", "^", "^", "n", "N"],
  "\u2028",
  "\u2029",
  "\u0085",
  "\t",
  "\r",
  "\n",
  "\r\n",
  "\u0000",
  "\u000b",
  "😀",
  "👩‍👩‍👧",
  "\u202e",
  "אב",
  "é",
  "e\u0301",
  "\u00a0",
  " ",
  "a",
  "Z",
  "END:VEVENT",
  "\r\nATTENDEE:mailto:evil@example.com",
  "\\n",
  "ß",
  "漢",
  "\ud800",
];

/** Texts that break calendar files; plain random text hardly ever does. */
export const nastyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...characters) }, fc.string({ maxLength: 3 })),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(""));
