import { describe, expect, it } from "vitest";
import {
  badge,
  button,
  card,
  checkbox,
  copyField,
  emptyState,
  facts,
  field,
  folded,
  linkButton,
  notice,
  postForm,
  selectField,
  switchField,
  table,
  tabs,
} from "../../../src/http/pages/components.ts";
import { html, type Markup } from "../../../src/http/pages/markup-template.ts";

const evil = `<b>"&'`;

describe("components", () => {
  const every: readonly (readonly [string, Markup])[] = [
    ["badge", badge(evil, "good")],
    [
      "card",
      card({ title: evil, body: evil, aside: evil, footer: evil, id: "a", live: ["edits"] }),
    ],
    ["notice", notice("bad", evil)],
    ["emptyState", emptyState(evil, evil, evil)],
    ["table", table({ caption: evil, columns: [evil], rows: [[evil]] })],
    ["facts", facts([[evil, evil]])],
    ["folded", folded(evil, evil, { open: true })],
    ["tabs", tabs(evil, [{ label: evil, href: evil, isCurrent: true }])],
    ["linkButton", linkButton(evil, evil)],
    ["button", button(evil, { to: evil, name: evil, value: evil })],
    ["postForm", postForm({ action: evil, formToken: evil }, evil)],
    ["field", field({ name: evil, label: evil, value: evil, hint: evil, problem: evil })],
    [
      "selectField",
      selectField({ name: evil, label: evil, choices: [{ value: evil, label: evil }] }),
    ],
    ["switchField", switchField({ name: evil, label: evil, isOn: true, hint: evil })],
    ["checkbox", checkbox({ name: evil, label: evil, value: evil, isOn: false })],
    ["copyField", copyField({ id: evil, label: evil, value: evil })],
  ];

  it.each(every)(
    "%s() escapes its values, and has no inline style or script",
    (_name, { text }) => {
      expect(text).not.toContain("<b>");
      expect(text).not.toMatch(/ (?:style|on\w+)=/);
      expect(text).toContain("&lt;b&gt;&quot;&amp;");
    },
  );

  it.each(every)("%s() closes what it opens", (_name, { text }) => {
    const open: string[] = [];
    for (const [, end, name = ""] of text.matchAll(/<(\/?)(\w+)[^>]*>/g)) {
      if (name === "input") continue;
      if (end === "") open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });
});

it("table() aligns numbers to the right, and can be reached by keyboard", () => {
  const { text } = table({
    caption: "Ages",
    columns: ["Project", { title: "Items", isNumber: true }],
    rows: [["Website", 3]],
  });
  expect(text).toContain('<th scope="col" class="number">Items</th>');
  expect(text).toContain('<th scope="row">Website</th><td class="number">3</td>');
  expect(text).toContain('tabindex="0"');
});

it("facts() omits empty values", () => {
  expect(
    facts([
      ["Mail", null],
      ["Feeds", 2],
    ]).text,
  ).toBe('<dl class="facts"><dt>Feeds</dt><dd>2</dd>\n</dl>');
});

it("field() links hint and error for screen readers", () => {
  const { text } = field({
    name: "mail",
    label: "Mail",
    hint: html`a <i>b</i>`,
    problem: "no @",
  });
  expect(text).toContain('aria-invalid="true" aria-describedby="mail-hint mail-problem"');
  expect(text).toContain('<p class="hint" id="mail-hint">a <i>b</i></p>');
});

it("selectField() selects the value", () => {
  const choices = [
    { value: "a", label: "A" },
    { value: "b", label: "B" },
  ];
  const { text } = selectField({ name: "x", label: "X", value: "b", choices });
  expect(text).toContain('<option value="b" selected>B</option>');
  expect(text.match(/selected/g)).toHaveLength(1);
});

it("checkbox() has a unique ID beside others of its name", () => {
  const { text } = checkbox({ name: "kinds", value: "task", label: "Tasks", isOn: true });
  expect(text).toContain('id="kinds-task" name="kinds" value="task" checked');
});
