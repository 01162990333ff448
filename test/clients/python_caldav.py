"""Drives python3-caldav as its documentation shows it. Usage: python_caldav.py URL USER PASSWORD STEP [ARGUMENT...]

Every step prints one JSON value.
"""

import json
import sys
from datetime import date, datetime, timedelta, timezone

import caldav
from caldav.lib.error import DAVError

url, user, password, step, *arguments = sys.argv[1:]
client = caldav.DAVClient(url=url, username=user, password=password)


def calendar(slug):
    return next(one for one in client.principal().calendars() if str(one.url).endswith(f"/{slug}/"))


def title(item):
    return str(item.icalendar_component["SUMMARY"])


def item_of(kind, lines):
    inside = "\r\n".join([f"BEGIN:{kind}", "DTSTAMP:20260101T000000Z", *lines, f"END:{kind}"])
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\n{inside}\r\nEND:VCALENDAR\r\n"


def discover():
    found = client.principal().calendars()
    return [
        {
            "slug": str(one.url).rstrip("/").rsplit("/", 1)[-1],
            "name": one.get_display_name(),
            "components": one.get_supported_components(),
        }
        for one in found
    ]


def create(slug, day):
    lines = ["UID:py@example.com", "SUMMARY:From Python", f"DTSTART;VALUE=DATE:{day}", "LOCATION:Room 3"]
    made = calendar(slug).save_event(item_of("VEVENT", lines))
    return {"url": str(made.url), "title": title(made)}


def change(slug, new_title):
    event = calendar(slug).event_by_uid("py@example.com")
    event.icalendar_component["SUMMARY"] = new_title
    event.save()
    again = calendar(slug).event_by_uid("py@example.com")
    return {"title": title(again), "location": str(again.icalendar_component["LOCATION"])}


def search(slug, day, days):
    start = datetime.fromisoformat(day).replace(tzinfo=timezone.utc)
    found = calendar(slug).date_search(start=start, end=start + timedelta(days=int(days)), expand=False)
    return sorted(title(one) for one in found)


def todos(slug):
    tasks = calendar(slug)
    return {
        "open": sorted(title(one) for one in tasks.todos()),
        "all": sorted(title(one) for one in tasks.todos(include_completed=True)),
    }


def todo(slug, day):
    made = calendar(slug).save_todo(summary="Todo from Python", due=date.fromisoformat(day))
    return title(made)


def complete(slug, wanted):
    found = next(one for one in calendar(slug).todos() if title(one) == wanted)
    found.complete()
    return str(found.icalendar_component["STATUS"])


def sync(slug, token=None):
    changed = calendar(slug).objects_by_sync_token(sync_token=token, load_objects=True)
    present = [one for one in changed if one.data is not None]
    return {
        "token": changed.sync_token,
        "present": sorted(title(one) for one in present),
        "gone": len(list(changed)) - len(present),
    }


def delete(slug):
    calendar(slug).event_by_uid("py@example.com").delete()
    return sorted(title(one) for one in calendar(slug).events())


def weekly(slug, day):
    lines = ["UID:w@example.com", "SUMMARY:Weekly", f"DTSTART;VALUE=DATE:{day}", "RRULE:FREQ=WEEKLY"]
    try:
        calendar(slug).save_event(item_of("VEVENT", lines))
    except DAVError as error:
        return type(error).__name__
    return "stored"


def busy(slug, day, days):
    start = datetime.fromisoformat(day).replace(tzinfo=timezone.utc)
    answer = calendar(slug).freebusy_request(start, start + timedelta(days=int(days)))
    return answer.data.count("FREEBUSY")


steps = [discover, create, change, search, todos, todo, complete, sync, delete, weekly, busy]
print(json.dumps({one.__name__: one for one in steps}[step](*arguments)))
