/** Parts of the User-Agent of Apple's programs, Thunderbird, DAVx5, tasks.org, Evolution, KDE, Outlook's plug-in, vdirsyncer. */
const wholeWriters =
  /\b(?:dataaccessd|remindd|calaccessd|CalendarAgent|Thunderbird|Betterbird|DAVx5|DAVdroid|org\.tasks|Evolution|KIO|KDE|CalDavSynchronizer|vdirsyncer)\b/i;

/**
 * Whether a program by its User-Agent is known to write an item as a whole each time, so that a property which it wrote before
 * and now leaves out was taken away by its user. Scripts and libraries may leave out whatever does not matter to them.
 */
export const writesWhole = (agent: string): boolean => wholeWriters.test(agent);
