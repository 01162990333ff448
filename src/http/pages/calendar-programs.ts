import { say } from "../../texts/say.ts";

/** How to connect a calendar program. `docs/clients.md` says the same, which a test checks. */
export interface CalendarProgram {
  readonly id: string;
  /** Title of its section in `docs/clients.md`. */
  readonly name: string;
  /** Title of its page. */
  readonly label: string;
  /** In order. Text in backticks is to be entered literally, between asterisks it is a label. */
  readonly steps: readonly string[];
  /** The program's names for the URL and user fields of CalDAV; null if it can only subscribe to feeds. */
  readonly asks: {
    readonly server: string;
    /** True if it asks for a host only. */
    readonly isHost: boolean;
    readonly user: string;
  } | null;
}

/** Programs in display order; `server`: the CalDAV URL. */
export const calendarPrograms = (server: string): readonly CalendarProgram[] => [
  {
    id: "google",
    name: "Google Calendar",
    label: "Google Calendar",
    steps: [say("program.google1"), say("program.google2"), say("program.google3")],
    asks: null,
  },
  {
    id: "outlook-web",
    name: "Outlook on the web, new Outlook, Outlook for Mac",
    label: "Outlook",
    steps: [say("program.outlookWeb1"), say("program.outlookWeb2"), say("program.outlookWeb3")],
    asks: null,
  },
  {
    id: "apple",
    name: "Apple Calendar and Reminders",
    label: "Apple",
    steps: [say("program.apple1"), say("program.apple2"), say("program.apple3")],
    asks: { server: "Server", isHost: true, user: "User Name" },
  },
  {
    id: "davx5",
    name: "DAVx5 with tasks.org or jtx Board (Android)",
    label: "Android (DAVx5)",
    steps: [say("program.davx1"), say("program.davx2", { server }), say("program.davx3")],
    asks: { server: "Base URL", isHost: false, user: "User name" },
  },
  {
    id: "thunderbird",
    name: "Thunderbird",
    label: "Thunderbird",
    steps: [
      say("program.thunderbird1"),
      say("program.thunderbird2", { server }),
      say("program.thunderbird3"),
    ],
    asks: { server: "Location", isHost: false, user: "Username" },
  },
  {
    id: "outlook",
    name: "Outlook with CalDav Synchronizer",
    label: say("program.outlookWindows"),
    steps: [say("program.outlook1"), say("program.outlook2"), say("program.outlook3", { server })],
    asks: { server: "DAV URL", isHost: false, user: "Username" },
  },
  {
    id: "gnome",
    name: "Evolution, GNOME Calendar, Endeavour",
    label: "Evolution, GNOME",
    steps: [say("program.gnome1"), say("program.gnome2", { server }), say("program.gnome3")],
    asks: { server: "Server", isHost: false, user: "User" },
  },
  {
    id: "kde",
    name: "KOrganizer, Merkuro",
    label: "KOrganizer, Merkuro",
    steps: [say("program.kde1"), say("program.kde2"), say("program.kde3", { server })],
    asks: { server: "Remote URL", isHost: false, user: "User" },
  },
];
