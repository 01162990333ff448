import { type Command, InvalidArgumentError } from "commander";
import { channels, editStates } from "../../domain/edit.ts";
import { type PatchField, patchFields } from "../../domain/patch.ts";
import { fieldNameOf } from "../../domain/wording.ts";
import type { FieldPick, Picks } from "../../edits/actions/choice.ts";
import type { EditQuery } from "../../edits/actions/edit-query.ts";
import {
  approveEdit,
  discardEdit,
  listEdits,
  resolveEdit,
  retryEdit,
  showEdit,
  showUndo,
  undoEdit,
  undoSeries,
} from "../../operations/edit-operations.ts";
import type { Operation } from "../../operations/operation.ts";
import { type CommandHost, type CommandTools, Failed } from "../command-host.ts";
import {
  describeEditChoice,
  describeEdits,
  describeEditText,
  describeResolution,
  describeUndo,
  type Undo,
} from "../edit-text.ts";
import { commandGroup, commandOf, operationCommand } from "../operation-command.ts";
import { type OperationRunner, printAnswer } from "../operation-runner.ts";
import { readId } from "../options.ts";

interface ListOptions extends Omit<EditQuery, "before"> {
  readonly before?: number;
}

/** `edits`: the journal, and decisions about its entries. */
export function editsCommand({ host }: CommandTools): Command {
  const withId = (operation: Operation) =>
    commandOf(operation)
      .argument("<id>", "its number", readId)
      .option("--json", "print JSON", false);
  const list = commandOf(listEdits)
    .option(
      "--state <states>",
      `only in these states, separated by commas: ${editStates.join(", ")}; waiting (for a person), under-way`,
    )
    .option("--person <person>", "only of this person: number, name, or account")
    .option("--project <project>", "only of this project: number or title")
    .option("--item <item>", "only of this item: UID, or a part of its title")
    .option("--channel <channel>", `only those from this channel: ${channels.join(", ")}`)
    .option("--since <when>", "only those accepted since a date or time")
    .option("--before <id>", "only those before this one; at most 500 are listed", readId)
    .option("--json", "print JSON", false)
    .action(({ before, ...narrowed }: ListOptions, command: Command) => {
      // The operation takes no `json`.
      const query = { ...narrowed, json: undefined, before: before?.toString() };
      return printAnswer(
        { host, command },
        (runner) => runner.run(listEdits, query),
        describeEdits,
      );
    });
  const retry = withId(retryEdit)
    .option("--force", "also overwrite someone else's changes, which are printed first", false)
    .action((id: number, { force }: { readonly force: boolean }, command: Command) =>
      printAnswer(
        { host, command },
        async (runner) => {
          const parked = await runner.run(showEdit, { id });
          const { choice } = parked;
          const isAsked = choice !== null && choice.fields.length > 0;
          if (isAsked) host.say(describeEditChoice(parked));
          if (isAsked && !force) {
            const ways = `\`edits resolve ${id} --keep mine\`, or --force, overwrites it; --keep theirs keeps it`;
            throw new Failed(`Nothing was sent: ${ways}.`, 1);
          }
          return runner.run(retryEdit, { id, ...(isAsked && { version: choice.version }) });
        },
        describeEdits,
      ),
    );
  const resolve = withId(resolveEdit)
    .option("--keep <sides>", "mine, theirs, or field=mine,field=theirs", readSides)
    .option(
      "--text <field=words>",
      "a text to use instead of both, for title or description",
      readText,
    )
    .option("--seen <version>", "only if the conflict is still this version")
    .option("--dry-run", "only show the result", false)
    .action((id: number, options: ResolveOptions, command: Command) =>
      printAnswer(
        { host, command },
        (runner) => settle(id, options, { runner, host }),
        (answer, zone) =>
          "sentence" in answer ? describeResolution(answer) : describeEdits(answer, zone),
      ),
    );
  const undo = withId(undoEdit)
    .option("--person <id>", "who undoes it", readId)
    .option(
      "--keep <sides>",
      "for fields changed since: mine restores them, theirs leaves them; or field=mine,field=theirs",
      readSides,
    )
    .option("--dry-run", "only show what would be restored, and what has changed since", false)
    .action((id: number, { person, keep, dryRun }: UndoOptions, command: Command) =>
      printAnswer(
        { host, command },
        async (runner) => {
          const preview = await runner.run(showUndo, { id });
          if (preview.kind === "impossible") throw new Failed(preview.reason, 1);
          if (dryRun) return preview;
          host.say(describeUndo(preview));
          return runner.run(undoEdit, { id, person, ...choicesOf(preview, keep) });
        },
        (answer, zone) =>
          "sentence" in answer ? describeUndo(answer) : describeEdits(answer, zone),
      ),
    );
  return commandGroup("edits", "the journal of edits", [
    list,
    operationCommand(showEdit, host, { describe: describeEditText }),
    operationCommand(approveEdit, host, {
      describe: describeEdits,
      async question({ id }, { runner }) {
        const { action, words } = await runner.run(showEdit, { id });
        return action === "delete" ? { asks: `${words.sentence}.\n${deletionLoss}` } : null;
      },
    }),
    operationCommand(discardEdit, host, {
      describe: describeEdits,
      async question({ id }, { runner }) {
        const { words } = await runner.run(showEdit, { id });
        const loss = "It will not be sent, which cannot be undone. Discard it?";
        return { asks: `${words.sentence}.\n${loss}` };
      },
    }),
    retry,
    resolve,
    undo,
    operationCommand(undoSeries, host, {
      describe({ edits, left }, zone) {
        const refused = left.map(({ edit, reason }) => `Edit ${edit} was not undone: ${reason}`);
        return [describeEdits(edits, zone), ...refused].join("\n");
      },
      async question({ id }, { runner }) {
        const { series } = await runner.run(showEdit, { id });
        return series.length === 0 ? null : { asks: `Undo all ${series.length} edits?` };
      },
    }),
  ]);
}

const deletionLoss =
  "The item is deleted in the workspace, for everyone; `edits undo` recreates it without comments and files. Delete it?";

interface UndoOptions {
  readonly person?: number;
  readonly dryRun: boolean;
  readonly keep?: Picks;
}

/** How an undo treats fields that somebody has changed since; empty without a choice. */
function choicesOf({ version, changedSince }: Undo, keep: Picks | undefined) {
  if (!keep) return {};
  const sides = changedSince.flatMap(({ field }) => {
    const side = keep.fields[field] ?? keep.keep;
    return side === undefined ? [] : [[field, side === "theirs" ? "leave" : "back"] as const];
  });
  return { version, fields: Object.fromEntries(sides) };
}

interface ResolveOptions {
  readonly keep?: Picks;
  readonly text?: Picks["fields"];
  readonly seen?: string;
  readonly dryRun: boolean;
}

/** Prints both sides and the effect, and sends a decision about exactly the printed state. */
async function settle(
  id: number,
  options: ResolveOptions,
  { runner, host }: { readonly runner: OperationRunner; readonly host: CommandHost },
) {
  const edit = await runner.run(showEdit, { id });
  const { choice } = edit;
  if (!choice) throw new Failed(`edit ${id} is ${edit.state}, and has nothing to choose`, 1);
  const fields = { ...options.keep?.fields, ...options.text };
  const keep = options.keep?.keep;
  if (keep === undefined && Object.keys(fields).length === 0) {
    host.say(describeEditChoice(edit));
    throw new Failed("Decide with --keep mine, theirs, or field=mine,field=theirs.", 1);
  }
  const version = options.seen ?? choice.version;
  const decide = (dryRun: boolean) =>
    runner.run(resolveEdit, { id, decision: { version, keep, fields, dryRun } });
  if (options.dryRun) return decide(true);
  const effect = await decide(true);
  if ("sentence" in effect) host.say(describeResolution(effect));
  return decide(false);
}

/** `mine`, `theirs`, or field=side pairs, separated by commas. A side alone applies to all fields not named. */
function readSides(text: string): Picks {
  let keep: Picks["keep"];
  const fields: Partial<Record<PatchField, FieldPick>> = {};
  for (const part of text.split(",").map((one) => one.trim())) {
    const [first = "", second] = part.split("=").map((word) => word.trim());
    const side = second ?? first;
    if (side !== "mine" && side !== "theirs") {
      throw new InvalidArgumentError(`"${part}" must be mine, theirs, or field=mine.`);
    }
    if (second === undefined) keep = side;
    else fields[readField(first)] = side;
  }
  return { keep, fields };
}

function readText(text: string, before: Picks["fields"] = {}): Picks["fields"] {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be a field and a text: title=Words.");
  return { ...before, [readField(text.slice(0, at).trim())]: { text: text.slice(at + 1) } };
}

/** Finds a field by its name for programs or its name for people. */
function readField(text: string): PatchField {
  const known = patchFields.find(
    (field) =>
      field.toLowerCase() === text.toLowerCase() ||
      fieldNameOf(field).toLowerCase() === text.toLowerCase(),
  );
  if (known) return known;
  throw new InvalidArgumentError(`"${text}" is not a field; use one of ${patchFields.join(", ")}.`);
}
