/** How to connect a calendar program. `docs/clients.md` says the same, which a test checks. */
export interface CalendarProgram {
  readonly id: string;
  /** Title of its section in `docs/clients.md`. */
  readonly name: string;
  /** Title of its page. */
  readonly label: string;
  /** `calendar`: edits over CalDAV; `feed`: subscribes to feeds read-only. */
  readonly by: "calendar" | "feed";
  /** In order. `{server}` stands for the URL; text in backticks is to be entered literally, between asterisks it is a label. */
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
    id: "google",
    name: "Google Calendar",
    label: "Google Calendar",
    by: "feed",
    steps: [
      "Open a feed here and choose *Google Calendar*, or copy its address.",
      "In Google Calendar choose *Other calendars*, *From URL*, and paste the address.",
      "Google fetches it every few hours; this cannot be changed. It is read-only.",
    ],
    asks: null,
  },
  {
    id: "outlook-web",
    name: "Outlook on the web, new Outlook, Outlook for Mac",
    label: "Outlook",
    by: "feed",
    steps: [
      "Open a feed here and choose *Outlook.com* or *Outlook for work or school*.",
      "Or in Outlook choose *Add calendar*, *Subscribe from web*, and paste the address.",
      "Outlook fetches it every three hours or later. It is read-only.",
    ],
    asks: null,
  },
  {
    id: "apple",
    name: "Apple Calendar and Reminders",
    label: "Apple",
    by: "calendar",
    steps: [
      "On iPhone or iPad open *Settings*, *Apps*, *Calendar*, *Calendar Accounts*, *Add Account*, *Other*. On a Mac open *Calendar*, *Add Account*.",
      "Choose *Add CalDAV Account* (Mac: *Other CalDAV Account*, *Manual*) and enter the account settings.",
      "Turn on both *Calendars* and *Reminders*.",
    ],
    asks: { server: "Server", isHost: true, user: "User Name" },
  },
  {
    id: "davx5",
    name: "DAVx5 with tasks.org or jtx Board (Android)",
    label: "Android (DAVx5)",
    by: "calendar",
    steps: [
      "Install DAVx5; for tasks, install tasks.org or jtx Board first.",
      "Choose *Add account*, *Login with URL and user name*, and enter `{server}`, user name and password.",
      "Select calendars and task lists.",
    ],
    asks: { server: "Base URL", isHost: false, user: "User name" },
  },
  {
    id: "thunderbird",
    name: "Thunderbird",
    label: "Thunderbird",
    by: "calendar",
    steps: [
      "Choose *New Calendar*, *On the Network*.",
      "Enter the user name and `{server}`, and choose *Find Calendars*.",
      "Select the calendars. Thunderbird asks for the password once.",
    ],
    asks: { server: "Location", isHost: false, user: "Username" },
  },
  {
    id: "outlook",
    name: "Outlook with CalDav Synchronizer",
    label: "Outlook for Windows, with CalDav Synchronizer",
    by: "calendar",
    steps: [
      "Install the plug-in CalDav Synchronizer for classic Outlook.",
      "Choose *Synchronization Profiles*, *Add*, *Generic CalDAV/CardDAV*, and an Outlook folder.",
      "Enter `{server}`, user name and password, choose *Test or discover settings*, and select a calendar. Each calendar needs a profile.",
    ],
    asks: { server: "DAV URL", isHost: false, user: "Username" },
  },
  {
    id: "gnome",
    name: "Evolution, GNOME Calendar, Endeavour",
    label: "Evolution, GNOME",
    by: "calendar",
    steps: [
      "In Evolution choose *File*, *New*, *Collection Account*, and enter the user name.",
      "Under *Advanced* enter the server `{server}`.",
      "GNOME Calendar and Endeavour show what Evolution has added.",
    ],
    asks: { server: "Server", isHost: false, user: "User" },
  },
  {
    id: "kde",
    name: "KOrganizer, Merkuro",
    label: "KOrganizer, Merkuro",
    by: "calendar",
    steps: [
      "Choose *Settings*, *Configure KOrganizer*, *General*, *Calendars*, *Add*, *DAV groupware resource*.",
      "Enter user name and password, and choose *Configure manually*.",
      "Choose *CalDAV* and enter `{server}`.",
    ],
    asks: { server: "Remote URL", isHost: false, user: "User" },
  },
];
