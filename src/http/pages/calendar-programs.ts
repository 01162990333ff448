/** How to connect a calendar program. `docs/clients.md` says the same, which a test checks. */
export interface CalendarProgram {
  readonly id: string;
  /** Title of its section in `docs/clients.md`. */
  readonly name: string;
  /** Title of its page. */
  readonly label: string;
  /** `calendar`: edits over CalDAV; `feed`: subscribes to feeds read-only. */
  readonly by: "calendar" | "feed";
  /**
   * The steps, one alternative after the other. `{server}` stands for the URL; text in backticks is to be entered literally.
   */
  readonly steps: readonly string[];
  /** The program's names for the URL and user fields; null if it asks for neither. */
  readonly asks: {
    readonly server: string;
    /** True if it asks for a host only. */
    readonly isHost: boolean;
    readonly user: string;
  } | null;
}

export const calendarPrograms: readonly CalendarProgram[] = [
  {
    id: "apple",
    name: "Apple Calendar and Reminders",
    label: "Apple",
    by: "calendar",
    steps: [
      "Settings → Apps → Calendar → Calendar Accounts → Add Account → Other → Add CalDAV Account (macOS: Calendar → Add Account → Other CalDAV Account → Manual). Switch on both Calendars and Reminders.",
    ],
    asks: { server: "Server", isHost: true, user: "User Name" },
  },
  {
    id: "thunderbird",
    name: "Thunderbird",
    label: "Thunderbird",
    by: "calendar",
    steps: [
      "New Calendar → On the Network → user name and `{server}` → Find Calendars → pick. The password is asked for once.",
    ],
    asks: { server: "Location", isHost: false, user: "Username" },
  },
  {
    id: "davx5",
    name: "DAVx5 with tasks.org or jtx Board (Android)",
    label: "DAVx5 (Android)",
    by: "calendar",
    steps: [
      "Add account → Login with URL and user name → `{server}` → tick calendars and task lists. For tasks, install tasks.org or jtx Board first, and pick it in DAVx5's settings.",
    ],
    asks: { server: "Base URL", isHost: false, user: "User name" },
  },
  {
    id: "outlook",
    name: "Outlook with CalDav Synchronizer",
    label: "Outlook for Windows",
    by: "calendar",
    steps: [
      "The plug-in for classic Outlook on Windows: Synchronization Profiles → Add → Generic CalDAV/CardDAV, Outlook folder, DAV URL `{server}`, user name, password → Test or discover settings → pick. One profile per calendar and task list.",
    ],
    asks: { server: "DAV URL", isHost: false, user: "Username" },
  },
  {
    id: "gnome",
    name: "Evolution, GNOME Calendar, Endeavour",
    label: "Evolution, GNOME",
    by: "calendar",
    steps: [
      "Evolution: File → New → Collection Account, user name, Advanced → server `{server}`; or one calendar by New → Calendar, type CalDAV, Find Calendars. GNOME Calendar and Endeavour show what Evolution or Settings → Online Accounts (Calendar, Contacts and Files) have added.",
    ],
    asks: { server: "Server", isHost: false, user: "User" },
  },
  {
    id: "kde",
    name: "KOrganizer, Merkuro",
    label: "KOrganizer, Merkuro",
    by: "calendar",
    steps: [
      "Settings → Configure KOrganizer → General → Calendars → Add → DAV groupware resource → user name and password → Configure manually, CalDAV, `{server}`.",
    ],
    asks: { server: "Remote URL", isHost: false, user: "User" },
  },
  {
    id: "google",
    name: "Google, and Outlook without a plug-in",
    label: "Google, Outlook on the web",
    by: "feed",
    steps: [
      "Google Calendar, outlook.com, the new Outlook and Outlook for Mac do not speak CalDAV. They subscribe to feeds: Google by *Other calendars → From URL*, Outlook by *Add calendar → Subscribe from web*. They decide when to fetch: Google after some hours, Outlook after three or more.",
    ],
    asks: null,
  },
];
