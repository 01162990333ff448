/** Parts of User-Agents and the names people know. The first match wins. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/Betterbird/i, "Betterbird"],
  [/Thunderbird|Lightning/i, "Thunderbird"],
  [/DAVx5|DAVdroid/i, "DAVx5"],
  [/org\.tasks|tasks\.org/i, "Tasks.org"],
  [/jtx ?Board/i, "jtx Board"],
  [/OpenTasks/i, "OpenTasks"],
  [/remindd|Reminders/i, "Apple Reminders"],
  [/watchOS/i, "Apple Watch"],
  [/^(?!.*Mozilla).*(?:macOS|Mac OS X|Mac_OS_X)/i, "Apple Calendar"],
  [/\b(?:iOS|iPadOS|dataaccessd|iPhone|iPad)\b(?!.*Mozilla)/i, "iPhone or iPad"],
  [/CalendarAgent|calaccessd|accountsd|CalendarStore|iCal\//i, "Apple Calendar"],
  [/CalDavSynchronizer/i, "Outlook (CalDav Synchronizer)"],
  [/Microsoft Office|Outlook|Microsoft\.Exchange|owa\b/i, "Outlook"],
  [/Google-Calendar|Google.?Calendar|Googlebot|GoogleAssociation/i, "Google"],
  [/Evolution/i, "Evolution"],
  [/KOrganizer|Kontact|Akonadi|Merkuro|KIO|KDE/i, "KOrganizer"],
  [/GNOME|gnome-calendar|libical-glib/i, "GNOME Calendar"],
  [/vdirsyncer/i, "vdirsyncer"],
  [/pimsync/i, "pimsync"],
  [/todoman/i, "todoman"],
  [/khal/i, "khal"],
  [/BusyCal/i, "BusyCal"],
  [/Fantastical/i, "Fantastical"],
  [/OneCalendar/i, "One Calendar"],
  [/eM ?Client/i, "eM Client"],
  [/ICSx5|ICSdroid/i, "ICSx5"],
  [/Fastmail|Cyrus/i, "Fastmail"],
  [/Nextcloud|SabreDAV|sabre-vobject/i, "Nextcloud"],
  [/YahooCalendar|Yahoo/i, "Yahoo"],
  [/Proton/i, "Proton Calendar"],
  [/dayferry-command/i, "the command line"],
  [/^curl\//i, "curl"],
  [/^Wget\//i, "wget"],
  [/HTTPie/i, "HTTPie"],
  [/python-requests|aiohttp|python-httpx|Python-urllib/i, "a Python script"],
  [/^node$|undici|axios|node-fetch/i, "a Node.js script"],
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
];

/**
 * A program's common name from its User-Agent: "Thunderbird". For an unknown program its first word; null if there is
 * none.
 */
export function programName(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const known = programs.find(([pattern]) => pattern.test(userAgent));
  if (known) return known[1];
  const [word = ""] = /^[\p{L}\p{N}][\p{L}\p{N} ._+-]{0,39}/u.exec(userAgent) ?? [];
  return word.trim() || null;
}

/**
 * Parts of browsers' User-Agents and the names people know. The first match wins, as most browsers claim to be others
 * too.
 */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\/|Opera/, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|HeadlessChrome\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPod/, "an iPhone"],
  [/iPad/, "an iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "a Mac"],
  [/CrOS/, "ChromeOS"],
  [/Linux|X11/, "Linux"],
];

/** A browser's common name from its User-Agent: "Firefox on Linux". For anything else as `programName`. */
export function browserName(userAgent: string): string | null {
  const of = (table: typeof browsers) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const name = userAgent.startsWith("Mozilla/") ? of(browsers) : undefined;
  if (name === undefined) return programName(userAgent);
  const system = of(systems);
  return system === undefined ? name : `${name} on ${system}`;
}

/** User-Agent of commands that call a running daemon. */
export const commandAgent = "dayferry-command";
