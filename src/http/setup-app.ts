import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import type { Project } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import { say } from "../texts/say.ts";
import { sameSecret } from "./admin-auth.ts";
import { type AssetFolders, createAssets, ownFolders } from "./assets.ts";
import { formField, readForm } from "./form-guard.ts";
import {
  type ChosenProjects,
  doneSetupPage,
  refusedSetupPage,
  type SetupAnswers,
  setupPage,
  setupResultPage,
} from "./pages/setup-page.ts";
import { notFound, sendProblem } from "./problem-json.ts";
import { queryText } from "./request-query.ts";
import { rootOf, sendPage, surroundPages, themeOf } from "./send-page.ts";

/** What is wrong with one answer; `field` is null if it concerns no single answer. */
export interface SetupFault {
  readonly field: keyof SetupAnswers | null;
  readonly problem: string;
}

/** The service's reaction to the answers. */
export type SetupTrial =
  | { readonly kind: "faults"; readonly faults: readonly SetupFault[] }
  | {
      readonly kind: "reached";
      /** Null if the service does not list people, so that the configuration has to list them. */
      readonly projects: readonly Project[] | null;
      /** What was found in the account, in sentences. */
      readonly facts: readonly string[];
    };

/** Result of writing the configuration. */
export type SetupWrite =
  | { readonly kind: "written"; readonly files: readonly string[]; readonly adminToken: string }
  /** A file exists already, and is kept unless it may be replaced. */
  | { readonly kind: "exists"; readonly file: string }
  | { readonly kind: "failed"; readonly problem: string };

/** The projects to mirror; "discover" for all, including later ones. */
export type ProjectChoice = "discover" | readonly number[];

export interface SetupDeps {
  readonly attempt: (answers: SetupAnswers) => Promise<SetupTrial>;
  /** Creates a test event, reads it back and deletes it; returns the result in a sentence. */
  readonly probe: (
    answers: SetupAnswers,
  ) => Promise<{ readonly isRight: boolean; readonly said: string }>;
  /** The text of the configuration, without the key. */
  readonly configText: (answers: SetupAnswers, projects: ProjectChoice) => string;
  readonly write: (
    answers: SetupAnswers,
    how: { readonly projects: ProjectChoice; readonly mayReplace: boolean },
  ) => SetupWrite;
  /** Called once the final answer was sent. */
  readonly onWritten: () => void;
  /** Opens the set-up, once. */
  readonly token: string;
  /** The cookie that replaces the token. */
  readonly session: string;
  /** The forms' token. */
  readonly formToken: string;
  readonly assetFolders?: AssetFolders;
}

/**
 * The set-up wizard at `/setup`, while there is no configuration. It opens with the printed token; nothing is written until the
 * person confirms.
 */
export function createSetupApp(deps: SetupDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  const { assets, router } = createAssets(deps.assetFolders ?? ownFolders);
  const { formToken } = deps;
  app.use(
    surroundPages((request) => ({
      ...{ viewer: null, formToken, zone: "UTC", assets: assets(), outage: null },
      theme: themeOf(request),
    })),
    router,
  );
  app.get("/healthz", (_request, response) => void response.json({ status: "setting up" }));
  app.get("/readyz", (_request, response) => {
    response.status(503).set("Retry-After", "10").json({ status: "not set up yet", fresh: false });
  });
  app.use(letIn(deps));
  app.get("/", (request, response) => response.redirect(303, `${rootOf(request)}setup`));

  /** Kept here, so that no page contains the key. */
  let draft: { readonly answers: SetupAnswers; readonly trial: Reached } | null = null;
  let isWritten = false;

  app.get("/setup", (_request, response) => {
    sendPage(response, setupPage({ answers: draft?.answers ?? nothingYet, faults: [], formToken }));
  });

  app.post("/setup", async (request, response) => {
    const answers = answersIn(request.body, draft?.answers ?? nothingYet);
    const trial = await deps.attempt(answers);
    if (trial.kind === "faults") {
      sendPage(response.status(400), setupPage({ answers, faults: trial.faults, formToken }));
      return;
    }
    draft = { answers, trial };
    response.redirect(303, `${rootOf(request)}setup/result`);
  });

  app.post("/setup/check", async (request, response) => {
    const answers = answersIn(request.body, draft?.answers ?? nothingYet);
    // The service can be asked even if no time zone was entered yet.
    const zone = answers.timeZone === "" ? "UTC" : answers.timeZone;
    const trial = await deps.attempt({ ...answers, timeZone: zone });
    response.json(
      trial.kind === "reached"
        ? { faults: [], facts: trial.facts }
        : { faults: trial.faults.filter(isAnswered(answers)), facts: [] },
    );
  });

  app.get("/setup/result", (request, response) => {
    if (!draft) return response.redirect(303, `${rootOf(request)}setup`);
    sendPage(response, setupResultPage({ ...draft, formToken, said: null }));
  });

  app.post("/setup/zone", async (request, response) => {
    if (!draft) return response.redirect(303, `${rootOf(request)}setup`);
    const said = await deps.probe(draft.answers);
    sendPage(response, setupResultPage({ ...draft, formToken, said }));
  });

  app.post("/setup/finish", (request, response) => {
    if (!draft) return response.redirect(303, `${rootOf(request)}setup`);
    const { answers, trial } = draft;
    const chosen = chosenIn(request.body);
    const projects = choiceOf(chosen, trial);
    const frame = { ...draft, formToken, chosen };
    const isUnclear = chosen.isAll && chosen.ticked.size > 0;
    if (isUnclear || projects.length === 0) {
      const said = isUnclear ? say("setup.chooseOnly") : say("setup.chooseProject");
      sendPage(response.status(400), setupResultPage({ ...frame, said: { isRight: false, said } }));
      return;
    }
    if (formField(request.body, "way") !== "write") {
      response
        .set("Content-Disposition", 'attachment; filename="config.json"')
        .type("application/json")
        .send(deps.configText(answers, projects));
      return;
    }
    const mayReplace = formField(request.body, "replace") === "on";
    const result: SetupWrite = isWritten
      ? { kind: "failed", problem: say("setup.writtenAlready") }
      : deps.write(answers, { projects, mayReplace });
    switch (result.kind) {
      case "written":
        isWritten = true;
        response.once("finish", () => deps.onWritten());
        sendPage(response, doneSetupPage(result.files, result.adminToken));
        return;
      case "exists": {
        const said = say("setup.exists", { file: result.file });
        const page = { ...frame, said: { isRight: false, said }, asksToReplace: true };
        sendPage(response.status(409), setupResultPage(page));
        return;
      }
      case "failed": {
        const said = { isRight: false, said: say("setup.notWritten", { problem: result.problem }) };
        sendPage(response.status(500), setupResultPage({ ...frame, said }));
        return;
      }
      default:
        unreachable(result);
    }
  });
  app.use((request, response) => {
    sendProblem(
      response,
      notFound(say("accessFault.nothing", { method: request.method, path: request.path })),
    );
  });
  app.use(answerError);
  return app;
}

/** Replaces express's stack traces. The status alone describes a bad request. */
const answerError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) return next(error);
  const { status }: { readonly status?: unknown } = Object(error);
  const isRefusal = typeof status === "number" && status >= 400 && status < 500;
  sendProblem(
    response,
    isRefusal
      ? { status, title: "Bad request", detail: say("requestFault.unread") }
      : { status: 500, title: "Internal error", detail: say("requestFault.failed") },
  );
};

type Reached = Extract<SetupTrial, { kind: "reached" }>;

const nothingYet: SetupAnswers = { baseUrl: "", apiKey: "", contact: "", timeZone: "" };

/** True for errors in what was entered. An empty field is not reported while people are still typing. */
const isAnswered =
  (answers: SetupAnswers) =>
  ({ field }: SetupFault): boolean =>
    field !== null && answers[field] !== "";

/** A key given before need not be repeated, unless it would go to another server. */
function answersIn(body: unknown, before: SetupAnswers): SetupAnswers {
  const of = (name: keyof SetupAnswers) => formField(body, name).trim();
  const [apiKey, baseUrl] = [of("apiKey"), of("baseUrl")];
  const origin = URL.parse(baseUrl)?.origin;
  const isSameServer = origin !== undefined && origin === URL.parse(before.baseUrl)?.origin;
  return {
    baseUrl,
    apiKey: apiKey === "" && isSameServer ? before.apiKey : apiKey,
    contact: of("contact"),
    timeZone: of("timeZone"),
  };
}

function chosenIn(body: unknown): ChosenProjects {
  const { project = [] }: { readonly project?: unknown } = Object(body);
  const ticked = (Array.isArray(project) ? project : [project]).map(Number);
  return { isAll: formField(body, "projects") !== "some", ticked: new Set(ticked) };
}

function choiceOf({ isAll, ticked }: ChosenProjects, { projects }: Reached): ProjectChoice {
  if (projects === null || isAll) return "discover";
  return projects.flatMap(({ id }) => (ticked.has(id) ? [Number(id)] : []));
}

const cookieName = "dayferry-setup";

/**
 * Admits anyone with the token, from any address, because behind a local proxy every client looks local. The token works once
 * and is replaced by a cookie, so that it does not stay in the URL and is useless in a log. Forms have a token of their own.
 */
function letIn({ token, session, formToken }: SetupDeps): RequestHandler {
  const read = readForm();
  let isSpent = false;
  return (request, response, next) => {
    const cookies = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
    const hasSession = cookies.some((pair) => sameSecret(pair, `${cookieName}=${session}`));
    const given = queryText(request, "token");
    if (request.method === "GET" && given !== undefined) {
      if (!isSpent && sameSecret(given, token)) {
        isSpent = true;
        const flags = `Path=/; HttpOnly; SameSite=Strict${request.secure ? "; Secure" : ""}`;
        response.setHeader("Set-Cookie", `${cookieName}=${session}; ${flags}`);
        response.redirect(303, `${rootOf(request)}setup`);
        return;
      }
      // The page with the token in its URL was reloaded.
      if (hasSession) return response.redirect(303, `${rootOf(request)}setup`);
    }
    if (!hasSession) {
      sendPage(response.status(403), refusedSetupPage(isSpent ? "used" : "missing"));
      return;
    }
    if (request.method !== "POST") return next();
    read(request, response, (error?: unknown) => {
      if (error) return next(error);
      if (sameSecret(formField(request.body, "form"), formToken)) return next();
      sendPage(response.status(403), refusedSetupPage("missing"));
    });
  };
}
