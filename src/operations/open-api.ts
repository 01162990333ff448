import { z } from "zod";
import { fileTypesOf, type InputMember, membersOf, type Operation } from "./operation.ts";

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI document of operations. Source: OpenAPI Specification 3.1. */
export function openApiOf(
  operations: readonly Operation[],
  { version, url }: { readonly version: string; readonly url: string },
): Json {
  const byPath = Map.groupBy(operations, ({ path }) => path.replace(/:(\w+)/g, "{$1}"));
  const paths = Object.fromEntries(
    [...byPath].map(([path, all]) => [
      path,
      Object.fromEntries(all.map((one) => [one.method.toLowerCase(), describe(one)])),
    ]),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Dayferry",
      version,
      description: "Calendars and edits of a project-collaboration service.",
    },
    servers: [{ url }],
    security: [{ admin: [] }, { person: [] }],
    paths,
    components: {
      securitySchemes: {
        admin: { type: "http", scheme: "bearer", description: "the admin token" },
        person: { type: "http", scheme: "basic", description: "user name and app password" },
      },
      schemas: { Problem: problem },
    },
  };
}

/** Source: RFC 9457. */
const problem: Json = {
  type: "object",
  properties: {
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "one sentence" },
  },
  required: ["title", "status", "detail"],
};

function describe(operation: Operation): Json {
  const { name, summary, note, access, answer, member, status } = operation;
  const { members, schemas } = schemasOf(operation);
  const { inBody, content } = bodyOf(operation, schemas);
  const parameters = members
    .filter(({ name: key }) => !inBody.has(key))
    .map(({ name: key, isInPath, isNeeded }) => ({
      name: key,
      in: isInPath ? "path" : "query",
      required: isNeeded,
      schema: schemas.get(key) ?? {},
    }));
  const value = jsonSchema(answer, "output");
  const body = member === null ? value : objectOf({ [member]: value }, [member]);
  const isEmpty = status === 204;
  return {
    operationId: operationIdOf(name),
    summary,
    ...(note !== "" && { description: note }),
    tags: [name.split(" ", 1)[0]],
    ...(access === "admin" && { security: [{ admin: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { content } }),
    responses: {
      [status ?? "2XX"]: {
        description: isEmpty ? "done" : "the result",
        ...(!isEmpty && { content: contentOf(operation, body) }),
      },
      default: {
        description: "it was not done",
        content: {
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
        },
      },
    },
  };
}

const contentOf = (operation: Operation, schema: Json): Json =>
  Object.fromEntries(
    (fileTypesOf(operation) ?? ["application/json"]).map((type) => [
      type.split(";", 1).join(""),
      fileTypesOf(operation) === null || type.startsWith("application/json") ? { schema } : {},
    ]),
  );

function schemasOf(operation: Operation) {
  const members = membersOf(operation).filter(({ kind }) => kind !== "refused");
  const schemas: ReadonlyMap<string, Json> = new Map(
    members.map((one) => [
      one.name,
      { ...schemaOf(operation, one), ...(one.about !== "" && { description: one.about }) },
    ]),
  );
  return { members, schemas };
}

/** The JSON Schema of an operation's whole input; a file is a text in it. */
export function inputSchemaOf(operation: Operation): Json {
  const { members, schemas } = schemasOf(operation);
  const properties = members.map(({ name, kind }) => [
    name,
    { ...schemas.get(name), ...(kind === "octets" && { type: "string" }) },
  ]);
  const needed = members.filter(({ isNeeded }) => isNeeded).map(({ name }) => name);
  return objectOf(Object.fromEntries(properties), needed);
}

/** `edits undo-preview` as `editsUndoPreview`. */
export const operationIdOf = (name: string): string =>
  name.replace(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase());

/** The request body, and the members of the input in it. */
function bodyOf(
  { method, body, path, input }: Operation,
  schemas: ReadonlyMap<string, Json>,
): { readonly inBody: ReadonlySet<string>; readonly content: Json | null } {
  if (method === "GET" || method === "DELETE") return { inBody: new Set(), content: null };
  if (body) {
    const type = body.type === "json" ? "application/json" : body.mediaType;
    const schema = body.type === "json" ? (schemas.get(body.member) ?? {}) : {};
    return { inBody: new Set([body.member]), content: { [type]: { schema } } };
  }
  const names = [...schemas.keys()].filter((name) => !path.includes(`:${name}`));
  if (names.length === 0) return { inBody: new Set(), content: null };
  const needed = names.filter((name) => !isOptional(input.shape[name]));
  const properties = Object.fromEntries(names.map((name) => [name, schemas.get(name) ?? {}]));
  return {
    inBody: new Set(names),
    content: { "application/json": { schema: objectOf(properties, needed) } },
  };
}

const isOptional = (schema: unknown): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;

const objectOf = (properties: Json, required: readonly string[]): Json => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
});

function schemaOf({ input }: Operation, { name, kind, documented }: InputMember): Json {
  if (kind === "id") return { type: "integer", minimum: 1 };
  if (kind === "text") return { type: "string" };
  if (kind !== "json") return {};
  if (documented) return withoutDialect(documented());
  const schema = input.shape[name];
  return schema ? jsonSchema(schema, "input") : {};
}

const jsonSchema = (schema: z.core.$ZodType, io: "input" | "output"): Json =>
  withoutDialect({ ...z.toJSONSchema(schema, { io, unrepresentable: "any" }) });

/** OpenAPI 3.1 has the dialect of JSON Schema that Zod writes. */
const withoutDialect = (schema: Json): Json =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "$schema"));
