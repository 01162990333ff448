import type { Readable } from "node:stream";
import type { EventLoopBudget } from "@dayferry/event-loop";
import { z } from "zod";
import type { DailyBackups } from "../backups/daily-backups.ts";
import type { Channel, Decider } from "../domain/edit.ts";
import { isId, type PersonId } from "../domain/ids.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Viewer } from "../domain/visibility.ts";
import type { EditActions } from "../edits/actions/edit-actions.ts";
import type { FormOutcome, FormRequest } from "../edits/forms/accept-form.ts";
import type { AcceptFile } from "../edits/intake/accept.ts";
import type { ServiceActions } from "../edits/workspace/service-actions.ts";
import type { PublishedFeeds } from "../feeds/published-feeds.ts";
import type { AccessTokens } from "../people/access-tokens.ts";
import type { EventWebhooks } from "../people/event-webhooks.ts";
import type { People } from "../people/people.ts";
import type { Rights } from "../people/rights.ts";
import type { ReportServer } from "../reports/report-processes.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import type { StatusSummary } from "./answers.ts";

/** The modules that operations use. */
export interface OperationModules {
  readonly store: Store;
  readonly feeds: PublishedFeeds;
  readonly editActions: EditActions;
  readonly acceptFile: AcceptFile;
  readonly people: People;
  readonly rights: Rights;
  readonly tokens: AccessTokens;
  /** Absent where nothing is sent. */
  readonly eventWebhooks?: EventWebhooks;
  /** Null if nothing is sent to the service on request. */
  readonly workspace: ServiceActions | null;
  /** Accepts edits of single fields. Null if nothing is accepted. */
  readonly acceptForm: ((request: FormRequest) => FormOutcome) | null;
  /** Absent where no reports are made. */
  readonly reports?: ReportServer;
  /** Absent where no backups are made. */
  readonly backups?: Pick<DailyBackups, "make" | "list">;
  /** Absent without a daemon. */
  readonly statusReader?: StatusReader;
  readonly eventLoop: EventLoopBudget;
  readonly clock: () => Temporal.Instant;
  /** Public URL of this server, without a trailing slash. */
  readonly baseUrl: () => string;
}

/** Reads the daemon's state. */
export interface StatusReader {
  readonly summary: (viewer: Viewer) => StatusSummary;
  /** Everything; for the admin. */
  readonly details: () => object;
}

/** Who runs an operation, and with what. */
export interface Caller {
  readonly viewer: Viewer;
  readonly channel: Extract<Channel, "upload" | "cli" | "dashboard">;
  /** User-Agent of the program, if any. */
  readonly program?: string | undefined;
  /** True if its edits wait until a person approves them, as an agent's do. */
  readonly proposes?: boolean;
  /** Aborts requests to the service. */
  readonly signal?: AbortSignal;
  /** Called while a file is sent to the service, with octets. */
  readonly onSent?: (done: number, total: number) => void;
}

/** Why an operation failed; `detail` is one sentence. */
export interface OperationFailure {
  /** `invalid`: invalid input; `missing`: it does not exist, or not for the caller; `failed`: the service did not do it; `unavailable`: this server cannot at the moment. */
  readonly kind:
    | "invalid"
    | "missing"
    | "forbidden"
    | "conflict"
    | "too-large"
    | "unprocessable"
    | "failed"
    | "unavailable";
  readonly detail: string;
  /** A title, if the kind is not enough. */
  readonly title?: string;
  /** Further members for programs, such as `errors`. */
  readonly more?: object;
}

export type Outcome = Result<unknown, OperationFailure>;

type Input = Readonly<Record<string, unknown>>;

/** Method and path of the API; `:name` in the path is the input's member with that name. */
type Route = `${"GET" | "POST" | "PATCH" | "DELETE"} /api/${string}`;

/** The member of the input that is the whole request body. */
type Body<Member extends string> =
  | { readonly member: Member; readonly type: "json" }
  | { readonly member: Member; readonly type: "octets"; readonly mediaType: string };

/** Modules that are absent where nothing is sent. */
type Offering = Pick<
  OperationModules,
  "workspace" | "acceptForm" | "reports" | "backups" | "statusReader"
>;

interface Declaration<Shape extends z.ZodRawShape, Answer extends z.ZodType> {
  /** Group and verb, as on the command line: `feeds rotate`. */
  readonly name: string;
  /** What it does, without a full stop; the command's help. */
  readonly summary: string;
  /** What else a caller has to know, as sentences; for the API's documents and for agents. */
  readonly note?: string;
  readonly route: Route;
  /** `person`: members access what is theirs; `admin`: the admin only. */
  readonly access: "person" | "admin";
  readonly input: Shape;
  /** The value that it returns, as JSON: null for nothing. */
  readonly answer: Answer;
  /** The input's member that is the whole request body. By default the members of a JSON body are members of the input. */
  readonly body?: Body<keyof Shape & string>;
  /** Largest body in octets; 1 MB by default. */
  readonly largest?: number;
  /** The value's name in the API's answer, as `{"feeds": [...]}`; unwrapped by default. */
  readonly member?: string;
  /** HTTP status of success, if not 200, or 204 for null. */
  readonly status?: (input: z.output<z.ZodObject<Shape>>) => number;
  /** True if it waits for the service, which may take minutes. */
  readonly isSlow?: boolean;
  /** True if its edits can be held for approval. */
  readonly canPropose?: boolean;
  /** True if it refuses members that it does not know. */
  readonly isExact?: boolean;
  /** Whether it is available with these modules; true by default. */
  readonly isOffered?: (modules: Offering) => boolean;
  /** Returns a JSON value, or null for nothing. */
  run(
    input: z.output<z.ZodObject<Shape>>,
    context: OperationModules & { readonly caller: Caller },
  ): Promise<Outcome> | Outcome;
}

/** Something that people and programs can request. API, commands and pages are made from it. */
export interface Operation<
  Shape extends z.ZodRawShape = z.ZodRawShape,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly name: string;
  readonly summary: string;
  readonly note: string;
  readonly method: string;
  readonly path: string;
  /** Members of the input in the path. */
  readonly pathMembers: readonly string[];
  readonly access: "person" | "admin";
  readonly input: z.ZodObject<Shape>;
  readonly answer: Answer;
  /** HTTP status of success; null if it depends on the input. */
  readonly status: number | null;
  readonly body: Body<string> | null;
  readonly largest: number;
  readonly member: string | null;
  readonly isSlow: boolean;
  readonly canPropose: boolean;
  isOffered(modules: Offering): boolean;
  /** Parses the input and runs the operation. */
  run(
    input: Input,
    context: OperationModules & { readonly caller: Caller },
  ): Promise<Result<{ readonly value: unknown; readonly status: number }, OperationFailure>>;
}

const usualLargest = 1_000_000;

/** Makes an operation from its declaration. */
export function operation<Shape extends z.ZodRawShape, Answer extends z.ZodType>(
  declared: Declaration<Shape, Answer>,
): Operation<Shape, Answer> {
  const {
    name,
    summary,
    access,
    route,
    answer,
    body = null,
    member = null,
    isSlow = false,
    canPropose = false,
    note = "",
  } = declared;
  const [method = "", path = ""] = route.split(" ");
  const pathMembers = [...path.matchAll(/:(\w+)/g)].map(([, part = ""]) => part);
  const input = declared.isExact ? z.object(declared.input).strict() : z.object(declared.input);
  return {
    ...{
      name,
      summary,
      note,
      method,
      path,
      pathMembers,
      access,
      input,
      answer,
      body,
      member,
      isSlow,
      canPropose,
    },
    status: declared.status ? null : answer instanceof z.ZodNull ? 204 : 200,
    largest: declared.largest ?? usualLargest,
    isOffered: (modules) => declared.isOffered?.(modules) ?? true,
    async run(given, context) {
      const read = input.safeParse(given);
      if (!read.success) return fail(failureOf(read.error, given, { input, pathMembers }));
      const outcome = await declared.run(read.data, context);
      if (!outcome.ok) return outcome;
      const { value } = outcome;
      return ok({ value, status: declared.status?.(read.data) ?? (value === null ? 204 : 200) });
    },
  };
}

/** The first problem of an input. An impossible id in the path means that it does not exist. */
function failureOf(
  error: z.ZodError,
  given: Input,
  { input, pathMembers }: Pick<Operation, "input" | "pathMembers">,
): OperationFailure {
  const [issue] = error.issues;
  const member = String(issue?.path[0] ?? "");
  if (pathMembers.includes(member)) {
    const kind = nouns.find((one) => one === issue?.message);
    const about = { kind: kind ? say(`kindWord.${kind}`) : member, id: String(given[member]) };
    return { kind: "missing", detail: say("inputFault.none", about) };
  }
  return { kind: "invalid", detail: problemIn(error, given, input) };
}

/** The first problem of an input, with the member's name. */
export function problemIn(
  { issues: [issue] }: z.ZodError,
  given: Input,
  { shape }: Pick<z.ZodObject, "shape">,
): string {
  if (issue?.code === "unrecognized_keys") {
    const names = Object.keys(shape).join(", ");
    const name = quoted(issue.keys.join(", "));
    return say("reportFault.parameter", { name, choices: names });
  }
  const member = String(issue?.path[0] ?? "");
  return given[member] === undefined
    ? say("inputFault.needed", { name: member })
    : say("inputFault.named", { name: member, problem: issue?.message ?? "" });
}

/** A file as the answer of an operation. */
export interface FileAnswer {
  readonly body: Readable;
  readonly bytes: number;
  readonly mediaType: string;
  readonly fileName: string;
  /** Further response headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

const fileTypes = z.registry<{ readonly types: readonly string[] }>();

/** The answer of an operation that returns a file of one of these media types. */
export const aFile = (...types: readonly string[]) =>
  z.custom<FileAnswer>().register(fileTypes, { types });

/** The media types of an operation's answer; null if it is a JSON value. */
export const fileTypesOf = ({ answer }: Pick<Operation, "answer">): readonly string[] | null =>
  fileTypes.get(answer)?.types ?? null;

/** The file that an operation with media types has answered. */
export const isFileAnswer = (
  operation: Pick<Operation, "answer">,
  value: unknown,
): value is FileAnswer => fileTypesOf(operation) !== null && value !== null;

/** How a member of an input is parsed, and its help text. */
interface MemberMeta {
  /** `refused`: known only so that it is refused with a reason. */
  readonly kind: "id" | "text" | "json" | "octets" | "refused";
  readonly about: string;
  /** Its JSON Schema, if the operation parses it itself. */
  readonly documented?: () => Readonly<Record<string, unknown>>;
}

const metas = z.registry<MemberMeta>();

/** The members of an operation's input, in order. */
export const membersOf = ({ input, pathMembers }: Operation): readonly InputMember[] =>
  Object.entries(input.shape).map(([name, schema]) => {
    const isOptional = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
    const meta = metas.get(isOptional ? schema.unwrap() : schema);
    return {
      ...{ name, isNeeded: !isOptional, isInPath: pathMembers.includes(name) },
      ...(meta ?? { kind: "json", about: "" }),
    };
  });

export interface InputMember extends MemberMeta {
  readonly name: string;
  readonly isNeeded: boolean;
  readonly isInPath: boolean;
}

/** An operation's input before parsing. */
export type InputOf<Of extends Pick<Operation, "input">> = z.input<Of["input"]>;

/** An operation's answer, as JSON. */
export type AnswerOf<Of extends Pick<Operation, "answer">> = z.input<Of["answer"]>;

/** What ids in paths identify. */
const nouns = ["edit", "feed", "file", "label", "person", "token"] as const;

/** An id in the path; `noun`: what it identifies. */
export const pathId = <Id extends number>(
  noun: (typeof nouns)[number],
  brand: (id: number) => Id,
) =>
  z
    .union([z.string(), z.number()], noun)
    .refine((id) => isId(Number(id)), noun)
    .transform((id) => brand(Number(id)))
    .register(metas, { kind: "id", about: `the ${noun}'s number` });

/** An id in the query or the body. */
export const anId = <Id extends number>(about: string, brand: (id: number) => Id) =>
  z
    .union([z.string(), z.number()], {
      error: ({ input }) => say("inputFault.id", { value: JSON.stringify(input) }),
    })
    .refine((id) => isId(Number(id)), {
      error: ({ input }) => say("inputFault.id", { value: quoted(input) }),
    })
    .transform((id) => brand(Number(id)))
    .register(metas, { kind: "id", about });

export const quoted = (value: unknown): string => `"${String(value)}"`;

export const aText = (about: string) =>
  z.string({ error: () => say("inputFault.text") }).register(metas, { kind: "text", about });

/** JSON that the operation parses itself. */
export const anyJson = (documented: z.ZodType) =>
  z.unknown().register(metas, {
    ...{ kind: "json", about: "" },
    documented: () => ({ ...z.toJSONSchema(documented, { io: "input" }) }),
  });

/** A member that `schema` reads, documented by a JSON Schema. */
export const aValue = <Schema extends z.ZodType>(
  about: string,
  schema: Schema,
  documented: Readonly<Record<string, unknown>>,
): Schema => {
  metas.add(schema, { kind: "json", about, documented: () => documented });
  return schema;
};

/** A day, as `YYYY-MM-DD`. */
export const aDay = (about: string) =>
  aValue(
    about,
    z.string().transform((given, context) => {
      try {
        return Temporal.PlainDate.from(given);
      } catch {
        context.addIssue(say("inputFault.day", { value: quoted(given) }));
        return z.NEVER;
      }
    }),
    { type: "string", format: "date" },
  );

/** A whole number, zero or more. */
export const aCount = (about: string) =>
  aValue(
    about,
    z
      .union([z.string(), z.number()])
      .refine((given) => /^\d{1,9}$/.test(String(given)), {
        error: ({ input }) => say("inputFault.whole", { value: quoted(input) }),
      })
      .transform(Number),
    { type: "integer", minimum: 0 },
  );

/** A choice, also as the text `true` or `false`. */
export const aFlag = (about: string) =>
  aValue(
    about,
    z.union([z.boolean(), z.enum(["true", "false"]).transform((given) => given === "true")], {
      error: ({ input }) => say("inputFault.flag", { value: quoted(input) }),
    }),
    { type: "boolean" },
  );

/** A member that is no longer accepted. */
export const refused = () => z.unknown().register(metas, { kind: "refused", about: "" });

export const octets = (about: string) =>
  z.instanceof(Uint8Array<ArrayBuffer>).register(metas, { kind: "octets", about });

/** The person whose permissions apply; null for the admin. */
export const callerPerson = ({ viewer }: Pick<Caller, "viewer">): PersonId | null =>
  viewer.kind === "person" ? viewer.person : null;

export const deciderOf = (caller: Caller): Decider => ({
  channel: caller.channel,
  actor: callerPerson(caller),
  program: caller.program,
});

export const missing = (detail: string) => fail<OperationFailure>({ kind: "missing", detail });
export const invalid = (detail: string) => fail<OperationFailure>({ kind: "invalid", detail });

/** The value, or a "missing" failure without one. */
export const foundOr = (value: unknown, otherwise: string): Outcome =>
  value === null || value === undefined || value === false ? missing(otherwise) : ok(value);
